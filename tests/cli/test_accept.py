"""Acceptance as people see it: asked by hand, every path must be proven; the screen never calls an idle one passed."""

import json
import subprocess
from typing import Any

import pytest

from podwright.cli import accept, screen, stack
from podwright.cli.stack import Stack
from podwright.components import model
from tools.generated import ROOT

PRINTED = """ok   leaf-01-rail0: 388 of 360 Gb/s asked; drops 0, out of sequence 0, pauses 9, marks 9
     without: gpu-01:rail0 (held by research/job-0)
not run leaf-01-rail1: too few NICs are free: gpu-01:rail1 (held by research/job-0)
1 of 2 paths are not proven: measure them when their jobs have ended
"""


def test_the_screen_counts_proven_paths_and_names_the_others() -> None:
    rows = [row[0] for row in screen._acceptance(Stack({}, PRINTED, "2026-11-21T07:00:00Z"))]
    assert rows[0].startswith("[yellow]1 of 2 paths proven[/]")
    assert any("not proven[/] leaf-01-rail1: too few NICs are free" in row for row in rows)


@pytest.mark.parametrize(
    ("runner", "verdicts", "code"),
    [
        (0, [{"name": "a", "measured": True, "passed": True}], 0),
        (0, [{"name": "a", "measured": False, "passed": False}], 2),
        (0, [{"name": "a", "measured": True, "passed": True}, {"name": "b", "measured": False, "passed": False}], 2),
    ],
)
def test_by_hand_every_path_must_be_proven(
    monkeypatch: pytest.MonkeyPatch, runner: int, verdicts: list[dict[str, Any]], code: int
) -> None:
    def ran(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, runner, json.dumps(verdicts), "")

    monkeypatch.setattr(stack, "read", lambda _name: Stack({"kubeconfig": "text"}))
    monkeypatch.setattr(subprocess, "run", ran)
    assert accept.run("lab", model.load(ROOT / "Pulumi.lab.yaml")) == code
