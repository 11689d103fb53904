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

# Beside other sites on two processors, the demo took four times as long as alone.
pytestmark = [pytest.mark.rough, pytest.mark.timeout(2000)]


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


def strangers(clone: Path) -> dict[str, str]:
    """A stranger's shell; of this machine only the cache of built programs is shared."""
    return bare(os.environ) | {"HOME": str(clone.parent / "home"), "PODWRIGHT_CACHE": str(cache_root(os.environ))}


def make(clone: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """`make …` as a stranger runs it."""
    return subprocess.run(
        ["make", "--no-print-directory", *words],
        cwd=clone, env=strangers(clone), text=True, capture_output=True, timeout=1800, stdin=subprocess.DEVNULL,
        check=False,
    )  # fmt: skip


def test_the_demo_comes_up_beside_a_stack_of_somebody_else(clone: Path) -> None:
    foreign = clone / ".run" / "state" / ".pulumi" / "stacks" / "podwright" / "prod.json"
    foreign.parent.mkdir(parents=True)
    foreign.write_bytes(b"not for the demo to read")
    done = make(clone, "demo")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert "what came up" in done.stdout
    assert foreign.read_bytes() == b"not for the demo to read"


@pytest.mark.parametrize("ready", [". .venv/bin/activate", 'eval "$(python3 -m toolchain env)"'])
def test_a_shell_made_ready_plans_a_site_in_its_own_backend(ready: str, clone: Path) -> None:
    assert make(clone, "setup").returncode == 0
    text = (clone / "Pulumi.lab.yaml").read_text().splitlines(keepends=True)
    (clone / "Pulumi.own.yaml").write_text("".join(line for line in text if not line.startswith("encryptionsalt")))
    backend = clone.parent / "backend"
    backend.mkdir()
    env = strangers(clone) | {"PULUMI_BACKEND_URL": f"file://{backend}", "PULUMI_CONFIG_PASSPHRASE": "their own"}
    typed = f"{ready}; pulumi stack init own && pulumi preview --stack own --policy-pack policies"
    done = subprocess.run(["sh", "-c", typed], cwd=clone, env=env, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert "to create" in done.stdout
    assert list(backend.rglob("own.json"))
    assert not (clone / ".run" / "state").exists()


def test_production_is_planned(clone: Path) -> None:
    done = make(clone, "preview", "STACK=prod")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
