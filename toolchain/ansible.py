"""Ansible with Cisco's collection, for the tests that compare with it: an environment of its own in the cache.

Nothing of podwright is in it, and nothing of it in podwright's own environment. Of the `ansible` package only the
collection is taken, file by file as it is in the wheel: the rest (210 MB, 21,000 files) belongs to other vendors.
"""

import shutil
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

from podwright.toolchain.errors import SetupError
from podwright.toolchain.keys import TOOLCHAIN, environment_key
from podwright.toolchain.process import Failed, run

REQUIREMENTS = TOOLCHAIN / "requirements-ansible.txt"
SOURCES = ("toolchain/requirements-ansible.in",)
COLLECTION = "ansible_collections/cisco/intersight/"
LABEL = "Ansible and cisco.intersight"
SECONDS = 15


class Ansible:
    """The environment below the cache root, for this interpreter and this lock. Its mark is written last."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self.folder = root / "ansible" / environment_key(REQUIREMENTS.read_bytes())
        self._environ = {name: value for name, value in environ.items() if not name.startswith("PYTHON")}

    @property
    def playbook(self) -> Path:
        """The program `ansible-playbook`."""
        return self.folder / "bin" / "ansible-playbook"

    @property
    def collections(self) -> Path:
        """What ANSIBLE_COLLECTIONS_PATH is to name."""
        return self.folder / "collections"

    @property
    def _mark(self) -> Path:
        return self.folder / "podwright.installed"

    def whole(self) -> bool:
        """True if it is installed and the interpreter it was made from still exists."""
        return self._mark.exists() and (self.folder / "bin" / "python").exists()

    def install(self) -> None:
        """Make it anew. Call with the Python lock held."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        python, wheels = self.folder / "bin" / "python", self.folder / "wheels"
        try:
            run([sys.executable, "-m", "venv", self.folder], self._environ)
            download: list[str | Path] = [
                python, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                "--require-hashes", "--dest", wheels, "-r", REQUIREMENTS,
            ]  # fmt: skip
            run(download, self._environ)
            (package,) = wheels.glob("ansible-[0-9]*.whl")
            _collection(package, self.collections)
            package.unlink()
            install: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
            install += wheels.iterdir()
            run(install, self._environ)
        except Failed as failure:
            raise SetupError(
                f"the packages of {REQUIREMENTS.name} could not be installed:\n{failure.tail()}",
                "point pip at an index that serves PyPI (PIP_INDEX_URL), check the network, and run this again",
            ) from failure
        shutil.rmtree(wheels)
        self._mark.touch()


def _collection(package: Path, place: Path) -> None:
    with zipfile.ZipFile(package) as opened:
        opened.extractall(place, [name for name in opened.namelist() if name.startswith(COLLECTION)])
