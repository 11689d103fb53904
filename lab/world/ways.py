"""Ways of packets through the switches, by the routes of the VRF that they came into.

Each VRF of a switch is a router of its own here: a VRF's name means something on its own switch alone, and what joins
two of them is the link between, whatever they are called at its ends. What VXLAN carries is not modelled.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from podwright.lab.world.inventory import End
from podwright.lab.world.ospf import Link, shortest
from podwright.lab.world.routes import Session, outwards, sessions

if TYPE_CHECKING:
    from podwright.lab.world.model import World

DEFAULT = "default"
"""The VRF of interfaces that are in no other."""


def router(switch: str, vrf: str) -> str:
    """A VRF of a switch: the switch's name, and behind a blank the VRF's where it is not the default one."""
    return switch if vrf == DEFAULT else f"{switch} {vrf}"


def switch_of(name: str) -> str:
    """The switch that a router is on."""
    return name.partition(" ")[0]


class Ways:
    """Ways through the switches as they are at one moment: what many flows ask for is read and calculated once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known = {name: view.routing() for name, view in world.views.items() if view.alive}
        self._routers = {
            router(name, vrf): inside
            for name, view in self._known.items()
            for vrf, inside in {DEFAULT: view, **view.vrfs}.items()
        }
        self._to: dict[tuple[str, str], dict[str, list[Link]]] = {}

    @cached_property
    def _live(self) -> list[Session]:
        """Sessions over links that carry IPv4 routes, between the routers at their ends."""
        return [
            replace(each, device=router(each.device, each.vrf), far=(self._behind(each.far), each.far[1]))
            for each in sessions(self._world)
            if each.up and each.port and each.far is not None and each.neighbor.ipv4
        ]

    def _behind(self, end: End) -> str:
        inside = self._known[end[0]].vrfs.items()
        found = (vrf for vrf, view in inside if end[1] in view.addresses or end[1] in view.link_local)
        return router(end[0], next(found, DEFAULT))

    def to(self, origin: str, prefix: str) -> dict[str, list[Link]]:
        """For every router that learned `prefix` from the router `origin`: the equal ways on, at most `maximum-paths`
        of them."""
        if origin not in self._routers:
            return {}
        if (origin, prefix) not in self._to:
            # OSPF runs in default VRFs.
            known = origin in self._known
            self._to[origin, prefix] = shortest(self._world, self._known, origin, prefix) if known else {}
        ways = self._to[origin, prefix]
        if prefix not in self._routers[origin].advertised:
            return ways
        if (origin, "") not in self._to:
            # BGP's ways are those of all that an origin announces.
            self._to[origin, ""] = outwards(self._routers, origin, self._live)
        return {**ways, **self._to[origin, ""]}
