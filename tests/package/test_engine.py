"""Components served to a stranger's program by the real engine: plan, dependencies, two at once, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.package.project import ROOT, Project

RACKS = """
boxes = {f"box-{n}": {"heightUnits": 1, "lanes": [1, 2]} for n in range(3)}
OUT = ["boxNames", "labels", "ready"]
wet = {"powerFeed": "a", "cooling": {"kind": "water", "litresPerMinute": 3}}
dry = {"cluster": "lab", "site": {"powerFeed": "b"}, "boxes": boxes}
a = Remote("Rack", "a", {**dry, "site": wet, "labels": {"owner_of": "me"}, "rackGbps": 100}, OUT)
b = Remote("Rack", "b", {**dry, "labels": a.labels}, OUT)
word = pulumi.Output.secret("kanarie-77")
c = Remote("Rack", "c", {**dry, "after": [a.ready, b.ready], "labels": {"password": word}}, OUT)
s = Remote("Shelf", "s", {"cluster": "lab"}, ["ready", "shown", "typed"])
pulumi.export("ready", [each.ready for each in (a, b, c, s)])
pulumi.export("names", c.boxNames)
pulumi.export("labels", b.labels)
pulumi.export("shown", s.shown)
pulumi.export("typed", s.typed)
pulumi.export("secret", c.labels)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project(tmp_path_factory.mktemp("racks")).write(RACKS).init()
    made.run("up", "--yes", "--skip-preview", "--stack", "lab")
    return made


def depends(project: Project, name: str) -> set[str]:
    """Names of what a resource depends on."""
    return {urn.rsplit("::", 1)[-1] for urn in project.resources()[name].get("dependencies") or ()}


def test_two_racks_are_made_at_once_and_a_third_waits_for_both(project: Project) -> None:
    found = project.outputs()
    assert found["ready"] == ["a-ready", "b-ready", "c-ready", "s"]
    assert found["names"] == ["box-0", "box-1", "box-2"]
    assert depends(project, "a-box-0") == set()
    # A remote component's output carries the component and the join behind the output, and nothing of what is inside.
    assert depends(project, "c-box-0") == {"a", "a-ready", "b", "b-ready"}
    assert depends(project, "c-ready") == {"c-box-0", "c-box-1", "c-box-2"}


def test_names_are_the_outside_s_only_where_they_are_ours(project: Project) -> None:
    found = project.outputs()
    assert found["labels"] == {"owner_of": "me"}, "a key that the program chose"
    assert found["shown"] == {"cluster": "lab", "wide_mm": 482}
    assert found["typed"] == {"cluster": "lab", "wideMm": 482}, "what has a type of ours has that type's names"


def test_a_secret_stays_one_through_a_component(project: Project) -> None:
    state = project.run("stack", "export", "--stack", "lab").stdout
    assert "kanarie-77" not in state
    assert project.outputs()["secret"] == "[secret]"
    shown = project.run("stack", "output", "--json", "--show-secrets", "--stack", "lab").stdout
    assert json.loads(shown)["secret"] == {"password": "kanarie-77"}


def test_the_same_program_again_changes_nothing_and_destroys_in_order(project: Project) -> None:
    done = project.run("preview", "--json", "--stack", "lab").stdout
    assert set(json.loads(done[done.index("{") :])["changeSummary"]) == {"same"}, done
    project.run("destroy", "--yes", "--skip-preview", "--stack", "lab")
    assert set(project.resources()) == set()


WRONG = """
boxes = {"b1": {"height": 1, "lanes": [99]}}
Remote("Rack", "a", {"cluster": "lab", "site": {"powerFeed": pulumi.Output.secret("kanarie-77")}, "boxes": boxes}, [])
"""


def test_everything_wrong_is_a_sentence_at_its_property(tmp_path: Path) -> None:
    found = Project(tmp_path).write(WRONG).init().problems()
    assert found[0] == "error: podwright:index:Rack resource 'a' has a problem: a cannot be made"
    plain = "decides what is made, so it must be known in preview"
    expected = {
        "- property args.site has a problem: " + plain,
        "- property boxes.b1.heightUnits has a problem: is missing; add `heightUnits:` with a whole number from 1 to 8",
        "- property boxes.b1.height with value '{1}' has a problem: unknown key; did you mean `heightUnits`?",
        "- property boxes.b1.lanes[0] with value '{99}' has a problem: 99 is out of range; write a whole number from 0",
    }
    assert {each for each in expected for line in found if line.startswith(each)} == expected
    assert len(found) == 1 + len(expected)
    assert "kanarie" not in str(found)


def test_a_component_that_is_not_there_is_named(tmp_path: Path) -> None:
    found = Project(tmp_path).write('Remote("Rak", "a", {}, [])').init().problems()
    assert len(found) == 1
    assert found[0].endswith(
        "podwright has no component podwright:index:Rak; it has podwright:index:Rack, podwright:index:Shelf"
    )


def test_a_project_with_a_components_package_of_its_own_is_served(tmp_path: Path) -> None:
    package = tmp_path / "components"
    package.mkdir()
    (package / "__init__.py").write_text("MINE = 'lab'\n")
    use = 's = Remote("Shelf", MINE, {"cluster": MINE}, ["ready"])\npulumi.export("ready", s.ready)\n'
    project = Project(tmp_path).write(f"from components import MINE\n{use}").init()
    assert "lab" in project.run("preview", "--stack", "lab").stdout


def test_the_schema_and_an_sdk_come_offline(tmp_path: Path) -> None:
    project = Project(tmp_path).write("")
    plugin = str(ROOT / ".venv" / "bin" / "pulumi-resource-podwright")
    schema: dict[str, Any] = json.loads(project.run("package", "get-schema", plugin).stdout)
    assert schema["name"] == "podwright"
    project.run("package", "gen-sdk", plugin, "--language", "python", "--out", "sdk")
    made = tmp_path / "sdk" / "python" / "pulumi_podwright"
    assert (made / "nxos" / "switch.py").exists()
    for path in made.rglob("*.py"):
        compile(path.read_text(), str(path), "exec")
