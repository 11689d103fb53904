"""The Python environment: locked with hashes, in the cache; the clone's `.venv` lies over it (overlay.py).

Two sets in one environment: `check` (what reads and judges a stack file, seconds) and `full`.
A set counts as installed when its mark is there; the mark is written last.
"""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from podwright.toolchain.errors import SetupError
from podwright.toolchain.keys import CHECK_REQUIREMENTS, INSTALLED, REQUIREMENTS, python_key
from podwright.toolchain.process import Failed, run

# On all cores, rather than by pip one by one, or by each first start of the program. The result is
# not judged: some packages ship files (templates, tests) that are not valid Python on purpose.
_COMPILE = "import compileall, sysconfig; compileall.compile_dir(sysconfig.get_path('purelib'), quiet=2, workers=0)"

LOCKS = {"check": CHECK_REQUIREMENTS, "full": REQUIREMENTS}
_FOREIGN = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
SECONDS = {"check": 15, "full": 140}


class PythonEnvironment:
    """One environment below the cache root, for this interpreter and these locks; an installed package's is its own."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self.folder = Path(sys.prefix) if INSTALLED else root / "python" / python_key()
        self.environ = {name: value for name, value in environ.items() if name not in _FOREIGN}

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    def _mark(self, level: str) -> Path:
        return self.folder / f"podwright-{level}.installed"

    def has(self, level: str) -> bool:
        """True if the set is installed and the interpreter it was made from still exists."""
        return INSTALLED or (self._mark(level).exists() and self.python.exists())

    def install(self, level: str) -> None:
        """Install one set. Call with the Python lock held."""
        self._create()
        lock = LOCKS[level]
        try:
            self._pip(lock, isolated=level == "check")
        except Failed as failure:
            raise SetupError(
                f"the packages of {lock.name} could not be installed:\n{failure.tail()}",
                "point pip at an index that serves PyPI (PIP_INDEX_URL), check the network, and run this again",
            ) from failure
        run([self.python, "-c", _COMPILE], self.environ)
        self._mark(level).touch()

    def _pip(self, lock: Path, *, isolated: bool) -> None:
        # What has only a source distribution is built by the pinned packages of the small set.
        build: list[str | Path] = [] if isolated else ["--no-build-isolation"]
        checked: list[str | Path] = ["--require-hashes", "--no-deps", "--no-compile", *build, "-r", lock]
        run([self.python, "-m", "pip", "install", "--quiet", *checked], self.environ)

    def _create(self) -> None:
        if self.has("check") or self.has("full"):
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            run([sys.executable, "-m", "venv", self.folder], self.environ)
        except Failed as failure:
            raise SetupError(
                f"{sys.executable} cannot make a virtual environment:\n{failure.tail(4)}",
                "install its venv module (Debian, Ubuntu: apt-get install python3-venv), or use another Python",
            ) from failure
