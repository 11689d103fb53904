"""Environments of their own in the cache, for other people's programs that tests ask: nothing of podwright is in them,
and nothing of theirs in podwright's own."""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from podwright.toolchain.errors import SetupError
from podwright.toolchain.keys import environment_key
from podwright.toolchain.process import Failed, run


class Apart:
    """One environment below the cache root, for this interpreter and one lock. Its mark is written last."""

    LABEL: str
    """What it is, for whoever waits for it."""
    SECONDS: int
    """How long that takes."""

    def __init__(self, folder: Path, requirements: Path, environ: Mapping[str, str]) -> None:
        self.folder = folder / environment_key(requirements.read_bytes())
        self._requirements = requirements
        self._environ = {name: value for name, value in environ.items() if not name.startswith("PYTHON")}

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @property
    def _mark(self) -> Path:
        return self.folder / "podwright.installed"

    def whole(self) -> bool:
        """True if it is installed and the interpreter it was made from still exists."""
        return self._mark.exists() and self.python.exists()

    def install(self) -> None:
        """Make it anew. Call with the Python lock held. Raises SetupError."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        wheels = self.folder / "wheels"
        try:
            run([sys.executable, "-m", "venv", self.folder], self._environ)
            run(self.download(self._requirements, wheels, "--only-binary"), self._environ)
            self.unpack(wheels)
            install: list[str | Path] = [self.python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
            run(install + list(wheels.iterdir()), self._environ)
            self.complete()
        except Failed as failure:
            raise SetupError(
                f"the packages of {self._requirements.name} could not be installed:\n{failure.tail()}",
                "point pip at an index that serves PyPI (PIP_INDEX_URL), check the network, and run this again",
            ) from failure
        shutil.rmtree(wheels)
        self._mark.touch()

    def download(self, requirements: Path, place: Path, form: str) -> list[str | Path]:
        """The command that fetches what a lock names, in one form of packages."""
        return [
            self.python, "-m", "pip", "download", "--quiet", "--no-deps", form, ":all:", "--require-hashes",
            "--dest", place, "-r", requirements,
        ]  # fmt: skip

    def unpack(self, wheels: Path) -> None:
        """Take out of the wheels what is not to be installed."""

    def complete(self) -> None:
        """Add what comes after the packages."""
