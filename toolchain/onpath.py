"""The lab's programs that a person has already, in $KUBEBUILDER_ASSETS or on PATH: used where their release fits.

What fits is the pinned minor release. A program is started once to tell its release; the answer is kept per file.
"""

import json
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from podwright.toolchain.binaries import CONTROL_PLANE, Binary
from podwright.toolchain.engine import foreign_folders, write_record
from podwright.toolchain.keys import cache_root, digest, pins_key
from podwright.toolchain.process import Failed, run

ASSETS = "KUBEBUILDER_ASSETS"
_KUBERNETES = (1, 36)
FITTING = {
    "kube-apiserver": _KUBERNETES, "kube-controller-manager": _KUBERNETES, "kube-scheduler": _KUBERNETES,
    "kubectl": _KUBERNETES, "etcd": (3, 6), "kwok": (0, 8),
}  # fmt: skip
"""Minor release of each: what the lab was tried with."""
_ASKED_BY = {"kubectl": ("version", "--client")}


@dataclass(frozen=True)
class Programs:
    """Fitting programs by name, and what tells this set from another ("" for none)."""

    files: dict[str, Path] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """Changes when a program is another file, or the same one changed."""
        return digest(*(f"{name} {_stamp(file)}" for name, file in sorted(self.files.items()))) if self.files else ""

    def without(self, wanted: tuple[Binary, ...]) -> tuple[Binary, ...]:
        """What of `wanted` is not among them."""
        return tuple(binary for binary in wanted if binary.name not in self.files)


def look(environ: Mapping[str, str], *, probe: bool) -> Programs:
    """Programs that fit. Without `probe` nothing is started: one never asked before is none."""
    folders = foreign_folders(environ)
    assets = environ.get(ASSETS)
    path = os.pathsep.join([assets, *folders] if assets else folders)
    found = {b.name: Path(file).resolve() for b in CONTROL_PLANE if (file := shutil.which(b.name, path=path))}
    return Programs({name: file for name, file in found.items() if _fits(name, file, environ, probe=probe)})


def _fits(name: str, file: Path, environ: Mapping[str, str], *, probe: bool) -> bool:
    record = cache_root(environ) / "found" / f"{digest(name, _stamp(file), pins_key())}.json"
    try:
        return bool(json.loads(record.read_text())["fit"])
    except (OSError, ValueError, KeyError, TypeError):
        if not probe:
            return False
    fit = _release(name, file, environ) == FITTING[name]
    # A cache that takes no file is reported by the step that needs it, in words.
    with suppress(OSError):
        write_record(record, {"program": str(file), "fit": fit})
    return fit


def _release(name: str, file: Path, environ: Mapping[str, str]) -> tuple[int, int] | None:
    try:
        printed = run([file, *_ASKED_BY.get(name, ("--version",))], environ)
    except (OSError, Failed):
        return None
    match = re.search(r"\bv?(\d+)\.(\d+)\.\d+", printed)
    return (int(match[1]), int(match[2])) if match else None


def _stamp(file: Path) -> str:
    status = file.stat()
    return f"{file} {status.st_mtime_ns} {status.st_size}"
