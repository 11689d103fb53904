"""The administrator's tutorial by its own commands, for a person who installed the wheel and nothing else.

A new site, up on a lab made from its file, changed, upgraded to the next wheel, removed. In a clone, `make demo` has a
test of its own (test_demo.py), and tests/docs types the tutorial's offline commands there.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from podwright.toolchain.bare import bare
from podwright.toolchain.keys import cache_root
from tests.docs.commands import commands, follow
from tests.e2e.site import ROOT
from tests.packaging.conftest import NEXT, Installed, built, empty, later

pytestmark = [pytest.mark.rough, pytest.mark.timeout(1800)]

TUTORIAL = ROOT / "docs/tutorials/administrator.md"
UPGRADE = ROOT / "docs/how-to/upgrade.md"
KINDS = {"test", "wheel", "e2e"}
REMOVES = "podwright destroy"
SECONDS = 1500
FOREIGN = """name: theirs
runtime: yaml
"""


def a_foreign_stack(installed: Installed) -> dict[Path, bytes]:
    """A stack of somebody else in the folder that the tutorial takes for its backend: its files and their content."""
    theirs = installed.work.parent / "theirs"
    theirs.mkdir()
    (theirs / "Pulumi.yaml").write_text(FOREIGN)
    backend = installed.work / "home/pulumi-state"
    backend.mkdir()
    env = bare(os.environ) | {
        "PULUMI_BACKEND_URL": f"file://{backend}", "PULUMI_CONFIG_PASSPHRASE": "theirs",
        "PODWRIGHT_CACHE": str(cache_root(os.environ)), "HOME": str(theirs),
    }  # fmt: skip
    words = [str(ROOT / ".venv/bin/pulumi"), "stack", "init", "theirs", "--non-interactive"]
    subprocess.run(words, cwd=theirs, env=env, check=True)
    return contents(installed)


def contents(installed: Installed) -> dict[Path, bytes]:
    """Files of the foreign stack."""
    files = (installed.work / "home/pulumi-state").rglob("*")
    return {path: path.read_bytes() for path in files if path.is_file() and "theirs" in str(path)}


def test_a_new_site_from_the_wheel_by_the_tutorials_own_commands(tmp_path: Path) -> None:
    installed = empty(tmp_path)
    (tmp_path / "wheel").mkdir()
    (tmp_path / "next").mkdir()
    (installed.work / "next").mkdir()
    shutil.copy(built(ROOT, tmp_path / "wheel"), installed.work)
    shutil.copy(later(tmp_path / "next"), installed.work / "next")
    before = a_foreign_stack(installed)
    assert before
    # What pip needs is in the environment; the folder of built programs is given, so that they are not built anew.
    env = installed.environ(PODWRIGHT_CACHE=str(cache_root(os.environ)), PIP_NO_INDEX="1")
    steps = commands(TUTORIAL, KINDS)
    removal = next(number for number, step in enumerate(steps) if step.typed.startswith(REMOVES))
    try:
        live = [*steps[:removal], *commands(UPGRADE, KINDS), *steps[removal:]]
        assert follow(live, installed.work, env, SECONDS) == []
    finally:
        installed.run("python", "-m", "podwright.lab", "down", "--dir", installed.work / "pod-a/lab")
    assert installed.run("python", "-c", "import podwright; print(podwright.__version__)").stdout == f"{NEXT}\n"
    assert contents(installed) == before
