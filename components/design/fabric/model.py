"""What the fabric's plan holds: plain frozen data, complete before any switch is dialled."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import Literal

Role = Literal["leaf", "spine", "frontend-leaf", "storage-leaf"]
LinkRole = Literal["fabric", "host", "peer", "uplink"]
Config = dict[str, str]
"""Top-level line in running-config spelling -> its child lines, one a line, nested ones indented by two spaces."""


RELOADS = ("hardware access-list tcam region ", "hardware profile dlb")
"""Commands whose effect waits for `copy running-config startup-config` and a reload (Nexus 9000 security and unicast
routing guides)."""


@dataclass(frozen=True)
class Link:
    """One cable. The first end is the switch nearer the hosts (or, for a host, the switch)."""

    device: str
    port: str
    peer: str
    peer_port: str
    """A switch port, or the NIC's name (`rail3`) at a server."""
    role: LinkRole
    gbps: int


@dataclass(frozen=True)
class End:
    """What a switch port faces."""

    device: str
    port: str
    role: LinkRole


@dataclass(frozen=True)
class Rail:
    """One rail of one leaf group: the subnet all its servers' NICs of that number share."""

    group: int
    rail: int
    leaf: str
    vlan: int
    subnet: IPv4Network
    gateway: IPv4Address
    """The leaf's address in the subnet; the way to the same rail of other groups."""


@dataclass(frozen=True)
class HostPort:
    """Where one server NIC is cabled, and the address of its own."""

    leaf: str
    port: str
    address: IPv4Address
    gateway: IPv4Address
    """The leaf's address beside it: the rail's, or that of the port itself where it is routed."""
    gbps: int
    """What the link runs at."""


@dataclass(frozen=True)
class Uplink:
    """One leaf-spine link with the addresses of its /31, which an underlay between interfaces leaves unused."""

    leaf: str
    leaf_port: str
    leaf_address: IPv4Address
    spine: str
    spine_port: str
    spine_address: IPv4Address
    gbps: int


_BREAKOUT = re.compile(r"^(interface breakout module 1 port) (\d+) (map \S+)$")


_PRIORITY = re.compile(r"^(spanning-tree vlan) (\d+) (priority \d+)$")


def _as_displayed(config: Config) -> Config:
    """A running-config has one line for all ports that break out into the same, and for all VLANs of one spanning-tree
    priority, where we have one for each."""
    numbers: dict[tuple[str, str], list[int]] = {}
    for line in config:
        if found := _BREAKOUT.match(line) or _PRIORITY.match(line):
            numbers.setdefault((found[1], found[3]), []).append(int(found[2]))
    displayed: Config = {}
    for line, children in config.items():
        found = _BREAKOUT.match(line) or _PRIORITY.match(line)
        displayed[f"{found[1]} {ranges(numbers[found[1], found[3]])} {found[3]}" if found else line] = children
    return displayed


def ranges(numbers: Iterable[int]) -> str:
    """Numbers as the box prints them: ascending, neighbours joined: 10,20-22."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


@dataclass(frozen=True)
class SwitchPlan:
    """One switch, as it will be."""

    hostname: str
    role: Role
    model: str
    management: IPv4Address
    rack: str
    serial: str | None
    adopt: bool
    config: Config
    links: Mapping[str, End]
    """What each cabled port faces, by port."""
    lossless: Mapping[str, int] | None
    """dscp, priority, cnp_dscp and mtu of the lossless class, watchdog timers and headroom (bytes) by command, ECN
    maximums (kbytes) by `ecn <speed>`; None for switches outside it."""

    @property
    def reload(self) -> tuple[str, ...]:
        """Top-level lines that take effect with the switch's next reload only."""
        return tuple(line for line in self.config if line.startswith(RELOADS))

    def text(self) -> str:
        """The configuration as a running-config prints it, blocks in the order they are applied."""
        blocks = []
        for line, children in _as_displayed(self.config).items():
            indented = "".join(f"\n  {child}" for child in children.splitlines())
            blocks.append(line + indented)
        return "\n".join(blocks) + "\n"


@dataclass(frozen=True)
class Exit:
    """A routed link of a vPC peer, and the networks behind it."""

    link: Link
    networks: tuple[str, ...]
    other: str
    """The other peer of the pair."""
    backup: bool
    """The two peers have a routed path between them: either reaches what the other does."""
    peer_link: frozenset[Link] = frozenset()
    """The cables that path runs over."""


@dataclass(frozen=True)
class FabricPlan:
    """The whole network of one stack."""

    switches: tuple[SwitchPlan, ...]
    links: tuple[Link, ...]
    uplinks: tuple[Uplink, ...]
    rails: Mapping[tuple[int, int], Rail]
    """By (leaf group, rail)."""
    host_ports: Mapping[tuple[str, int], HostPort]
    """By (server, rail)."""
    exits: tuple[Exit, ...] = ()
    """Ways out of the vPC pairs."""
    unused: frozenset[Link] = frozenset()
    """Cables of a pair to servers that are installed with one interface, at the peer where that is not: no traffic."""

    def switch(self, hostname: str) -> SwitchPlan:
        """The plan of one switch; KeyError where there is none of that name."""
        for switch in self.switches:
            if switch.hostname == hostname:
                return switch
        raise KeyError(hostname)

    def path(self, server: str, rail: int) -> tuple[str, ...]:
        """Switches whose configuration a packet of this NIC can meet: its leaf, then every spine."""
        leaf = self.host_ports[server, rail].leaf
        spines = sorted({uplink.spine for uplink in self.uplinks if uplink.leaf == leaf})
        return (leaf, *spines)
