"""Routing adjacencies and reachability, derived from cables and from what both ends have configured."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from podwright.lab.world.inventory import End
from podwright.lab.world.ospf import Link, shortest
from podwright.lab.world.views import BgpNeighbor, RoutingView, interface

if TYPE_CHECKING:
    from podwright.lab.world.model import World


@dataclass(frozen=True)
class Session:
    """One BGP neighbour of `device`; `up` when both ends agree.

    `far` is (switch, port) when a cable leads there. Between loopbacks there is no `port`, only the switch.
    """

    device: str
    neighbor: BgpNeighbor
    port: str = ""
    far: tuple[str, str] | None = None
    up: bool = False
    reason: str = ""
    bfd: bool = False
    """Both ends ask for BFD with each other."""
    vrf: str = "default"


def sessions(world: World) -> list[Session]:
    """Every configured BGP neighbour of every switch with its state."""
    with world.lock:
        known = {name: view.routing() for name, view in world.views.items() if view.alive}
        return [
            _session(world, known, name, neighbor, vrf)
            for name, view in known.items()
            if view.asn is not None
            for vrf, inside in {"default": view, **view.vrfs}.items()
            for neighbor in inside.neighbors
        ]


def _session(world: World, known: dict[str, RoutingView], name: str, neighbor: BgpNeighbor, vrf: str) -> Session:
    mine = known[name].vrfs.get(vrf, known[name])
    port = connected(mine, neighbor.peer)
    if port is None and vrf == "default":
        return _between_loopbacks(world, known, name, neighbor)
    if port is None:
        return Session(name, neighbor, reason="no route to the peer", vrf=vrf)
    far = _across(world, known, name, port) if port.startswith("Vlan") else world.neighbor(name, port)
    if far is None or far[0] not in known or not (port.startswith("Vlan") or world.link_up(name, port)):
        return Session(name, neighbor, port, far, reason=f"{port} is down", vrf=vrf)
    theirs = known[far[0]].of(far[1])
    back = _back(mine, neighbor, port, theirs, far[1])
    reason = _disagreement(mine, neighbor, port, theirs, far[1], back)
    bfd = neighbor.bfd and back is not None and back.bfd
    return Session(name, neighbor, port, far, up=not reason, reason=reason, bfd=bfd, vrf=vrf)


def _across(world: World, known: dict[str, RoutingView], name: str, svi: str) -> End | None:
    """The same VLAN's interface of the switch at the other end of a link that carries the VLAN at both ends."""
    view, vlan = world.views[name], int(svi.removeprefix("Vlan"))
    for port in view.ports():
        far = world.neighbor(name, port)
        if far is None or far[0] not in known or not world.link_up(name, port):
            continue
        if svi not in known[far[0]].of(svi).addresses:
            continue
        if all(vlan in end.trunk_vlans for end in (view.port(port), world.views[far[0]].port(far[1]))):
            return far[0], svi
    return None


def _between_loopbacks(world: World, known: dict[str, RoutingView], name: str, neighbor: BgpNeighbor) -> Session:
    """iBGP from one switch's address to another's that OSPF carries, both ways."""
    mine = known[name]
    own = mine.addresses.get(neighbor.source, "").partition("/")[0]
    far = next((n for n, v in known.items() if f"{neighbor.peer}/32" in v.addresses.values()), None)
    if not own or far is None or not _carried(world, known, name, far, own, neighbor.peer):
        return Session(name, neighbor, reason="no route to the peer")
    theirs = known[far]
    back = next((n for n in theirs.neighbors if n.peer == own), None)
    if back is not None and theirs.addresses.get(back.source, "").partition("/")[0] != neighbor.peer:
        back = None  # it would call from another address than the one that is expected here
    reason = "no internal neighbor" if mine.asn != theirs.asn else _mismatch(mine, neighbor, theirs, back)
    return Session(name, neighbor, "", (far, ""), up=not reason, reason=reason)


def _carried(world: World, known: dict[str, RoutingView], name: str, far: str, own: str, peer: str) -> bool:
    there = shortest(world, known, far, str(interface(f"{peer}/32").network))
    return name in there and far in shortest(world, known, name, str(interface(f"{own}/32").network))


def connected(view: RoutingView, peer: str) -> str | None:
    """The interface behind which an address, or an unnumbered neighbour of that name, is; None where none is."""
    if peer in view.link_local:
        return peer
    for port, address in view.addresses.items():
        try:
            if interface(peer).ip in interface(address).network:
                return port
        except ValueError:
            return None
    return None


def _back(
    mine: RoutingView, neighbor: BgpNeighbor, port: str, theirs: RoutingView, far_port: str
) -> BgpNeighbor | None:
    """What the far end has configured for this end."""
    if neighbor.peer == port:
        return next((n for n in theirs.neighbors if n.peer == far_port and far_port in theirs.link_local), None)
    own = mine.addresses[port].partition("/")[0]
    return next((n for n in theirs.neighbors if n.peer == own), None)


def _disagreement(
    mine: RoutingView, neighbor: BgpNeighbor, port: str, theirs: RoutingView, far_port: str, back: BgpNeighbor | None
) -> str:
    """Why the two ends do not come together; empty when they do."""
    if neighbor.peer != port and theirs.addresses.get(far_port, "").partition("/")[0] != neighbor.peer:
        return "the far end has another address"
    return _mismatch(mine, neighbor, theirs, back)


def _mismatch(mine: RoutingView, neighbor: BgpNeighbor, theirs: RoutingView, back: BgpNeighbor | None) -> str:
    if back is None or theirs.asn is None:
        return "the far end has no such neighbor"
    if neighbor.remote_as != theirs.asn or back.remote_as != mine.asn:
        return "AS numbers do not agree"
    if mine.router_id == theirs.router_id:
        return "router ids are equal"
    if neighbor.shutdown or back.shutdown:
        return "administratively shut down"
    if bool(neighbor.ttl_hops) != bool(back.ttl_hops) and neighbor.remote_as != mine.asn:
        return "TTL security at one end alone"
    if neighbor.password != back.password:
        return "passwords do not agree"
    common = (neighbor.ipv4 and back.ipv4) or (neighbor.evpn and back.evpn)
    return "" if common else "no common address family"


def _unicast(world: World) -> list[Session]:
    """Sessions over links that carry IPv4 routes of the default VRF."""
    return [s for s in sessions(world) if s.up and s.port and s.neighbor.ipv4 and s.vrf == "default"]


@dataclass(frozen=True)
class Learned:
    """A prefix that a switch learned: its equal ways on, and how many switches away its origin is.

    `as_path` are the AS numbers on the first of the ways, nearest first; empty for OSPF.
    """

    prefix: str
    by: Literal["bgp", "ospf"]
    ways: tuple[Link, ...]
    hops: int
    origin: str = ""
    as_path: tuple[int, ...] = ()


def learned(world: World, name: str) -> Iterator[Learned]:
    """Everything that `name` learned from other switches; one calculation for all prefixes of an origin."""
    known = {each: view.routing() for each, view in world.views.items() if view.alive}
    live = [s for s in sessions(world) if s.up]
    for origin, view in known.items() if name in known else ():
        if origin == name:
            continue
        own = sorted({str(interface(view.addresses[port]).network) for port in view.ospf if port in view.addresses})
        sources: list[tuple[Literal["bgp", "ospf"], list[str], dict[str, list[Link]]]] = [
            ("bgp", sorted(view.advertised), outwards(known, origin, live) if view.advertised else {}),
            ("ospf", own, shortest(world, known, origin, own[0]) if own else {}),
        ]
        for by, prefixes, ways in sources:
            if name in ways:
                passed = _passed(ways, name, origin)
                numbers = [known[each].asn for each in (name, *passed)]
                as_path = tuple(b for a, b in itertools.pairwise(numbers) if b is not None and a != b and by == "bgp")
                for prefix in prefixes:
                    yield Learned(prefix, by, tuple(ways[name]), len(passed), origin, as_path)


def _passed(ways: Mapping[str, list[Link]], here: str, origin: str) -> list[str]:
    """The switches on the first of the ways from here, the origin last."""
    passed: list[str] = []
    while here != origin and len(passed) <= len(ways):
        here = ways[here][0].far
        passed.append(here)
    return passed


def tables(world: World, peerings: Sequence[Session], vrf: str) -> dict[tuple[str, str], dict[str, list[Link]]]:
    """By origin and protocol: for every switch that learned what the origin announces in a VRF, the equal ways on.

    `peerings` are the sessions of the world, which take as long to derive as the tables.
    """
    alive = {name: view.routing() for name, view in world.views.items() if view.alive}
    known = {name: view.vrfs.get(vrf, RoutingView()) for name, view in alive.items()} if vrf != "default" else alive
    live = [s for s in peerings if s.up and s.vrf == vrf and s.port and s.neighbor.ipv4]
    found: dict[tuple[str, str], dict[str, list[Link]]] = {}
    for origin, view in known.items():
        own = next((view.addresses[port] for port in view.ospf if port in view.addresses), "")
        found[origin, "bgp"] = outwards(known, origin, live) if view.advertised else {}
        found[origin, "ospf"] = shortest(world, known, origin, str(interface(own).network)) if own else {}
    return found


def received(world: World, name: str) -> dict[str, int]:
    """Port to how many prefixes `name` learned over it as best or equal paths."""
    known = {n: view.routing() for n, view in world.views.items() if view.alive}
    counts: dict[str, int] = {}
    live = _unicast(world)
    for origin, view in known.items():
        for link in outwards(known, origin, live).get(name, []) if origin != name else []:
            counts[link.port] = counts.get(link.port, 0) + len(view.advertised)
    return counts


def outwards(known: dict[str, RoutingView], origin: str, live: list[Session]) -> dict[str, list[Link]]:
    """Shortest AS paths from the origin outwards over the sessions that are up, with the loop checks of eBGP."""
    paths: dict[str, tuple[int, ...]] = {origin: ()}
    links: dict[str, list[Link]] = {}
    for _ in range(len(known)):
        fresh: dict[str, list[tuple[tuple[int, ...], Link]]] = {}
        for session in live:
            assert session.far is not None
            offer = _offer(known, session, paths, live)
            if offer is not None and session.device not in paths:
                way = Link(session.port, session.far[0], session.far[1])
                fresh.setdefault(session.device, []).append((offer, way))
        if not fresh:
            break
        for name, offers in fresh.items():
            shortest = min(len(path) for path, _ in offers)
            best = [(path, link) for path, link in offers if len(path) == shortest]
            alike = [link for path, link in best if known[name].relax or path == best[0][0]]
            paths[name] = best[0][0]
            links[name] = alike[: known[name].max_paths]
    return links


def _offer(
    known: dict[str, RoutingView], session: Session, paths: dict[str, tuple[int, ...]], live: list[Session]
) -> tuple[int, ...] | None:
    """The AS path that the far end of `session` announces over it, None when it announces or is believed nothing."""
    assert session.far is not None
    far, mine = session.far[0], known[session.device].asn
    asn = known[far].asn
    if far not in paths or asn is None or mine is None or (paths[far] and not known[far].bgp_transit):
        return None
    back = next((s for s in live if s.far == (session.device, session.port) and s.device == far), None)
    if back is None or (mine in paths[far] and back.neighbor.peer_as_check):
        return None
    path = (asn, *paths[far]) if asn != mine else paths[far]
    return None if mine in path and not session.neighbor.allowas_in else path
