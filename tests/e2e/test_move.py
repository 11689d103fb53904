"""A fabric moves to a stack of its own by the page's commands: no switch is made anew, and its mark follows."""

import json
import re
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from podwright.cli.split import fabric_file
from podwright.cli.world import text
from podwright.components import model
from tests.cli.test_new import ANSWERS
from tests.docs.commands import commands, environ, follow, project
from tests.e2e.site import ROOT

pytestmark = pytest.mark.rough

PAGE = ROOT / "docs/how-to/move-the-fabric-to-its-own-stack.md"
SECONDS = 600
SWITCHES = {"pod-a-leaf-01", "pod-a-leaf-02", "pod-a-spine-01", "pod-a-spine-02"}


class Moved:
    """A project whose stack pod-a has a fabric alone, up on a lab, and a shell in it."""

    def __init__(self, folder: Path) -> None:
        self.env = environ(folder)
        self.clone = project(folder)
        self.site = self.clone / "pod-a"
        self.lab = folder / "lab"

    def type(self, *words: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            words, cwd=cwd or self.site, env=dict(self.env), text=True, capture_output=True, check=False,
            stdin=subprocess.DEVNULL, timeout=SECONDS,
        )  # fmt: skip
        assert done.returncode == 0, f"{words}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        return done.stdout

    def up(self) -> None:
        """`podwright new`, the file less all that is no fabric's, a lab of its switches, the first `up`."""
        given = [each for answer in ANSWERS.items() for each in answer]
        self.type("podwright", "new", "pod-a", "--servers", "2", *given, cwd=self.clone)
        file = self.site / "Pulumi.pod-a.yaml"
        whole = file.read_text()
        world = self.lab.with_suffix(".yaml")
        world.write_text(text(model.load(file)))
        file.write_text(re.sub(" *moved_from: .*\n", "", fabric_file(whole, "", "a/b/c")))
        self.type(
            "python", "-m", "podwright.lab", "up", "--only", "nxos", "--dir", str(self.lab), "--world", str(world)
        )
        self.env = {**self.env, "PODWRIGHT_REACH": str(self.lab / "reach.json")}
        self.type("pulumi", "stack", "init", "pod-a")
        self.type("podwright", "up", "pod-a", "--", "--yes", "--skip-preview")

    def steps(self, stack: str) -> dict[str, str]:
        """What a preview does to each switch, by name."""
        planned = json.loads(self.type("podwright", "preview", stack, "--", "--json", "--non-interactive"))
        found = ((each["urn"], each["op"]) for each in planned["steps"])
        return {urn.rpartition("::")[2]: op for urn, op in found if "podwright:nxos:Switch::" in urn}

    def resources(self, stack: str) -> list[Mapping[str, Any]]:
        state = json.loads(self.type("pulumi", "stack", "export", "--stack", stack))
        found: list[Mapping[str, Any]] = state["deployment"].get("resources") or []
        return found

    def marks(self) -> dict[str, str]:
        """Whose each switch is, by hostname: what its console shows."""
        found = {}
        for switch in SWITCHES:
            name = switch.removeprefix("pod-a-")
            (found[name],) = re.findall(r"podwrightowner podwright (\S+) ", self.shown(name))
        return found

    def shown(self, switch: str) -> str:
        """The running configuration at a switch's console."""
        url = json.loads((self.lab / "world.json").read_text())["url"]
        fault = {"kind": "cli", "switch": switch, "lines": ["show running-config"]}
        request = urllib.request.Request(f"{url}/fault", json.dumps(fault).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=60) as reply:
            output: str = json.load(reply)["output"]
        return output


@pytest.fixture
def moved(tmp_path: Path) -> Iterator[Moved]:
    made = Moved(tmp_path)
    try:
        made.up()
        yield made
    finally:
        down = [str(ROOT / ".venv/bin/python"), "-m", "podwright.lab", "down", "--dir", str(made.lab)]
        subprocess.run(down, env=dict(made.env), check=False, capture_output=True)


def test_a_fabric_moves_and_its_switches_belong_to_the_new_stack(moved: Moved) -> None:
    created = {each["urn"].rpartition("::")[2]: each["id"] for each in moved.resources("pod-a") if "id" in each}
    assert created.keys() >= SWITCHES
    assert set(moved.marks().values()) == {"pod-a/pod-a"}
    steps = commands(PAGE, {"e2e"})
    assert follow(steps[:2], moved.site, moved.env, SECONDS) == []

    in_cluster = {each["urn"].rpartition("::")[2] for each in moved.resources("pod-a")}
    in_fabric = {each["urn"].rpartition("::")[2]: each.get("id") for each in moved.resources("fabric")}
    assert not in_cluster & SWITCHES
    assert {name: in_fabric[name] for name in SWITCHES} == {name: created[name] for name in SWITCHES}
    assert moved.steps("fabric") == dict.fromkeys(SWITCHES, "update")
    assert set(moved.marks().values()) == {"pod-a/pod-a"}, "a preview changes nothing"

    assert follow(steps[2:], moved.site, moved.env, SECONDS) == []
    assert moved.steps("pod-a") == {}
    assert moved.marks() == {name.removeprefix("pod-a-"): "pod-a/fabric" for name in SWITCHES}

    file = moved.site / "Pulumi.fabric.yaml"
    file.write_text(re.sub(r" *moved_from: .*\n", "      bfd_multiplier: 5\n", file.read_text()))
    moved.type("podwright", "up", "fabric", "--", "--yes", "--skip-preview")
    moved.type("podwright", "preview", "fabric", "--", "--expect-no-changes")
    moved.type("podwright", "preview", "pod-a", "--", "--expect-no-changes")
