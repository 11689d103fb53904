"""One switch: its configurations, checkpoints, clock and counters. Sessions act on it under the world's lock."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from podwright.lab.nxos.clock import Clock
from podwright.lab.nxos.handlers import Commands
from podwright.lab.nxos.hardware import Hardware, hardware
from podwright.lab.nxos.passwords import verified
from podwright.lab.nxos.table import Command
from podwright.lab.nxos.tree import Node, interface_rank
from podwright.lab.world.model import Switch, World

BIOS = "01.14"
MAINTENANCE = "system mode maintenance"
"""The line that stands in the configuration while the switch is in maintenance mode."""
ACCOUNTED = 2000
"""Lines of the accounting log that are kept; the device counts 250,000 bytes."""
CHECKPOINTS = 10
"""NX-OS keeps at most ten user checkpoints (system management guide)."""


@dataclass
class Checkpoint:
    """A named copy of the running configuration."""

    root: Node
    user: str
    created: float
    description: str = ""


@dataclass
class Record:
    """The last rollback or configure replace, for its `show … log`."""

    operation: str
    target: str
    user: str
    started: float
    patch: list[str]
    failed: str = ""


@dataclass
class Replacing:
    """A `configure replace` that waits for its commit: without one `before` comes back at `deadline`."""

    before: Node
    deadline: float


@dataclass
class ScheduleEntry:
    """What is known of one schedule beside its configuration. `due` is None when it will not run (again)."""

    due: float | None
    every: float | None = None
    last: float | None = None
    count: int = 0
    results: dict[str, str] = field(default_factory=dict)


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
    reload_after: int | None = None
    """Lines answered before the box reloads in place of the next one."""
    deny: list[str] = field(default_factory=list)
    """Beginnings of lines that the AAA server does not authorise."""
    deny_after: int = 0
    """Configuration lines that are still authorised before `deny` counts."""


@dataclass
class Device:
    """State of one switch. `writes` counts configuration lines taken, saves, checkpoints and rollbacks."""

    switch: Switch
    world: World
    commands: Commands
    root: Node = field(default_factory=lambda: Node(""))
    startup: Node | None = None
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)
    changed: float = field(default_factory=time.time)
    writes: int = 0
    faults: Faults = field(default_factory=Faults)
    bios: str = BIOS
    peers: dict[str, Device] = field(default_factory=dict)
    """All switches of the lab by their name in the rack, for what one learns from another on the wire."""
    factory: Node = field(default_factory=lambda: Node(""))
    """What a switch without a startup configuration starts with: day-0 management access."""
    booted_with: Node = field(default_factory=lambda: Node(""))
    generation: int = 0
    """Grows with every reload: sessions of an older life are dead."""
    on_reload: Callable[[], object] = lambda: None
    typist: str = "admin"
    """Who typed the line that is being taken."""
    epoch: int = 0
    """Grows when the configuration is replaced as a whole: blocks that sessions stand in are others now."""
    timetable: dict[str, ScheduleEntry] = field(default_factory=dict)
    """What is known of each schedule, by the line that opens it."""
    scheduler_log: list[str] = field(default_factory=list)
    accounting: deque[str] = field(default_factory=lambda: deque(maxlen=ACCOUNTED))
    """Who typed what: the newest lines of the accounting log."""
    log: list[str] = field(default_factory=list)
    links_seen: dict[str, str] = field(default_factory=dict)
    """Port to its status when the log was last read: links are noticed then."""
    files: dict[str, str] = field(default_factory=dict)
    """The boot flash: "bootflash:name" to text. It outlives a reload."""
    files_written: dict[str, float] = field(default_factory=dict)
    """The same names to the moment of the last write."""
    replacing: Replacing | None = None
    rollbacks: Record | None = None
    replaces: Record | None = None
    on_tick: list[Callable[[Device], None]] = field(default_factory=list)
    _ticking: bool = False
    lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.lock = self.world.lock
        layer, admin = self.world.variants["ports"].split("-")
        self._ships_layer2, self._ships_shut = layer == "layer2", admin == "shut"

    def form(self, variant: str) -> str:
        """The form of a variant that this lab takes (lab/variants.py)."""
        return self.world.variants[variant]

    @property
    def hardware(self) -> Hardware:
        """What this model is made of."""
        return hardware(self.switch.model)

    @property
    def hostname(self) -> str:
        """The name in the prompt."""
        return self.root.value("hostname", "name", "switch")

    def has_feature(self, name: str | None) -> bool:
        """True when the feature is on. `nv overlay evpn` is switched on by a line without the word."""
        return name is None or f"feature {name}" in self.root.children or (" " in name and name in self.root.children)

    def usable(self, command: Command) -> bool:
        """Whether the command exists on this release, silicon and set of features."""
        switch = self.switch
        return _knows(switch.release, switch.model, command.since, command.models) and self.has_feature(command.feature)

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
        if not name.startswith(("Ethernet", "port-channel")) or "." in name:
            return True
        return not block.state("switchport", self.layer2_by_default)

    def admin_up(self, name: str, block: Node) -> bool:
        """True unless shut down by configuration, by default, or by a vPC domain that is shut down."""
        return not self._vpc_down(name) and not block.state("shutdown", self._shutdown_default(name, block))

    def members(self, bundle: str) -> list[str]:
        """Ports whose channel-group is this port-channel."""
        number, ports = bundle.removeprefix("port-channel"), self.interfaces("Ethernet").items()
        return sorted((n for n, b in ports if b.value("channel-group", "group") == number), key=interface_rank)

    @property
    def in_maintenance(self) -> bool:
        """True in maintenance mode."""
        return self.root.get(MAINTENANCE) is not None

    def _vpc_down(self, name: str) -> bool:
        """True for ports that the shut vPC domain holds down: the vPCs and their members; the peer-link stays."""
        if not self.has_feature("vpc") or not name.startswith(("Ethernet", "port-channel")):
            return False
        domain = next(self.root.begin("vpc domain"), None)
        if domain is None or not domain.state("shutdown", False):
            return False
        bundles = [n for n, block in self.interfaces("port-channel").items() if block.value("vpc", "vpc")]
        return name in bundles or any(name in self.members(bundle) for bundle in bundles)

    def _shutdown_default(self, name: str, block: Node) -> bool:
        if name.startswith(("loopback", "mgmt", "port-channel")):
            return False
        if name.startswith(("Vlan", "nve")) or self.routed(name, block):
            return True
        return self.root.state("system default switchport shutdown", self._ships_shut)

    @property
    def layer2_by_default(self) -> bool:
        """What ports and port-channels are that do not say it."""
        return self.root.state("system default switchport", self._ships_layer2)

    def toggle_default(self, command: Command, parent: Node) -> bool:
        """State of a toggle that nobody configured."""
        if command.toggle == "shutdown_default":
            return self._shutdown_default(parent.line.removeprefix("interface "), parent)
        if command.toggle == "layer2_default":
            return self._ships_layer2
        if command.toggle == "shut_default":
            return self._ships_shut
        if command.text == "switchport":
            return self.layer2_by_default
        return bool(command.toggle)

    def check_password(self, user: str, password: str) -> bool:
        """True for a right user name and password."""
        node = self.root.get(f"username {user}")
        return node is not None and verified(node.line.split(" password 5 ")[1].split()[0], password)

    def restore(self, target: Node) -> None:
        """Make `target` the running configuration, in place: sessions and views hold the root."""
        self.root.children = target.copy().children
        self.epoch += 1
        self.changed = self.clock.now()

    def reload(self) -> None:
        """Go down and restart; `on_reload` closes the sessions and opens the door again later."""
        self.faults.down = True
        self.boot()
        self.on_reload()

    def boot(self) -> None:
        """Start from the startup configuration; running changes that were not saved are gone."""
        self.restore(self.startup or self.factory)
        self.booted_with = self.root.copy()
        self.clock = Clock(self.clock.offset)
        self.replacing = None
        self.timetable.clear()
        self.generation += 1

    def tick(self) -> None:
        """Let time do its work: jobs that are due, timers that ran out. Under the world's lock."""
        if self.faults.down or self._ticking:
            return
        self._ticking = True
        try:
            for work in self.on_tick:
                work(self)
        finally:
            self._ticking = False

    def note(self, kind: str, text: str) -> None:
        """Write one line to the log file: time, name, facility-severity-mnemonic, text."""
        moment = time.strftime("%Y %b %e %H:%M:%S", time.gmtime(self.clock.now()))
        self.log.append(f"{moment} {self.hostname} %{kind}: {text}")

    def touched(self) -> None:
        """A configuration line was taken."""
        self.writes += 1
        self.changed = self.clock.now()


def digest(password: str) -> str:
    """What is kept of a password."""
    return hashlib.sha256(password.encode()).hexdigest()


@cache
def _knows(own: str, model: str, since: str, models: tuple[str, ...]) -> bool:
    """Whether a row of some release and silicon exists on a switch of this release and model."""
    return release(own) >= release(since) and hardware(model).family in models


@cache
def release(text: str) -> tuple[int, ...]:
    """A release as a tuple that compares: "10.5(1)F" is (10, 5, 1)."""
    numbers = "".join(c if c.isdigit() else " " for c in text).split()
    return tuple(int(n) for n in numbers[:3])
