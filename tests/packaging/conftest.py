"""A wheel as a person builds it, and an environment in which it alone is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

import podwright
from tests.test_sizes import ROOT

NEXT = "99.0.0"
PACKAGES = Path(yaml.__file__).parents[1]
"""Where the locked packages are: an installed podwright shares them, so that no index is asked and no time is lost."""


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel, and an empty working directory and HOME beside it."""

    environment: Path
    work: Path

    @property
    def scripts(self) -> Path:
        return self.environment / "bin"

    @property
    def site_packages(self) -> Path:
        return next((self.environment / "lib").glob("python3*/site-packages"))

    def environ(self, **more: str) -> dict[str, str]:
        path = os.pathsep.join([str(self.scripts), "/usr/bin", "/bin"])
        return {"HOME": str(self.work / "home"), "PATH": path, "LANG": "C.UTF-8", **more}

    def run(self, *words: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*map(str, words)], cwd=self.work, env=self.environ(**more), capture_output=True, text=True, check=False,
            timeout=120,
        )  # fmt: skip


def quietly(*words: str | Path) -> None:
    done = subprocess.run([*map(str, words)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by pip from the source tree."""
    return built(ROOT, tmp_path_factory.mktemp("wheel"))


def built(source: Path, folder: Path) -> Path:
    """The wheel of a source tree."""
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", folder)
    quietly(sys.executable, "-m", "pip", "wheel", *options, source)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def next_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same tree as a later version."""
    return later(tmp_path_factory.mktemp("next"))


def later(folder: Path) -> Path:
    """The wheel of this tree under a later version, built in a folder."""
    source = folder / "source"
    shutil.copytree(ROOT / "podwright", source / "podwright", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tools/wheel", source / "tools/wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for file in ("podwright/__init__.py", "tools/wheel/PulumiPolicy.yaml"):
        path = source / file
        path.write_text(path.read_text().replace(podwright.__version__, NEXT))
    return built(source, folder)


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel installed by pip; the locked packages are reached by a .pth."""
    return environment(wheel, tmp_path_factory.mktemp("installed"))


def install(wheel: Path, made: Installed) -> None:
    """As `pip install --upgrade` does; packages that it needs are there."""
    options = ("--no-deps", "--no-index", "--no-compile", "--quiet", "--upgrade")
    quietly(sys.executable, "-m", "pip", "--python", made.scripts / "python", "install", *options, wheel)


def environment(wheel: Path, folder: Path) -> Installed:
    """A new environment in a folder, with the wheel."""
    made = empty(folder)
    install(wheel, made)
    return made


def empty(folder: Path) -> Installed:
    """A new environment in a folder: what podwright needs is there, podwright is not."""
    made = Installed(folder / "environment", folder / "work")
    quietly(sys.executable, "-m", "venv", "--without-pip", made.environment)
    (made.site_packages / "locked.pth").write_text(f"import site; site.addsitedir({str(PACKAGES)!r})\n")
    (made.work / "home").mkdir(parents=True)
    return made
