"""One switch: its configurations, checkpoints, clock and counters. Sessions act on it under the world's lock."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lab.nxos.hardware import Hardware, hardware
from lab.nxos.table import Command
from lab.nxos.tree import Node
from lab.world.model import Switch, World

BIOS = "01.14"
CHECKPOINTS = 10
"""NX-OS keeps at most ten user checkpoints (system management guide)."""


class Clock:
    """The switch's clock, UTC."""

    def __init__(self) -> None:
        self.booted = time.time()

    def stamp(self, when: float | None = None) -> str:
        """A moment as running-config headers show it."""
        return time.strftime("%a %b %e %H:%M:%S %Y", time.gmtime(when))

    def uptime(self) -> tuple[int, int, int, int]:
        """Days, hours, minutes, seconds since boot."""
        minutes, seconds = divmod(int(time.time() - self.booted), 60)
        hours, minutes = divmod(minutes, 60)
        days, hours = divmod(hours, 24)
        return days, hours, minutes, seconds


@dataclass
class Checkpoint:
    """A named copy of the running configuration."""

    root: Node
    user: str
    created: float
    description: str = ""


@dataclass
class Faults:
    """Misbehaviour ordered by POST /fault. `cut_after` counts lines answered before the session dies.

    With `cut_taken` the fatal line is still carried out: only its answer is lost.
    """

    down: bool = False
    cut_after: int | None = None
    cut_taken: bool = False
    delay: float = 0.0
    refuse: dict[str, str] = field(default_factory=dict)
    rollback_fails: bool = False


@dataclass
class Device:
    """State of one switch. `writes` counts configuration lines taken, saves, checkpoints and rollbacks."""

    switch: Switch
    world: World
    root: Node = field(default_factory=lambda: Node(""))
    startup: Node | None = None
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)
    changed: float = field(default_factory=time.time)
    writes: int = 0
    faults: Faults = field(default_factory=Faults)
    users: dict[str, str] = field(default_factory=dict)
    """User name to the SHA-256 of the password."""
    bios: str = BIOS
    peers: dict[str, Device] = field(default_factory=dict)
    """All switches of the lab by their name in the rack, for what one learns from another on the wire."""
    factory: Node = field(default_factory=lambda: Node(""))
    """What a switch without a startup configuration starts with: day-0 management access."""
    booted_with: Node = field(default_factory=lambda: Node(""))
    generation: int = 0
    """Grows with every reload: sessions of an older life are dead."""
    on_reload: Callable[[], object] = lambda: None
    lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.lock = self.world.lock

    @property
    def hardware(self) -> Hardware:
        """What this model is made of."""
        return hardware(self.switch.model)

    @property
    def hostname(self) -> str:
        """The name in the prompt."""
        return self.root.value("hostname", "name", "switch")

    def has_feature(self, name: str | None) -> bool:
        """True when the feature is on; sshd is always. `nv overlay evpn` is switched on by a line without the word."""
        return name is None or f"feature {name}" in self.root.children or (" " in name and name in self.root.children)

    def usable(self, command: Command) -> bool:
        """Whether the command exists on this release, silicon and set of features."""
        if release(self.switch.release) < release(command.since) or self.hardware.family not in command.models:
            return False
        return self.has_feature(command.feature)

    def interface(self, name: str) -> Node | None:
        """The block of an interface; physical ports always have one."""
        return self.root.get(f"interface {name}")

    def interfaces(self, kind: str = "") -> dict[str, Node]:
        """Name to block, for all interfaces whose name starts with `kind`."""
        return {
            node.line.removeprefix("interface "): node
            for node in self.root.begin("interface")
            if node.line.startswith(f"interface {kind}")
        }

    def routed(self, name: str, block: Node) -> bool:
        """True for a layer 3 interface."""
        if not name.startswith(("Ethernet", "port-channel")):
            return True
        return not block.state("switchport", self.root.state("system default switchport", True))

    def admin_up(self, name: str, block: Node) -> bool:
        """True unless shut down by configuration or by default."""
        return not block.state("shutdown", self._shutdown_default(name, block))

    def _shutdown_default(self, name: str, block: Node) -> bool:
        if name.startswith(("loopback", "mgmt", "port-channel")):
            return False
        if name.startswith(("Vlan", "nve")) or self.routed(name, block):
            return True
        return self.root.state("system default switchport shutdown", False)

    def toggle_default(self, command: Command, parent: Node) -> bool:
        """State of a toggle that nobody configured."""
        if command.toggle == "shutdown_default":
            return self._shutdown_default(parent.line.removeprefix("interface "), parent)
        if command.text == "switchport":
            return self.root.state("system default switchport", True)
        return bool(command.toggle)

    def check_password(self, user: str, password: str) -> bool:
        """True for a right user name and password."""
        return self.users.get(user) == digest(password)

    def restore(self, target: Node) -> None:
        """Make `target` the running configuration, in place: sessions and views hold the root."""
        self.root.children = target.copy().children
        self.changed = time.time()

    def reload(self) -> None:
        """Go down and restart; `on_reload` closes the sessions and opens the door again later."""
        self.faults.down = True
        self.boot()
        self.on_reload()

    def boot(self) -> None:
        """Start from the startup configuration; running changes that were not saved are gone."""
        self.restore(self.startup or self.factory)
        self.booted_with = self.root.copy()
        self.clock = Clock()
        self.generation += 1

    def touched(self) -> None:
        """A configuration line was taken."""
        self.writes += 1
        self.changed = time.time()


def digest(password: str) -> str:
    """What is kept of a password."""
    return hashlib.sha256(password.encode()).hexdigest()


def release(text: str) -> tuple[int, ...]:
    """A release as a tuple that compares: "10.5(1)F" is (10, 5, 1)."""
    numbers = "".join(c if c.isdigit() else " " for c in text).split()
    return tuple(int(n) for n in numbers[:3])
