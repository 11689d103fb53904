"""`make demo` and `make preview` from a copy of the tree in a stranger's shell."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from podwright.toolchain.bare import bare
from podwright.toolchain.keys import cache_root
from tests.e2e.site import ROOT

pytestmark = pytest.mark.rough


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Path]:
    """The tracked files as they are now, in a folder where nothing was ever run; its lab is ended."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, text=True, capture_output=True, check=True,
    )  # fmt: skip
    folder = tmp_path / "clone"
    for name in listed.stdout.splitlines():
        if os.path.lexists(ROOT / name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    yield folder
    make(folder, "lab", "VERB=down")


def make(clone: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """`make …` as a stranger runs it; of this machine only the cache of built programs is shared."""
    env = bare(os.environ) | {"HOME": str(clone.parent / "home"), "PODWRIGHT_CACHE": str(cache_root(os.environ))}
    return subprocess.run(
        ["make", "--no-print-directory", *words],
        cwd=clone, env=env, text=True, capture_output=True, timeout=580, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip


def test_the_demo_comes_up(clone: Path) -> None:
    done = make(clone, "demo")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert "what came up" in done.stdout


def test_production_is_planned(clone: Path) -> None:
    done = make(clone, "preview", "STACK=prod")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
