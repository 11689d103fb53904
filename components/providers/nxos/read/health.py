"""How a switch is doing: ports that are up, routing sessions, learned routes, ports that count damaged frames.

Shapes: `show interface`, `show ip bgp summary`, `show ip ospf neighbors` and `show ip route` as ntc-templates parse
them (cisco_nxos).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from podwright.components.providers.nxos.read.blocks import Block, flat
from podwright.components.providers.nxos.read.spelling import header
from podwright.components.providers.nxos.session import RefusedError, Session

_PORT: Final = re.compile(
    r"^((?:Ethernet|port-channel|Vlan)\S+) is (up|down)\b(.*?)(?=^\S+ is (?:up|down)|\Z)", re.M | re.S
)
_MTU: Final = re.compile(r"^\s+MTU (\d+) bytes", re.MULTILINE)
_CRC: Final = re.compile(r"\b(\d+) CRC\b")
_NEIGHBOR: Final = re.compile(r"^(\S+)\s+4\s+[\d.]+(?:\s+\d+){5}\s+\S+\s+(\S+)", re.MULTILINE)
"""A neighbour whose name is too long for its column has the rest of its row in the next line."""
_ADJACENT: Final = re.compile(r"^\s*[\d.]+\s+\d+\s+FULL\s*/.*\s(\S+)\s*$", re.MULTILINE)
_LEARNED: Final = re.compile(r"^\S+/\d+, ubest/mbest:.*\n(?:\s+\*?via .*, (?:bgp|ospf)-.*\n?)", re.MULTILINE)
_ROUTED: Final = ("interface Ethernet", "interface port-channel")
"""Interfaces over which a neighbour of OSPF is expected; VLAN interfaces may have one or none."""


@dataclass(frozen=True)
class Health:
    """One look at one switch."""

    ports: tuple[str, ...] = ()
    """Ports and port-channels that are up."""
    sessions: tuple[str, ...] = ()
    """BGP neighbours in state Established."""
    adjacencies: tuple[str, ...] = ()
    """Interfaces with an OSPF neighbour in state Full."""
    routes: int = 0
    """Prefixes learned from neighbours, in the default VRF."""
    crc: Mapping[str, int] = field(default_factory=dict)
    """Damaged frames received since the counters were cleared, by port; ports without any are left out."""

    def as_values(self) -> dict[str, Any]:
        """The same as plain values, for a state file."""
        return {**asdict(self), **{key: list(getattr(self, key)) for key in ("ports", "sessions", "adjacencies")}}


def from_values(values: Mapping[str, Any]) -> Health:
    """What `as_values` gave, by this release or an earlier one, which knew less."""
    crc = {port: int(count) for port, count in values["crc"].items()}
    adjacencies = tuple(values.get("adjacencies") or ())
    return Health(tuple(values["ports"]), tuple(values["sessions"]), adjacencies, int(values.get("routes") or 0), crc)


def interfaces(text: str) -> dict[str, tuple[bool, int]]:
    """(up, MTU in bytes) by port, port-channel and VLAN interface, from `show interface`; an MTU not shown is 0."""
    found = {}
    for name, state, rest in _PORT.findall(text):
        mtu = _MTU.search(rest)
        found[name] = (state == "up", int(mtu[1]) if mtu else 0)
    return found


def health_of(interfaces: str, neighbors: str, adjacent: str = "", routes: str = "") -> Health:
    """Read the answers; what they say of VLAN interfaces follows from their ports."""
    ports = [each for each in _PORT.findall(interfaces) if not each[0].startswith("Vlan")]
    crc = {name: int(found[1]) for name, _, rest in ports if (found := _CRC.search(rest)) and int(found[1])}
    sessions = tuple(sorted(_full(name) for name, state in _NEIGHBOR.findall(neighbors) if state.isdigit()))
    up = tuple(sorted(name for name, state, _ in ports if state == "up"))
    adjacencies = tuple(sorted(_full(name) for name in _ADJACENT.findall(adjacent)))
    return Health(up, sessions, adjacencies, len(_LEARNED.findall(routes)), crc)


def _full(neighbor: str) -> str:
    """A neighbour as the configuration names it: an interface is abbreviated in the summary."""
    return header(f"interface {neighbor}").removeprefix("interface ")


async def look(session: Session) -> Health:
    """Ask a switch. Raises LostError."""
    neighbors, adjacent = [await _asked(session, f"show ip {what}") for what in ("bgp summary", "ospf neighbors")]
    return health_of(await session.show("show interface"), neighbors, adjacent, await session.show("show ip route"))


async def _asked(session: Session, command: str) -> str:
    try:
        return await session.show(command)
    except RefusedError:  # this protocol does not run here
        return ""


def worse(before: Health, now: Health, config: Mapping[str, Block]) -> Iterator[str]:
    """What is worse than before, one clause each; what the configuration takes down or lacks is no failure."""
    for name in sorted(set(before.ports) - set(now.ports)):
        block = config.get(f"interface {name}")
        if block is not None and not any(line.text == "shutdown" for line in block):
            yield f"{name} went down"
    lines = {text.strip() for block in config.values() for text in flat(block)}
    for name in sorted(set(before.sessions) - set(now.sessions)):
        if f"neighbor {name}" in lines:
            yield f"the BGP session with {name} is no longer Established"
    yield from _fewer(before, now, config)
    for name, count in sorted(now.crc.items()):
        if count > before.crc.get(name, 0):
            yield f"{name} received {count - before.crc.get(name, 0)} damaged frames (CRC)"


def _fewer(before: Health, now: Health, config: Mapping[str, Block]) -> Iterator[str]:
    """Counts, because a session whose neighbour was renumbered has another name and would not be missed.

    Sessions that the configuration no longer asks for are not expected back. Of routes only the loss of most is worse:
    that a switch far away gives up some is a plan's own doing.
    """
    stood, stand = (len({*each.sessions, *each.adjacencies}) for each in (before, now))
    asked = _asked_for(config)
    if stand < min(stood, asked):
        yield f"{stand} routing sessions are up; {stood} were, and {asked} are configured"
    # OSPF carries the subnet of every link and BGP does not: routes are compared within one protocol.
    other_protocol = bool(before.adjacencies) != bool(now.adjacencies)
    if now.routes * 2 < before.routes and not (other_protocol and now.routes):
        yield f"{now.routes} routes are learned from neighbours; {before.routes} were"


def _asked_for(config: Mapping[str, Block]) -> int:
    """Neighbours that a configuration names in the default VRF: of BGP for IPv4, and interfaces of OSPF."""
    neighbors = {
        line.text.split()[1]
        for name, block in config.items()
        if name.startswith("router bgp ")
        for line in block
        if line.text.startswith("neighbor ") and any(c.text == "address-family ipv4 unicast" for c in line.children)
    }
    interfaces = {
        name.removeprefix("interface ")
        for name, block in config.items()
        if name.startswith(_ROUTED) and _adjacent({line.text for line in block})
    }
    return len(neighbors | interfaces)


def _adjacent(lines: Collection[str]) -> bool:
    return any(line.startswith("ip router ospf ") for line in lines) and not {
        "shutdown",
        "ip ospf passive-interface",
    } & set(lines)
