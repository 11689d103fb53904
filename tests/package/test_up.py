"""A fabric through the package, written in Pulumi YAML, comes up on switches and goes away again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from podwright.components import model
from podwright.components.model import FabricArgs
from podwright.components.schema.names import written
from tests.package.project import ROOT, Project
from tests.providers.nxos.rack import rack

LOGIN = {"user": "admin", "secret": "switch-admin"}


@pytest.fixture(scope="module", autouse=True)
def language_host() -> None:
    """Programs in YAML have a host of their own, which only this suite needs."""
    subprocess.run([sys.executable, "-m", "podwright.toolchain", "setup", "yaml"], cwd=ROOT, check=True)


def program(args: Any, plugin: Path) -> dict[str, Any]:
    """The whole project: one fabric."""
    fabric: dict[str, Any] = {"type": "podwright:Fabric", "properties": args, "options": {"providers": ["${site}"]}}
    return {
        "name": "racks",
        "runtime": "yaml",
        "plugins": {"providers": [{"name": "podwright", "path": str(plugin)}]},
        "config": {"pulumi:disable-default-providers": {"value": ["*"]}},
        "resources": {"site": {"type": "pulumi:providers:podwright", "properties": {"nxos": LOGIN}}, "lab": fabric},
        "outputs": {"ready": "${lab.ready}", "digests": "${lab.digests}"},
    }


def test_a_fabric_in_yaml_comes_up_and_goes_away(tmp_path: Path) -> None:
    args = written(json.loads(model.load(ROOT / "Pulumi.lab.yaml").network.model_dump_json()), FabricArgs)
    args["fabric"]["settleSeconds"] = 30
    project = Project(tmp_path / "site")
    project.folder.mkdir()
    text = json.dumps(program(args, ROOT / ".venv" / "bin"))  # JSON is YAML
    (project.folder / "Pulumi.yaml").write_text(text)
    with rack(tmp_path, (ROOT / "lab/worlds/lab.yaml").read_text()) as lab:
        empty = lab.running()
        lab.write_reach(tmp_path / "reach.json")
        project.extra_env = {"PODWRIGHT_REACH": str(tmp_path / "reach.json")}
        project.init().run("up", "--yes", "--skip-preview", "--stack", "lab")
        found = project.outputs()
        assert found["ready"] == "lab-ready"
        assert set(found["digests"]) == {"leaf-01", "leaf-02", "spine-01"}
        assert "router bgp" in lab.running()
        done = project.run("preview", "--json", "--stack", "lab").stdout
        assert set(json.loads(done[done.index("{") :])["changeSummary"]) == {"same"}
        project.run("destroy", "--yes", "--skip-preview", "--stack", "lab")
        assert lab.running() == empty


WRONGS: dict[str, tuple[str, Any, str]] = {
    "a type of the schema": ("pfc", "maybe", 'Allowed values are "on", "off"'),
    "a range of the model": (
        "priority",
        9,
        "property fabric.lossless.priority with value '{9}' has a problem: 9 is out of range; write a whole number",
    ),
}


@pytest.mark.parametrize("wrong", list(WRONGS))
def test_what_is_wrong_in_yaml_is_a_sentence_and_no_traceback(tmp_path: Path, wrong: str) -> None:
    key, value, sentence = WRONGS[wrong]
    args = written(json.loads(model.load(ROOT / "Pulumi.lab.yaml").network.model_dump_json()), FabricArgs)
    args["fabric"]["lossless"][key] = value
    project = Project(tmp_path)
    (project.folder / "Pulumi.yaml").write_text(json.dumps(program(args, ROOT / ".venv" / "bin")))
    done = project.init().run("preview", "--stack", "lab", check=False)
    said = done.stdout + done.stderr
    assert done.returncode
    assert "Traceback" not in said
    assert sentence in said, said[-3000:]
