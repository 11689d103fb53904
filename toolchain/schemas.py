"""Schemas of Kubernetes objects that others publish, and what reads them: `kubernetes-validate`, and the dump of a live
OpenShift cluster out of the source distribution that the lab's definitions come from too."""

import shutil
import tarfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

from podwright.toolchain.apart import Apart
from podwright.toolchain.crds import DUMP_REQUIREMENTS, TABLE
from podwright.toolchain.keys import TOOLCHAIN
from podwright.toolchain.process import run

REQUIREMENTS = TOOLCHAIN / "requirements-schemas.txt"
SOURCES = ("toolchain/requirements-schemas.in",)


class Schemas(Apart):
    """Their environment below the cache root."""

    LABEL = "schemas of Kubernetes and OpenShift objects"
    SECONDS = 30

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        super().__init__(root / "schemas", REQUIREMENTS, environ)

    @property
    def dump(self) -> Path:
        """The dump: kinds in small letters → their schemas, as JSON under gzip."""
        return self.folder / "openshift.json.gz"

    def complete(self) -> None:
        """The dump, as it is in its archive."""
        place = self.folder / "dump"
        run([*self.download(DUMP_REQUIREMENTS, place, "--no-binary"), "--no-build-isolation"], self._environ)
        (archive,) = place.glob("*.tar.gz")
        wanted = tomllib.loads(TABLE.read_text())["dump"]["mappings"]
        with tarfile.open(archive) as opened:
            (member,) = (each for each in opened.getmembers() if each.name.endswith(wanted))
            found = opened.extractfile(member)
            assert found is not None, "a pinned archive has what it had"
            self.dump.write_bytes(found.read())
        shutil.rmtree(place)
