"""What an installation must remember between attempts, because nothing else can: the administrator's kubeconfig.

The installer makes the cluster's certificates before any host boots. If this process dies while hosts install
themselves, the next attempt needs that kubeconfig to know its own cluster again; the engine has no state yet that could
hold it. It lies in ``$PODWRIGHT_STATE`` (else ``$XDG_STATE_HOME/podwright``, else ``~/.local/state/podwright``), below
the stack's name, readable by its owner alone, and goes away once the engine is seen to hold the kubeconfig itself.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VARIABLE = "PODWRIGHT_STATE"


def root(environ: Mapping[str, str]) -> Path:
    """Where installations are remembered."""
    if named := environ.get(VARIABLE):
        return Path(named).expanduser()
    base = environ.get("XDG_STATE_HOME") or str(Path(environ.get("HOME") or "~").expanduser() / ".local" / "state")
    return Path(base) / "podwright"


class Memory:
    """One installation's folder: ``<root>/<project>/<stack>/install-<cluster>``, mode 0700."""

    def __init__(self, environ: Mapping[str, str], identity: str, cluster: str) -> None:
        self.folder = root(environ) / identity / f"install-{cluster}"

    @property
    def kubeconfig(self) -> str | None:
        """The administrator's kubeconfig as the installer wrote it, None before there was one."""
        path = self.folder / "kubeconfig"
        return path.read_text(encoding="utf-8") if path.is_file() else None

    @property
    def facts(self) -> dict[str, Any]:
        """``{"digest": of the two files, "image": file name, "booted": [host names], "installed": bool}``."""
        path = self.folder / "facts.json"
        if not path.is_file():
            return {}
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return facts

    def remember(self, facts: Mapping[str, Any], kubeconfig: str | None = None) -> None:
        """Write down; what was written before this call stays whole if the process dies in it."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if kubeconfig is not None:
            self._write("kubeconfig", kubeconfig)
        self._write("facts.json", json.dumps(dict(facts), sort_keys=True))

    def workplace(self) -> Path:
        """A fresh private folder for one run of the installer; those that killed runs left are removed."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for left in self.folder.glob("work-*"):
            shutil.rmtree(left, ignore_errors=True)
        return Path(tempfile.mkdtemp(prefix="work-", dir=self.folder))

    def forget(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _write(self, name: str, text: str) -> None:
        handle, draft = tempfile.mkstemp(prefix=f".{name}-", dir=self.folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).replace(self.folder / name)
