"""A wheel as a person builds it, and an environment in which it alone is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.test_sizes import ROOT

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
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", folder)
    quietly(sys.executable, "-m", "pip", "wheel", *options, ".")
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel installed by pip; the locked packages are reached by a .pth."""
    folder = tmp_path_factory.mktemp("installed")
    made = Installed(folder / "environment", folder / "work")
    quietly(sys.executable, "-m", "venv", "--without-pip", made.environment)
    python = made.scripts / "python"
    options = ("--no-deps", "--no-index", "--no-compile", "--quiet")
    quietly(sys.executable, "-m", "pip", "--python", python, "install", *options, wheel)
    (made.site_packages / "locked.pth").write_text(f"import site; site.addsitedir({str(PACKAGES)!r})\n")
    (made.work / "home").mkdir(parents=True)
    return made
