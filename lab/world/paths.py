"""The way a packet takes from one NIC to another, hop by hop, or the reason why it takes none."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podwright.lab.world.inventory import End, WorldError
from podwright.lab.world.ospf import Link
from podwright.lab.world.routes import routes
from podwright.lab.world.views import interface

if TYPE_CHECKING:
    from podwright.lab.world.model import World


@dataclass(frozen=True)
class Hop:
    """Through one switch, in at one port and out at another. `routed` when the packet left its VLAN here."""

    switch: str
    entry: str
    exit: str
    routed: bool


@dataclass(frozen=True)
class Path:
    """Source NIC, switches, destination NIC."""

    source: End
    target: End
    hops: tuple[Hop, ...]

    def links(self) -> list[tuple[End, End]]:
        """Directed links, in order, each as (sending end, receiving end)."""
        ends: list[End] = [self.source]
        for hop in self.hops:
            ends += [(hop.switch, hop.entry), (hop.switch, hop.exit)]
        ends.append(self.target)
        return list(zip(ends[::2], ends[1::2], strict=True))

    def text(self) -> list[str]:
        """The ends in order, as device:port."""
        return [":".join(end) for link in self.links() for end in link]


class NoPathError(Exception):
    """Nothing arrives; the message says where it ends and why."""


def parse_end(world: World, text: str) -> End:
    """ "gpu-01:rail0" as an end. Raises WorldError when there is no such NIC."""
    server, _, nic = text.partition(":")
    if server not in world.servers or nic not in world.servers[server].nics:
        raise WorldError(f"no NIC {text!r} in this world")
    return server, nic


def path(world: World, source: End, target: End, flow: str) -> Path:
    """The path of one flow now; `flow` feeds the ECMP hash. Raises NoPathError."""
    first, last = _attachment(world, source), _attachment(world, target)
    if first[0] == last[0]:
        return Path(source, target, (_local(world, first, last),))
    forward = _routed(world, first, last, flow)
    _routed(world, last, first, flow)
    return Path(source, target, forward)


def _attachment(world: World, nic: End) -> End:
    far = world.neighbor(*nic)
    if far is None or far[0] not in world.views:
        raise NoPathError(f"{nic[0]}:{nic[1]} has no cable to a switch")
    if not world.link_up(*nic):
        raise NoPathError(f"the link {nic[0]}:{nic[1]} to {far[0]} {far[1]} is down")
    return far


def _local(world: World, first: End, last: End) -> Hop:
    """Both NICs on one switch: bridged in one VLAN, or routed between two networks."""
    view = world.views[first[0]]
    a, b = view.port(first[1]), view.port(last[1])
    for port in (a, b):
        if not port.vlan_exists:
            raise NoPathError(f"{first[0]} {port.name}: VLAN {port.vlan} does not exist on the switch")
    if not a.routed and not b.routed and a.vlan == b.vlan:
        return Hop(first[0], first[1], last[1], routed=False)
    for port in (a, b):
        if not port.networks:
            raise NoPathError(f"{first[0]} {port.name}: no gateway address for its hosts")
    return Hop(first[0], first[1], last[1], routed=True)


def _prefix(world: World, end: End) -> str:
    port = world.views[end[0]].port(end[1])
    if not port.vlan_exists or not port.networks:
        raise NoPathError(f"{end[0]} {end[1]}: no gateway address for its hosts")
    return str(interface(port.networks[0]).network)


def _routed(world: World, first: End, last: End, flow: str) -> tuple[Hop, ...]:
    prefix = _prefix(world, last)
    _prefix(world, first)
    ways = routes(world, last[0], prefix)
    hops: list[Hop] = []
    here, entry = first
    while here != last[0]:
        choices = [link for link in ways.get(here, []) if world.link_up(here, link.port)]
        if not choices:
            raise NoPathError(f"{here} has no route to {prefix} of {last[0]}")
        link = _pick(choices, flow, here)
        hops.append(Hop(here, entry, link.port, routed=True))
        here, entry = link.far, link.far_port
    return (*hops, Hop(here, entry, last[1], routed=True))


def _pick(choices: list[Link], flow: str, salt: str) -> Link:
    """Static ECMP: one hash of the flow per switch, as a 5-tuple hash with a per-switch seed."""
    return choices[zlib.crc32(f"{salt}|{flow}".encode()) % len(choices)]
