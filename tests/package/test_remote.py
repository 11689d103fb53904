"""The same component class, from a program of ours and through the package: one graph, one plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from podwright.components import model
from podwright.components.model import FabricArgs, describe
from podwright.components.schema.names import camel, children, closed
from tests.package.project import HEAD, ROOT, Project

LOCAL = """
import json, pulumi
from podwright.components.fabric import Fabric
from podwright.components.model import FabricArgs
from podwright.components.providers.resources import Podwright

site = Podwright("site", nxos={"user": "admin", "secret": "switch-admin"})
args = FabricArgs.model_validate_json(open("args.json").read())
made = Fabric("lab", args, pulumi.ResourceOptions(providers=[site]))
Fabric("second", args, pulumi.ResourceOptions(providers=[site]))
pulumi.export("ready", made.ready)
pulumi.export("switches", made.switches)
"""
REMOTE = (
    HEAD.replace('Podwright("site")', 'Podwright("site", nxos={"user": "admin", "secret": "switch-admin"})')
    + """
import json
args = json.load(open("args.json"))
made = Remote("Fabric", "lab", args, ["ready", "switches"])
Remote("Fabric", "second", args, [])
pulumi.export("ready", made.ready)
pulumi.export("switches", made.switches)
"""
)


def outside(value: Any, annotation: Any) -> Any:
    """A value in the models' names as a program of another language writes it."""
    if value is None:
        return None
    found = describe.shape(annotation)
    kind = describe.kinds(found)[value["kind"]] if found.variants else found.kind
    if closed(kind):
        return {camel(key): outside(each, children(kind)[key]) for key, each in value.items()}
    if isinstance(value, dict):
        return {key: outside(each, found.arguments[1]) for key, each in value.items()}
    return [outside(each, found.arguments[0]) for each in value] if isinstance(value, list) else value


def planned(folder: Path, program: str, args: Any) -> dict[str, Any]:
    """Type, inputs and dependencies of everything in the plan of a program, by name."""
    folder.mkdir()
    (folder / "args.json").write_text(json.dumps(args))
    project = Project(folder).lay_out(program, ROOT / ".venv" / "bin").init()
    done = project.run("preview", "--json", "--stack", "lab").stdout
    found = {}
    for step in json.loads(done[done.index("{") :])["steps"]:
        state = step["newState"]
        depends = sorted(urn.rsplit("::", 1)[-1] for urn in state.get("dependencies") or ())
        inputs = state.get("inputs") if state.get("custom") else None
        found[f"{state['type']} {state['urn'].rsplit('::', 1)[-1]}"] = [inputs, depends, state.get("outputs")]
    return found


@pytest.fixture(scope="module")
def args() -> FabricArgs:
    return model.load(ROOT / "Pulumi.lab.yaml").network


def test_a_fabric_through_the_package_is_the_one_of_a_program(tmp_path: Path, args: FabricArgs) -> None:
    written = json.loads(args.model_dump_json())
    ours = planned(tmp_path / "ours", LOCAL, written)
    theirs = planned(tmp_path / "theirs", REMOTE, outside(written, FabricArgs))
    assert len(ours) > 10
    assert list(ours) == list(theirs) or set(ours) == set(theirs)
    for name, (inputs, depends, outputs) in ours.items():
        if not name.startswith("podwright:index:Fabric "):
            assert theirs[name] == [inputs, depends, outputs], name
