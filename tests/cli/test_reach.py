"""`podwright reach`: three places that name a world, what to do where they differ, and the move."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from podwright.cli.__main__ import app

PULUMI = """#!/usr/bin/env python3
import json, pathlib, sys
here = pathlib.Path(__file__).parent
words = sys.argv[1:]
with (here / "calls").open("a") as calls:
    calls.write(json.dumps(words) + "\\n")
if words[:2] == ["stack", "export"]:
    print((here / "state").read_text())
elif words[:2] == ["config", "set"]:
    (here / "config").write_text(json.dumps({"site:world": {"value": words[3], "secret": False}}))
else:
    print((here / "config").read_text())
"""


class Stack:
    """A stack as a `pulumi` on PATH tells of it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        program = folder / "pulumi"
        program.write_text(PULUMI)
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("PODWRIGHT_REACH", str(folder / "reach.json"))

    def is_in(self, state: str, configured: str, reached: str) -> None:
        inputs = {"world": state} if state else {}
        resources = [{"type": "pulumi:providers:podwright", "urn": "u", "inputs": inputs}]
        (self._folder / "state").write_text(json.dumps({"deployment": {"resources": resources}}))
        config = {"site:world": {"value": configured, "secret": False}} if configured else {}
        (self._folder / "config").write_text(json.dumps({"site:cluster": {"objectValue": {}}, **config}))
        (self._folder / "reach.json").write_text(json.dumps({"world": reached}))

    def ask(self, *words: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["reach", "lab", *words])
        return done.exit_code, done.output

    @property
    def written(self) -> list[list[str]]:
        calls = [json.loads(line) for line in (self._folder / "calls").read_text().splitlines()]
        return [words for words in calls if words[:2] == ["config", "set"]]


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stack:
    return Stack(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("state", "configured", "status", "words"),
    [
        ("", "", 0, "state of lab: no world yet"),
        ("lab-1", "", 0, "state of lab: lab-1"),
        ("lab-2", "", 1, "or move the stack: podwright reach lab --move"),
        ("lab-2", "lab-1", 0, "The stack moves from lab-2 to lab-1 with the next `pulumi up`"),
        ("lab-1", "lab-2", 1, "set PODWRIGHT_REACH to the reach file of lab-2"),
    ],
)
def test_what_differs_is_shown_with_what_to_do(
    stack: Stack, state: str, configured: str, status: int, words: str
) -> None:
    stack.is_in(state, configured, "lab-1")
    code, said = stack.ask()
    assert code == status
    assert words in said
    assert stack.written == []


def test_a_move_says_from_where_to_where_and_writes_it(stack: Stack) -> None:
    stack.is_in("lab-1", "", "lab-2")
    code, said = stack.ask("--move")
    assert code == 0
    assert said.startswith("lab: lab-1 → lab-2\n")
    assert stack.written == [["config", "set", "world", "lab-2", "--stack", "lab", "--non-interactive"]]
    assert stack.ask()[0] == 0
    assert "nothing to move" in stack.ask("--move")[1]


def test_a_reach_file_that_cannot_be_used_is_a_sentence(stack: Stack, tmp_path: Path) -> None:
    stack.is_in("lab-1", "", "lab-2")
    (tmp_path / "reach.json").write_text("{")
    code, said = stack.ask()
    assert code == 2
    assert "not valid JSON" in said
