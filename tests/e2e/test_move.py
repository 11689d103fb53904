"""A fabric moves to a stack of its own by the page's commands: no switch is made anew, and its mark follows."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.commands import commands, follow
from tests.e2e.project import SECONDS, Project, running_project
from tests.e2e.site import ROOT

pytestmark = pytest.mark.rough

PAGE = ROOT / "docs/how-to/move-the-fabric-to-its-own-stack.md"
SWITCHES = {"pod-a-leaf-01", "pod-a-leaf-02", "pod-a-spine-01", "pod-a-spine-02"}


@pytest.fixture
def moved(tmp_path: Path) -> Iterator[Project]:
    with running_project(tmp_path) as project:
        yield project


def test_a_fabric_moves_and_its_switches_belong_to_the_new_stack(moved: Project) -> None:
    created = {each["urn"].rpartition("::")[2]: each["id"] for each in moved.resources("pod-a") if "id" in each}
    assert created.keys() >= SWITCHES
    assert set(marks(moved).values()) == {"pod-a/pod-a"}
    steps = commands(PAGE, {"e2e"})
    assert follow(steps[:2], moved.site, moved.env, SECONDS) == []

    in_cluster = {each["urn"].rpartition("::")[2] for each in moved.resources("pod-a")}
    in_fabric = {each["urn"].rpartition("::")[2]: each.get("id") for each in moved.resources("fabric")}
    assert not in_cluster & SWITCHES
    assert {name: in_fabric[name] for name in SWITCHES} == {name: created[name] for name in SWITCHES}
    assert switch_steps(moved, "fabric") == dict.fromkeys(SWITCHES, "update")
    assert set(marks(moved).values()) == {"pod-a/pod-a"}, "a preview changes nothing"

    assert follow(steps[2:], moved.site, moved.env, SECONDS) == []
    assert switch_steps(moved, "pod-a") == {}
    assert marks(moved) == {name.removeprefix("pod-a-"): "pod-a/fabric" for name in SWITCHES}

    file = moved.site / "Pulumi.fabric.yaml"
    file.write_text(re.sub(r" *moved_from: .*\n", "      bfd_multiplier: 5\n", file.read_text()))
    moved.type("podwright", "up", "fabric", "--", "--yes", "--skip-preview")
    moved.type("podwright", "preview", "fabric", "--", "--expect-no-changes")
    moved.type("podwright", "preview", "pod-a", "--", "--expect-no-changes")


def switch_steps(project: Project, stack: str) -> dict[str, str]:
    """What a preview does to each switch, by name."""
    return {name: op for name, op in project.steps(stack).items() if name in SWITCHES}


def marks(project: Project) -> dict[str, str]:
    """Whose each switch is, by hostname: what its console shows."""
    found = {}
    for switch in SWITCHES:
        name = switch.removeprefix("pod-a-")
        (found[name],) = re.findall(r"podwrightowner podwright (\S+) ", project.shown(name))
    return found
