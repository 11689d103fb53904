"""The plug-in contract of the daemon: how a side is started, what it is given, what it gives back."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Protocol

from podwright.lab.pki import Authority, password, write_private
from podwright.lab.world.model import World

SIDES: tuple[tuple[str, str], ...] = (
    ("nxos", "podwright.lab.nxos.side"),
    ("intersight", "podwright.lab.intersight.side"),
    ("redfish", "podwright.lab.redfish.side"),
    ("openshift", "podwright.lab.openshift.side"),
)  # fmt: skip
"""(side, module with `start`) in start order: nxos, intersight, redfish, openshift. A side adds its own line."""


class Side(Protocol):
    """A running part of the lab. `forward` goes into reach.json; `tools` too, when a side brings binaries."""

    forward: dict[str, str]
    """Site address "host:port" to loopback "host:port"."""

    @property
    def writes(self) -> int:
        """Configuration-changing requests taken since start."""
        ...

    def stop(self) -> None:
        """End listeners, threads and child processes of this side."""
        ...


@dataclass
class LabContext:
    """What a side may use. Everything it writes lies under `dir`.

    `known_hosts` lines and `tools` (name to absolute path) are collected for reach.json; `children` are
    process ids that `down` must also end if the daemon was killed.
    """

    dir: Path
    secrets: Path
    ca: Authority
    logs: Path
    log: logging.Logger = field(default_factory=lambda: logging.getLogger("lab"))
    known_hosts: list[str] = field(default_factory=list)
    tools: dict[str, str] = field(default_factory=dict)

    def free_port(self) -> int:
        """A loopback TCP port that was free a moment ago."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])

    def secret(self, name: str, make: Callable[[], str] = password) -> str:
        """The secret called `name`, made on first use and written to the secrets directory (mode 0600)."""
        path = self.secrets / name
        if not path.exists():
            write_private(path, make().encode())
        return path.read_text(encoding="utf-8")

    def child(self, pid: int, what: str) -> None:
        """Note a child process so that `python -m podwright.lab down` can end it by id."""
        with (self.dir / "children").open("a", encoding="utf-8") as note:
            note.write(f"{pid} {what}\n")


def start_side(module: str, world: World, context: LabContext) -> Side:
    """Import one side's module and start it. Errors of the side pass through."""
    side: Side = import_module(module).start(world, context)
    return side
