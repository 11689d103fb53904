"""Where the control plane's programs and the real CRD files are: named in the environment or by the toolchain."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

IMPORTED_FROM = Path(__file__).parents[3]
"""The folder that `podwright` is imported from: the clone, or an environment's packages."""
SETUP = "`podwright setup lab`"
PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")


class MissingError(RuntimeError):
    """A program or a folder of CRDs is not there; the message names it and the way to get it."""


def _where(what: str, variable: str) -> Path:
    named = os.environ.get(variable)
    if named:
        folder = Path(named)
        if not folder.is_dir():
            raise MissingError(f"{variable} names {folder}, which is not a directory")
        return folder
    asked = subprocess.run(
        [sys.executable, "-m", "podwright.toolchain", "where", what],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    folder = Path(asked.stdout.strip() or "/nonexistent")
    if asked.returncode != 0 or not folder.is_dir():
        raise MissingError(f"{what} not found: run {SETUP}, or name the folder in {variable}")
    return folder


def programs() -> dict[str, Path]:
    """Path of each program in PROGRAMS. Raises MissingError naming the first one that is absent."""
    folder = _where("bin", "PODWRIGHT_BIN")
    found = {name: folder / name for name in PROGRAMS}
    for name, path in found.items():
        if not os.access(path, os.X_OK):
            raise MissingError(f"{name} is not in {folder}: run {SETUP}")
    return found


def crd_folder() -> Path:
    """The folder with upstream CRD files. Raises MissingError."""
    return _where("crds", "PODWRIGHT_CRDS")
