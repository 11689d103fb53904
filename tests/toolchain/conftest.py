"""A machine of its own for each test: a clone with the real toolchain/, a cache, a PATH."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from podwright.toolchain.binaries import BINARIES

HERE = Path(__file__).parent
REAL = HERE.parents[1] / "toolchain"


def executable(path: Path, source: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{(HERE / source).read_text()}")
    path.chmod(0o755)


@dataclass
class Machine:
    root: Path
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clone, self.cache, self.log = self.root / "clone", self.root / "cache", self.root / "go.log"
        shutil.copytree(REAL, self.clone / "toolchain", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(REAL.parent / "pyproject.toml", self.clone)
        (self.clone / "podwright").mkdir()
        shutil.copy(REAL.parent / "podwright" / "__init__.py", self.clone / "podwright")
        (self.clone / "podwright" / "toolchain").symlink_to("../toolchain")
        for lock in ("requirements.txt", "requirements-check.txt"):
            (self.clone / "toolchain" / lock).write_text("# no packages\n")
        self._modules()
        self.path = self.root / "bin"
        executable(self.path / "go", "fake_go.py")
        self.env = {
            "HOME": str(self.root / "home"),
            "PATH": f"{self.path}:/usr/bin:/bin",
            "PODWRIGHT_CACHE": str(self.cache),
            "FAKE_GO_LOG": str(self.log),
            "FAKE_GO_MODULES": str(self.root / "modules"),
            "FAKE_PULUMI_LOG": str(self.root / "pulumi.log"),
            "PIP_NO_INDEX": "1",
        }

    def _modules(self) -> None:
        for binary in BINARIES:
            for wanted in (*binary.embeds, *binary.companions):
                file = self.root / "modules" / wanted.module / wanted.path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps({"name": "kubernetes"}, indent=4))

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "podwright.toolchain", *words]

    def run(self, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words), cwd=self.clone, env=self.env | extra, text=True, capture_output=True, timeout=300,
            check=False,
        )  # fmt: skip

    def start(self, *words: str, **extra: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            self.command(*words), cwd=self.clone, env=self.env | extra, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def lines(self, word: str) -> list[str]:
        """Packages with a `start` or `end` line in the log, in order."""
        if not self.log.exists():
            return []
        return [line.split()[1] for line in self.log.read_text().splitlines() if line.startswith(word)]

    def place(self, what: str) -> Path:
        return Path(self.run("where", what).stdout.strip())

    def own_pulumi(self, release: str, *, host: bool = True) -> Path:
        """Put a Pulumi of the person's own on PATH; returns its folder."""
        folder = self.root / "opt" / "pulumi"
        executable(folder / "pulumi", "fake_pulumi.py")
        if host:
            executable(folder / "pulumi-language-python", "fake_pulumi.py")
        self.env |= {"PATH": f"{folder}:{self.env['PATH']}", "FAKE_PULUMI_VERSION": release}
        return folder

    def own_plugin(self, name: str, release: str) -> Path:
        """Put a plugin into the person's own plugin cache."""
        file = self.root / "home" / ".pulumi" / "plugins" / f"resource-{name}-v{release}" / f"pulumi-resource-{name}"
        file.parent.mkdir(parents=True)
        file.write_text("own")
        return file


@pytest.fixture(scope="session")
def python_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python environment made once by the real code: making one takes seconds."""
    machine = Machine(tmp_path_factory.mktemp("python"))
    done = machine.run("setup", "python")
    assert done.returncode == 0, done.stderr
    return machine.cache / "python"


@pytest.fixture
def machine(tmp_path: Path, python_cache: Path) -> Machine:
    made = Machine(tmp_path)
    made.cache.mkdir()
    (made.cache / "python").symlink_to(python_cache)
    return made
