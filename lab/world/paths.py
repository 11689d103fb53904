"""The way a packet takes from one NIC to another, hop by hop, or the reason why it takes none."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from podwright.lab.world import interconnects
from podwright.lab.world.inventory import End, Vnic, WorldError
from podwright.lab.world.views import PortView, interface
from podwright.lab.world.ways import Ways, router, switch_of

if TYPE_CHECKING:
    from podwright.lab.world.model import World

_T = TypeVar("_T")


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


def path(world: World, source: End, target: End, flow: str, ways: Ways | None = None) -> Path:
    """The path of one flow now, or by `ways` of a moment; `flow` feeds the ECMP hash. Raises NoPathError."""
    if any(isinstance(world.servers[server].nics[nic], Vnic) for server, nic in (source, target)):
        return _bridged(world, source, target, flow)
    first, last = _attachment(world, source), _attachment(world, target)
    if first[0] == last[0]:
        return Path(source, target, (_local(world, first, last),))
    ways = ways or Ways(world)
    forward = _routed(world, first, last, flow, ways)
    _routed(world, last, first, flow, ways)
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
        _bundled(first[0], port)
        if not port.vlan_exists:
            raise NoPathError(f"{first[0]} {port.name}: VLAN {port.vlan} does not exist on the switch")
    if not a.routed and not b.routed and a.vlan == b.vlan:
        return Hop(first[0], first[1], last[1], routed=False)
    for port in (a, b):
        if not port.networks:
            raise NoPathError(f"{first[0]} {port.name}: no gateway address for its hosts")
    if a.vrf != b.vrf:
        raise NoPathError(f"{first[0]}: {a.name} is in VRF {a.vrf}, {b.name} in VRF {b.vrf}")
    return Hop(first[0], first[1], last[1], routed=True)


def _bundled(switch: str, port: PortView) -> None:
    if port.suspended:
        raise NoPathError(f"{switch} {port.name}: suspended, its far end speaks no LACP")


def _prefix(world: World, end: End) -> str:
    port = world.views[end[0]].port(end[1])
    _bundled(end[0], port)
    if not port.vlan_exists or not port.networks:
        raise NoPathError(f"{end[0]} {end[1]}: no gateway address for its hosts")
    return str(interface(port.networks[0]).network)


def _routed(world: World, first: End, last: End, flow: str, ways: Ways) -> tuple[Hop, ...]:
    prefix = _prefix(world, last)
    _prefix(world, first)
    origin = _router(world, last)
    learned = ways.to(origin, prefix)
    hops: list[Hop] = []
    here, entry = _router(world, first), first[1]
    while here != origin:
        switch, _, vrf = here.partition(" ")
        choices = [link for link in learned.get(here, []) if world.link_up(switch, link.port)]
        if not choices:
            inside = f" in VRF {vrf}" if vrf else ""
            raise NoPathError(f"{switch} has no route to {prefix} of {last[0]}{inside}")
        link = _pick(choices, flow, switch)
        hops.append(Hop(switch, entry, link.port, routed=True))
        here, entry = link.far, link.far_port
    return (*hops, Hop(switch_of(here), entry, last[1], routed=True))


def _router(world: World, end: End) -> str:
    """What routes for the hosts of a port."""
    return router(end[0], world.views[end[0]].port(end[1]).vrf)


@dataclass(frozen=True)
class _Place:
    """Where a NIC is in its VLAN: a port of a switch, or behind an interconnect with its uplinks to switches."""

    vlan: int | None
    interconnect: str
    """Empty for a NIC that is cabled to a switch."""
    entry: str
    """The interconnect's port towards the blade."""
    ends: tuple[tuple[str, End], ...]
    """(uplink of the interconnect, port of the switch)."""


def _place(world: World, nic: End, flow: str) -> _Place:
    server, name = nic
    own = world.servers[server].nics[name]
    if not isinstance(own, Vnic):
        end = _attachment(world, nic)
        port = world.views[end[0]].port(end[1])
        _bundled(end[0], port)
        return _Place(port.vlan, "", "", (("", end),))
    if world.hosts[server].power != "On":
        raise NoPathError(f"{server} is switched off")
    fabric, box = interconnects.carrier(world, server, own), interconnects.attachment(world, server)
    if fabric is None or box is None:
        raise NoPathError(f"{server}:{name}: {interconnects.trouble(world, server, own, own.fabric)}")
    near = interconnects.interconnect(world, box.domain, fabric).name
    entry = _pick(interconnects.links(world, box, fabric), flow, box.name)
    return _Place(own.vlan, near, entry[1], tuple(interconnects.uplinks(world, near)))


def _bridged(world: World, source: End, target: End, flow: str) -> Path:
    """Between a blade's NIC and another one of its VLAN: within an interconnect, else over the switches above."""
    first, last = _place(world, source, flow), _place(world, target, flow)
    if first.vlan != last.vlan:
        names = f"{':'.join(source)} is in VLAN {first.vlan}, {':'.join(target)} in VLAN {last.vlan}"
        raise NoPathError(f"{names}; nothing is routed to or from blades here")
    if first.interconnect and first.interconnect == last.interconnect:
        return Path(source, target, (Hop(first.interconnect, first.entry, last.entry, routed=False),))
    up, entry = _pick(first.ends, flow, first.interconnect)
    near = [each for each in last.ends if each[1][0] == entry[0]] or last.ends
    down, exit_ = _pick(near, flow, last.interconnect)
    hops = list(_across(world, entry, exit_, first.vlan))
    if first.interconnect:
        hops.insert(0, Hop(first.interconnect, first.entry, up, routed=False))
    if last.interconnect:
        hops.append(Hop(last.interconnect, down, last.entry, routed=False))
    return Path(source, target, tuple(hops))


def _across(world: World, entry: End, exit_: End, vlan: int | None) -> tuple[Hop, ...]:
    """Through one switch, or over a link of two that carries the VLAN."""
    for end in (entry, exit_):
        if not _carries(world, end, vlan):
            raise NoPathError(f"{end[0]} {end[1]}: VLAN {vlan} is not allowed there")
    if entry[0] == exit_[0]:
        return (Hop(entry[0], entry[1], exit_[1], routed=False),)
    for port in world.views[entry[0]].ports():
        far = world.neighbor(entry[0], port)
        if far is None or far[0] != exit_[0] or not world.link_up(entry[0], port):
            continue
        if _carries(world, (entry[0], port), vlan) and _carries(world, far, vlan):
            return Hop(entry[0], entry[1], port, routed=False), Hop(far[0], far[1], exit_[1], routed=False)
    raise NoPathError(f"no link from {entry[0]} to {exit_[0]} carries VLAN {vlan}")


def _carries(world: World, end: End, vlan: int | None) -> bool:
    port = world.views[end[0]].port(end[1])
    return not port.routed and vlan is not None and (vlan == port.vlan or vlan in port.trunk_vlans)


def _pick(choices: Sequence[_T], flow: str, salt: str) -> _T:
    """Static ECMP: one hash of the flow per switch, as a 5-tuple hash with a per-switch seed."""
    return choices[zlib.crc32(f"{salt}|{flow}".encode()) % len(choices)]
