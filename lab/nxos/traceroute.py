"""`traceroute`: the switches on the way to an address, by their routing tables as they are now.

A switch answers when it has a route back. Servers do not answer; other VRFs reach direct neighbours only.
"""

from __future__ import annotations

import ipaddress

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.world.model import World
from podwright.lab.world.ospf import Link
from podwright.lab.world.routes import connected, learned
from podwright.lab.world.views import RoutingView
from podwright.lab.world.views import interface as parsed

LIMIT = 30
"""Hops that are tried."""
SILENT = 3
"""Lines of stars that are printed when nobody answers: an operator stops it there."""


def traceroute(session: Session, found: Found) -> Output:
    """One line per switch on the way: its address and three times."""
    device, address = session.device, found.match.values["address"]
    vrf = found.match.values.get("vrf", "default")
    text = f"traceroute to {address} ({address}), {LIMIT} hops max, 48 byte packets\n"
    hops, arrived = path(device, address, vrf)
    for number, hop in enumerate(hops, 1):
        text += f" {number:>2}  {hop} ({hop})  1.{number:03} ms  0.{900 + number} ms  0.{800 + number} ms\n"
    if not arrived:
        text += "".join(f" {len(hops) + n:>2}  * * *\n" for n in range(1, SILENT + 1))
    return Output(text)


def path(device: Device, address: str, vrf: str = "default") -> tuple[list[str], bool]:
    """Addresses of the switches on the way that answer, and whether the last one is the one asked for."""
    world, here = device.world, device.switch.name
    hops: list[str] = []
    source = _view(world, here, vrf)
    while len(hops) < LIMIT:
        own = _view(world, here, vrf)
        if own is None or source is None:
            return hops, False
        if address in _own(own):
            return hops or [address], True
        way = _next(world, here, own, address, vrf)
        theirs = _view(world, way.far, vrf) if way else None
        if way is None or theirs is None:
            return hops, False
        here = way.far
        answer = address if address in _own(theirs) else theirs.addresses.get(way.far_port, theirs.router_id)
        if not _returns(world, here, source, vrf):
            return hops, False
        hops.append(answer.partition("/")[0])
    return hops, False


def _view(world: World, name: str, vrf: str) -> RoutingView | None:
    if name not in world.views or not world.views[name].alive:
        return None
    view = world.views[name].routing()
    return view if vrf == "default" else view.vrfs.get(vrf)


def _own(view: RoutingView) -> set[str]:
    return {str(parsed(each).ip) for each in view.addresses.values()}


def _next(world: World, here: str, own: RoutingView, address: str, vrf: str) -> Link | None:
    """The way on: over a network of this switch's own, else over the longest prefix that it learned."""
    port = connected(own, address)
    if port is not None:
        far = world.neighbor(here, port)
        there = _view(world, far[0], vrf) if far and world.link_up(here, port) else None
        return Link(port, *far) if far and there is not None and address in _own(there) else None
    target = ipaddress.IPv4Address(address)
    fitting = [
        route
        for route in (learned(world, here) if vrf == "default" else ())
        if target in ipaddress.IPv4Network(route.prefix)
    ]
    best = max(fitting, key=lambda route: ipaddress.IPv4Network(route.prefix).prefixlen, default=None)
    return best.ways[0] if best else None


def _returns(world: World, here: str, source: RoutingView, vrf: str) -> bool:
    """Whether a switch has a way back to any address of the one that asks."""
    own = _view(world, here, vrf)
    if own is None:
        return False
    mine = [parsed(each) for each in source.addresses.values()]
    if any(parsed(each).network == other.network for each in own.addresses.values() for other in mine):
        return True
    known = {route.prefix for route in learned(world, here)} if vrf == "default" else set()
    return any(str(each.network) in known for each in mine)
