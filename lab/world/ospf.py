"""OSPF: adjacencies, and the shortest ways over interfaces that both ends put into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podwright.lab.world.inventory import End
from podwright.lab.world.views import RoutingView, interface

if TYPE_CHECKING:
    from podwright.lab.world.model import World


@dataclass(frozen=True)
class Link:
    """A way on towards a prefix: out of `port` to port `far_port` of `far`."""

    port: str
    far: str
    far_port: str


def ospf_neighbors(world: World, name: str) -> dict[str, End]:
    """Port to (switch, port) at the other end of every OSPF adjacency of a switch."""
    known = {each: view.routing() for each, view in world.views.items() if view.alive}
    far = {port: world.neighbor(name, port) for port in known[name].ospf} if name in known else {}
    return {
        port: end
        for port, end in far.items()
        if end is not None and end[0] in known and _adjacent(world, known, (name, port), end)
    }


def shortest(world: World, known: dict[str, RoutingView], origin: str, prefix: str) -> dict[str, list[Link]]:
    """Shortest ways over interfaces that both ends put into OSPF."""
    here = known[origin]
    own = {str(interface(a).network): p for p, a in here.addresses.items() if p in here.ospf}
    if prefix not in own:
        return {}
    distance = {origin: 0}
    links: dict[str, list[Link]] = {}
    frontier = [origin]
    while frontier:
        reached: list[str] = []
        for name in frontier:
            if name != origin and not known[name].ospf_transit:
                continue
            for port in known[name].ospf:
                far = world.neighbor(name, port)
                if far is None or far[0] not in known or not _adjacent(world, known, (name, port), far):
                    continue
                if far[0] not in distance:
                    distance[far[0]] = distance[name] + 1
                    reached.append(far[0])
                if distance[far[0]] == distance[name] + 1:
                    links.setdefault(far[0], []).append(Link(far[1], name, port))
        frontier = reached
    return links


def _adjacent(world: World, known: dict[str, RoutingView], near: tuple[str, str], far: tuple[str, str]) -> bool:
    here, there = known[near[0]], known[far[0]]
    if not world.link_up(*near) or here.ospf.get(near[1]) != there.ospf.get(far[1]):
        return False
    # Ends of two network types do become neighbours, but neither installs routes over the other.
    if near[1] in here.ospf_passive or far[1] in there.ospf_passive or here.ospf_id == there.ospf_id:
        return False
    if here.ospf_kind.get(near[1]) != there.ospf_kind.get(far[1]):
        return False
    addresses = [known[d].addresses.get(p) for d, p in (near, far)]
    if None in addresses:
        return False
    a, b = (interface(str(address)).network for address in addresses)
    return a == b
