"""A stack and two labs: with the reach file of the second, nothing of the first is deleted and nobody is dialled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.listening import listening
from tests.package.project import ROOT, Project
from tests.providers.nxos.rack import Rack, inputs, rack

PROGRAM = """
import json, pulumi
from podwright.components.providers.nxos.resources import Switch
from podwright.components.providers.resources import Podwright

login = {"user": "admin", "secret": "switch-admin"}
site = Podwright("site", nxos=login, world=pulumi.Config().get("world"))
Switch("leaf-01", json.load(open("spec.json")), opts=pulumi.ResourceOptions(provider=site))
"""


def reach_file(folder: Path, lab: Rack, world: str, port: int | None = None) -> dict[str, str]:
    """The lab's reach file under a world's id; to `port` alone if there is one."""
    path = folder / f"{world}.json"
    lab.write_reach(path)
    reach = json.loads(path.read_text())
    forward = {end: f"127.0.0.1:{port}" if port else target for end, target in reach["forward"].items()}
    path.write_text(json.dumps({**reach, "world": world, "forward": forward}))
    return {"PODWRIGHT_REACH": str(path)}


def known(project: Project) -> dict[str, list[object]]:
    """What the state says of each resource; when it was last looked at is left out."""
    return {name: [each.get(key) for key in ("id", "inputs", "outputs")] for name, each in project.resources().items()}


@pytest.mark.rough
def test_the_reach_file_of_another_lab_stops_everything_until_the_stack_is_moved(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    project = Project(tmp_path / "site").lay_out(PROGRAM, ROOT / ".venv" / "bin")
    (project.folder / "spec.json").write_text(json.dumps(inputs()["spec"]))
    with rack(tmp_path) as lab, listening() as (port, dialled):
        first = reach_file(tmp_path, lab, "lab-1")
        second = reach_file(tmp_path, lab, "lab-2", port)
        project.extra_env = first
        project.init().run("up", "--yes", "--skip-preview", "--stack", "lab")
        assert project.resources()["site"]["inputs"]["world"] == "lab-1"
        configured = lab.running()
        before = known(project)

        project.extra_env = second
        sentence = (
            "the devices of stack lab are in the world lab-1, and the reach file "
            f"{second['PODWRIGHT_REACH']} in PODWRIGHT_REACH is that of lab-2; nothing was dialled"
        )
        for words in (
            ("destroy", "--yes", "--skip-preview"),
            ("destroy", "--yes", "--skip-preview", "--run-program"),
            ("refresh", "--yes", "--skip-preview"),
            ("preview",),
            ("up", "--yes", "--skip-preview"),
        ):
            done = project.run(*words, "--stack", "lab", check=False)
            said = done.stdout + done.stderr
            assert done.returncode, said
            assert sentence in said, said
        assert known(project) == before
        assert lab.running() == configured
        assert project.command("podwright", "reach", "lab", check=False).returncode == 1

        moved = project.command("podwright", "reach", "lab", "--move").stdout
        assert moved.startswith("lab: lab-1 → lab-2\n")
        project.run("preview", "--stack", "lab")
        assert dialled == []
