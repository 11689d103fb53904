"""The same component class, from a program of ours and through the package: one graph, one plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from podwright.components import model
from podwright.components.model import Cluster, FabricArgs
from podwright.components.schema.names import written
from tests.package.project import HEAD, ROOT, Project

LOCAL = """
import json, pulumi
from podwright.components.fabric import Fabric
from podwright.components.model import Cluster, FabricArgs
from podwright.components.providers.resources import Podwright

site = Podwright("site", nxos={"user": "admin", "secret": "switch-admin"})
text = open("args.json").read()
args = FabricArgs.model_validate_json(text)
others = FabricArgs.model_validate_json(text.replace('"192.0.2.', '"192.0.3.').replace('"FDO0', '"FDO9'))
made = Fabric("lab", args, pulumi.ResourceOptions(providers=[site]))
Fabric("second", others, pulumi.ResourceOptions(providers=[site]))
pulumi.export("ready", made.ready)
pulumi.export("switches", made.switches)
"""
REMOTE = (
    HEAD.replace('Podwright("site")', 'Podwright("site", nxos={"user": "admin", "secret": "switch-admin"})')
    + """
import json
text = open("args.json").read()
args = json.loads(text)
others = json.loads(text.replace('"192.0.2.', '"192.0.3.').replace('"FDO0', '"FDO9'))
made = Remote("Fabric", "lab", args, ["ready", "switches"])
Remote("Fabric", "second", others, [])
pulumi.export("ready", made.ready)
pulumi.export("switches", made.switches)
"""
)


CLUSTER = """
import json, pulumi
from podwright.components.cluster import AiCluster
from podwright.components.model import Cluster
from podwright.components.providers.resources import Podwright

site = Podwright("site", nxos={"user": "admin", "secret": "switch-admin"}, redfish={"user": "admin", "secret": "bmc"},
                 intersight={"key_id": "lab0account/lab0user/lab0key", "secret": "intersight-key"},
                 secrets=pulumi.Output.secret({"switch-admin": "kanarie-77"}))
made = AiCluster(
    Cluster.model_validate_json(open("args.json").read()), pulumi.ResourceOptions(providers=[site]),
    pulumi.Output.secret({"switch-admin": "kanarie-77"}),
)
pulumi.export("ready", made.ready)
"""
REMOTE_CLUSTER = """
import json, pulumi

class Site(pulumi.ProviderResource):
    def __init__(self):
        login = {"user": "admin", "secret": "switch-admin"}
        account = {"keyId": "lab0account/lab0user/lab0key", "secret": "intersight-key"}
        logins = {"nxos": login, "redfish": {**login, "secret": "bmc"}, "intersight": account}
        secrets = pulumi.Output.secret({"switch-admin": "kanarie-77"})
        super().__init__("podwright", "site", {**logins, "secrets": secrets})

class AiCluster(pulumi.ComponentResource):
    def __init__(self, name, inputs, opts):
        super().__init__("podwright:index:AiCluster", name, {"ready": None, **inputs}, opts, remote=True)

made = AiCluster("lab", json.load(open("args.json")), pulumi.ResourceOptions(providers=[Site()]))
pulumi.export("ready", made.ready)
"""


def planned(folder: Path, program: str, args: Any) -> dict[str, Any]:
    """Inputs, dependencies and outputs of everything in the plan of a program, by URN."""
    folder.mkdir()
    (folder / "args.json").write_text(json.dumps(args))
    project = Project(folder).lay_out(program, ROOT / ".venv" / "bin").init()
    done = project.run("preview", "--json", "--stack", "lab").stdout
    found = {}
    for step in json.loads(done[done.index("{") :])["steps"]:
        state = step["newState"]
        inputs = state.get("inputs") if state.get("custom") else None
        found[state["urn"]] = [inputs, sorted(state.get("dependencies") or ()), state.get("outputs")]
    return found


def apart(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """What differs between two plans."""
    assert theirs.keys() == ours.keys()
    return sorted(urn.partition("::racks::")[2] for urn in ours if ours[urn] != theirs[urn])


@pytest.fixture(scope="module")
def args() -> FabricArgs:
    return model.load(ROOT / "Pulumi.lab.yaml").network


def test_a_fabric_through_the_package_is_the_one_of_a_program(tmp_path: Path, args: FabricArgs) -> None:
    plain = json.loads(args.model_dump_json())
    ours = planned(tmp_path / "ours", LOCAL, plain)
    theirs = planned(tmp_path / "theirs", REMOTE, written(plain, FabricArgs))
    assert len(ours) > 10
    assert apart(ours, theirs) == []


def test_a_whole_cluster_through_the_package_is_the_one_of_a_program(tmp_path: Path) -> None:
    """Every resource of the lab's stack file: the same URN, inputs, dependencies; secrets by the provider instance."""
    plain = json.loads(model.load(ROOT / "Pulumi.lab.yaml").model_dump_json())
    ours = planned(tmp_path / "ours", CLUSTER, plain)
    theirs = planned(tmp_path / "theirs", REMOTE_CLUSTER, written(plain, Cluster))
    assert len(ours) > 130
    (measured,) = [inputs for urn, (inputs, _, _) in theirs.items() if "::lab-acceptance" in urn]
    assert measured["environment"]["PODWRIGHT_SECRET_SWITCH_ADMIN"] == "[secret]"
    assert apart(ours, theirs) == []
