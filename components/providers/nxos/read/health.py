"""How a switch is doing: which ports are up, which BGP sessions stand, which ports count damaged frames.

Shapes: `show interface` and `show ip bgp summary` as ntc-templates parse them (cisco_nxos).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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


@dataclass(frozen=True)
class Health:
    """One look at one switch."""

    ports: tuple[str, ...] = ()
    """Ports and port-channels that are up."""
    sessions: tuple[str, ...] = ()
    """BGP neighbours in state Established."""
    crc: Mapping[str, int] = field(default_factory=dict)
    """Damaged frames received since the counters were cleared, by port; ports without any are left out."""

    def as_values(self) -> dict[str, Any]:
        """The same as plain values, for a state file."""
        return {**asdict(self), "ports": list(self.ports), "sessions": list(self.sessions)}


def from_values(values: Mapping[str, Any]) -> Health:
    """What `as_values` gave."""
    crc = {port: int(count) for port, count in values["crc"].items()}
    return Health(tuple(values["ports"]), tuple(values["sessions"]), crc)


def interfaces(text: str) -> dict[str, tuple[bool, int]]:
    """(up, MTU in bytes) by port, port-channel and VLAN interface, from `show interface`; an MTU not shown is 0."""
    found = {}
    for name, state, rest in _PORT.findall(text):
        mtu = _MTU.search(rest)
        found[name] = (state == "up", int(mtu[1]) if mtu else 0)
    return found


def health_of(interfaces: str, neighbors: str) -> Health:
    """Read the two answers; what they say of VLAN interfaces follows from their ports."""
    ports = [each for each in _PORT.findall(interfaces) if not each[0].startswith("Vlan")]
    crc = {name: int(found[1]) for name, _, rest in ports if (found := _CRC.search(rest)) and int(found[1])}
    sessions = tuple(sorted(_full(name) for name, state in _NEIGHBOR.findall(neighbors) if state.isdigit()))
    return Health(tuple(sorted(name for name, state, _ in ports if state == "up")), sessions, crc)


def _full(neighbor: str) -> str:
    """A neighbour as the configuration names it: an interface is abbreviated in the summary."""
    return header(f"interface {neighbor}").removeprefix("interface ")


async def look(session: Session) -> Health:
    """Ask a switch. Raises LostError."""
    try:
        neighbors = await session.show("show ip bgp summary")
    except RefusedError:  # no BGP here
        neighbors = ""
    return health_of(await session.show("show interface"), neighbors)


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
    for name, count in sorted(now.crc.items()):
        if count > before.crc.get(name, 0):
            yield f"{name} received {count - before.crc.get(name, 0)} damaged frames (CRC)"
