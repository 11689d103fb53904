"""Ansible with Cisco's collection, for the tests that compare with it.

Of the `ansible` package only the collection is taken, file by file as it is in the wheel: the rest (210 MB, 21,000
files) belongs to other vendors.
"""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from podwright.toolchain.apart import Apart
from podwright.toolchain.keys import TOOLCHAIN

REQUIREMENTS = TOOLCHAIN / "requirements-ansible.txt"
SOURCES = ("toolchain/requirements-ansible.in",)
COLLECTION = "ansible_collections/cisco/intersight/"


class Ansible(Apart):
    """Its environment below the cache root."""

    LABEL = "Ansible and cisco.intersight"
    SECONDS = 15

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        super().__init__(root / "ansible", REQUIREMENTS, environ)

    @property
    def playbook(self) -> Path:
        """The program `ansible-playbook`."""
        return self.folder / "bin" / "ansible-playbook"

    @property
    def collections(self) -> Path:
        """What ANSIBLE_COLLECTIONS_PATH is to name."""
        return self.folder / "collections"

    def unpack(self, wheels: Path) -> None:
        """The collection; the package that it comes in is not installed."""
        (package,) = wheels.glob("ansible-[0-9]*.whl")
        with zipfile.ZipFile(package) as opened:
            opened.extractall(self.collections, [name for name in opened.namelist() if name.startswith(COLLECTION)])
        package.unlink()
