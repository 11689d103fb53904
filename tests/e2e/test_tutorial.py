"""The administrator's tutorial by its own commands: a new site, up on a lab made from its file, changed, removed."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.docs.commands import commands, environ, follow, project
from tests.e2e.site import ROOT

pytestmark = pytest.mark.rough

PAGE = ROOT / "docs/tutorials/administrator.md"
SECONDS = 1500
FOREIGN = """name: theirs
runtime: yaml
"""


def a_foreign_stack(folder: Path, env: Mapping[str, str]) -> dict[Path, bytes]:
    """A stack of somebody else in the same backend: its files and what is in them."""
    theirs = folder / "theirs"
    theirs.mkdir()
    (theirs / "Pulumi.yaml").write_text(FOREIGN)
    subprocess.run(["pulumi", "stack", "init", "theirs", "--non-interactive"], cwd=theirs, env=dict(env), check=True)
    return contents(folder)


def contents(folder: Path) -> dict[Path, bytes]:
    return {
        path: path.read_bytes() for path in (folder / "backend").rglob("*") if path.is_file() and "theirs" in str(path)
    }


def test_a_new_site_by_the_tutorials_own_commands(tmp_path: Path) -> None:
    env = environ(tmp_path)
    before = a_foreign_stack(tmp_path, env)
    assert before
    clone = project(tmp_path)
    try:
        assert follow(commands(PAGE, {"test", "e2e"}), clone, env, SECONDS) == []
    finally:
        lab = [str(ROOT / ".venv/bin/python"), "-m", "podwright.lab", "down", "--dir", str(clone / "pod-a/lab")]
        subprocess.run(lab, cwd=clone, env={**os.environ, **env}, check=False, capture_output=True)
    assert contents(tmp_path) == before
