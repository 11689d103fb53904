"""`podwright move fabric`: what is checked before, what is written, and that a move that was cut off is completed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from podwright.cli import split
from podwright.components import model
from tests.cli.test_engine import Shell
from tests.test_sizes import ROOT

WHOLE = [ROOT / "Pulumi.lab.yaml", ROOT / "Pulumi.prod.yaml", *sorted(ROOT.glob("tests/examples/*/Pulumi.*.yaml"))]
FILES = [file for file in WHOLE if "podwright:base:" not in file.read_text()]
"""A stack that is based on other files is not split by itself."""
SOURCE = "organization/site/pod"


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_the_files_fabric_is_planned_alike_alone(file: Path, tmp_path: Path) -> None:
    text = file.read_text()
    alone, rest = tmp_path / "Pulumi.fabric.yaml", tmp_path / "Pulumi.pod.yaml"
    alone.write_text(split.fabric_file(text, "encryptionsalt: v1:abc\nconfig:\n  site:region: here\n", SOURCE))
    rest.write_text(split.cluster_file(text, "organization/site/fabric"))
    made = model.load(alone)
    assert split.differences(model.load(file), made) == []
    assert (made.servers, made.openshift, made.fabric.moved_from) == ({}, None, SOURCE)
    assert model.load(rest).fabric.stack == "organization/site/fabric"
    assert alone.read_text().startswith("encryptionsalt: v1:abc\n")
    assert "site:region: here" in alone.read_text()
    added = set(rest.read_text().splitlines()) - set(text.splitlines())
    assert "      stack: organization/site/fabric" in added
    assert rest.read_text().split() == text.replace("fabric:", "fabric: stack: organization/site/fabric", 1).split()


def test_a_fabrics_file_of_ones_own_stays_as_it_is(tmp_path: Path) -> None:
    text = (ROOT / "tests/model/fabric_only.yaml").read_text()
    assert split.fabric_file("", text, SOURCE) == text.replace("fabric:\n", f"fabric:\n      moved_from: {SOURCE}\n", 1)


def resource(type_: str, name: str, parents: str = "") -> dict[str, Any]:
    return {"type": type_, "urn": f"urn:pulumi:pod::site::{parents}{type_}::{name}"}


FABRIC = resource("podwright:index:Fabric", "rails", "podwright:index:AiCluster$")
SWITCHES = [
    resource("podwright:nxos:Switch", f"rails-{name}", "podwright:index:AiCluster$podwright:index:Fabric$")
    for name in ("leaf-01", "leaf-02", "spine-01", "spine-02")
]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project whose stack `pod` has a fabric's file, and a `pulumi` that answers with its state."""
    made = Shell(tmp_path)
    (made.project / "Pulumi.pod.yaml").write_text((ROOT / "tests/model/fabric_only.yaml").read_text())
    states(made, pod=[FABRIC, *SWITCHES], fabric=[])
    return made


def states(shell: Shell, *, pending: str = "", **resources: list[dict[str, Any]]) -> None:
    for name, each in resources.items():
        state = {"resources": each, "pending_operations": [{"type": "updating"}] if name == pending else []}
        shell.answers[f"stack export --stack {name}"] = {"prints": json.dumps({"deployment": state})}


def files(shell: Shell) -> dict[str, str]:
    return {path.name: path.read_text() for path in shell.project.glob("Pulumi.*.yaml")}


MOVE = ("move", "fabric", "--from", "pod", "--to", "fabric")


def test_the_state_moves_between_the_writing_of_both_files(shell: Shell) -> None:
    status, told = shell.run(*MOVE, "--yes")
    assert status == 0, told
    preview, move = shell.commands
    assert preview[:3] == ["preview", "--stack", "pod"]
    assert "--expect-no-changes" in preview
    assert move == ["state", "move", "--source", "pod", "--dest", "fabric", "--yes", FABRIC["urn"]]
    assert "moved_from: organization/site/pod" in files(shell)["Pulumi.fabric.yaml"]
    assert "stack: organization/site/fabric" in files(shell)["Pulumi.pod.yaml"]


def test_without_a_yes_nothing_moves(shell: Shell) -> None:
    before = files(shell)
    status, told = shell.run(*MOVE)
    assert (status, files(shell)) == (2, before)
    assert "give --yes" in told
    assert [words[0] for words in shell.commands] == ["preview"]


def test_a_stack_that_is_based_on_files_is_not_split_by_itself(shell: Shell) -> None:
    (shell.project / "Pulumi.pod.yaml").rename(shell.project / "base.yaml")
    own = "config:\n  podwright:base: base.yaml\n  podwright:cluster:\n    name: rails\n"
    (shell.project / "Pulumi.pod.yaml").write_text(own)
    before = files(shell)
    status, told = shell.run(*MOVE, "--yes")
    assert (status, files(shell)) == (1, before)
    assert "Pulumi.pod.yaml is based on base.yaml" in told
    assert "write Pulumi.fabric.yaml with what switches are planned from" in told
    assert [words[0] for words in shell.commands] == []


def test_a_move_that_was_cut_off_is_completed(shell: Shell) -> None:
    shell.run(*MOVE, "--yes")
    whole = files(shell)
    (shell.project / "Pulumi.pod.yaml").write_text((ROOT / "tests/model/fabric_only.yaml").read_text())
    states(shell, pod=[], fabric=[FABRIC, *SWITCHES])
    (shell.bin / "calls").unlink()
    assert shell.run(*MOVE, "--yes")[0] == 0
    assert (files(shell), shell.commands) == (whole, [])


def test_a_stack_that_is_not_quiet_is_left_alone(shell: Shell) -> None:
    before = files(shell)
    shell.answers["preview"] = {"status": 255}
    status, told = shell.run(*MOVE, "--yes")
    assert (status, files(shell)) == (1, before)
    assert "pod is not as its file defines: bring it there first, podwright up pod\nnothing was moved" in told
    states(shell, pod=[FABRIC, *SWITCHES], fabric=[], pending="pod")
    status, told = shell.run(*MOVE, "--yes")
    assert (status, files(shell)) == (1, before)
    assert "an update of pod was cut off: podwright recover pod" in told


@pytest.mark.parametrize("stack", ["pod", "fabric"])
def test_a_stack_that_somebody_works_on_is_left_alone(stack: str, shell: Shell) -> None:
    before = files(shell)
    shell.lock(stack)
    status, told = shell.run(*MOVE, "--yes")
    assert (status, files(shell), shell.commands) == (1, before, [])
    assert f"{stack} is locked by operator on" in told


@pytest.mark.parametrize(("pod", "fabric", "sentence"), [
    ([], [], "there is no switch in the state of pod"),
    ([FABRIC, *SWITCHES], SWITCHES[:1], "fabric has switches already"),
])  # fmt: skip
def test_what_cannot_be_moved_is_refused(
    pod: list[dict[str, Any]], fabric: list[dict[str, Any]], sentence: str, shell: Shell
) -> None:
    before = files(shell)
    states(shell, pod=pod, fabric=fabric)
    status, told = shell.run(*MOVE, "--yes")
    assert (status, files(shell)) == (1, before)
    assert sentence in told
    assert "Traceback" not in told


@pytest.mark.parametrize(("change", "sentence"), [
    (("links_per_pair: 16", "links_per_pair: 8"), "leaf-01: `interface Ethernet1/"),
    (("name: rails", "name: other"), "`name` must stay rails"),
    (("spine-[01-02]", "back-[01-02]"), "back-01: is in one of the files only"),
])  # fmt: skip
def test_a_fabrics_file_that_plans_otherwise_is_refused(change: tuple[str, str], sentence: str, shell: Shell) -> None:
    text = (ROOT / "tests/model/fabric_only.yaml").read_text()
    assert change[0] in text
    (shell.project / "Pulumi.fabric.yaml").write_text(text.replace(*change))
    before = files(shell)
    status, told = shell.run(*MOVE, "--yes")
    assert (status, files(shell)) == (1, before)
    assert sentence in told


def test_a_cluster_that_takes_its_fabric_from_elsewhere_has_none_to_move(shell: Shell) -> None:
    shell.run(*MOVE, "--yes")
    status, told = shell.run(*MOVE, "--yes")
    assert status == 1
    assert "Pulumi.pod.yaml takes its fabric from organization/site/fabric already" in told
