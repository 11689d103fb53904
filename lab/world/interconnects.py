"""Fabric Interconnects: what their configuration lets through, and which way a blade's NIC takes now.

End-host mode: an interconnect speaks no spanning tree, never forwards from one uplink to another, and switches locally
between blades of one VLAN. Which uplink a flow takes is a hash, as over a port-channel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podwright.lab.world.inventory import FABRICS, Chassis, End, Fabric, Interconnect, Server, Vnic
from podwright.lab.world.views import PortView, RoutingView

if TYPE_CHECKING:
    from podwright.lab.world.model import World

PORTS: Mapping[str, int] = {
    "UCS-FI-6454": 54,
    "UCS-FI-64108": 108,
    "UCS-FI-6536": 36,
    "UCS-FI-6664": 64,
    "UCSX-S9108-100G": 8,
}
IN_CHASSIS = ("UCSX-S9108-100G",)
"""Interconnects that sit in the chassis: blades reach them over its midplane, without a cable."""
SPEED = 100
"""Gb/s of a port of these models and of a blade's adapter on one fabric (VIC 15230: 2 x 100G)."""


@dataclass(frozen=True)
class Ports:
    """What a switch profile in force made of an interconnect: names of ports by role, VLANs, largest frame in bytes.

    `bundled` are the uplinks in a port-channel, which speak LACP in active mode.
    """

    server: frozenset[str] = frozenset()
    uplink: frozenset[str] = frozenset()
    vlans: frozenset[int] = frozenset()
    mtu: int = 1500
    bundled: frozenset[str] = frozenset()
    deployed: bool = False
    """Any profile is in force, if only without ports."""
    modes: frozenset[tuple[int, str]] = frozenset()
    """Number and mode of ports that are no plain Ethernet ports: Fibre Channel, or broken out."""


class InterconnectView:
    """Implements `lab.world.views.SwitchView`: a switch without routing and without lossless classes."""

    def __init__(self, model: str) -> None:
        self._count = PORTS[model]
        self.configured = Ports()
        self.down = False
        self.starting = False

    @property
    def alive(self) -> bool:
        """False without power, and while it starts."""
        return not self.down and not self.starting

    def ports(self) -> list[str]:
        """Front-panel ports."""
        return [f"Ethernet1/{number}" for number in range(1, self._count + 1)]

    def admin_up(self, name: str) -> bool:
        """A port without a role is switched off."""
        return name in self.configured.server | self.configured.uplink

    def port(self, name: str) -> PortView:
        """One port as configured now."""
        now = self.configured
        return PortView(
            name,
            exists=name in self.ports(),
            admin_up=self.admin_up(name),
            speed=SPEED,
            mtu=now.mtu,
            trunk_vlans=now.vlans,
        )

    def routing(self) -> RoutingView:
        """None: it only switches."""
        return RoutingView()


def attachment(world: World, server: str) -> Chassis | Server | None:
    """What a server reaches interconnects through: the chassis it is in, its own adapter in a rack server; None for a
    server that is not behind any."""
    own = world.servers[server]
    if own.domain:
        return own
    return next((box for box in world.chassis.values() if server in box.slots.values()), None)


def interconnect(world: World, domain: str, fabric: Fabric) -> Interconnect:
    """One interconnect of a domain."""
    return next(each for each in world.interconnects.values() if (each.domain, each.fabric) == (domain, fabric))


def links(world: World, box: Chassis | Server, fabric: Fabric) -> list[End]:
    """The interconnect's ports that reach this chassis or rack server now; one that sits in the chassis has no port."""
    near = interconnect(world, box.domain, fabric)
    view = world.interconnect_views[near.name]
    if near.model in IN_CHASSIS and isinstance(box, Chassis):
        return [(near.name, "midplane")] if view.alive and view.configured.deployed else []
    found = []
    for number in range(1, 9):
        far = world.neighbor(box.name, f"{fabric}{number}")
        if far and far[0] == near.name and far[1] in view.configured.server and world.link_up(*far):
            found.append(far)
    return found


def uplinks(world: World, name: str) -> list[tuple[str, End]]:
    """Uplink ports of an interconnect that are up, each with the port at its far end."""
    view = world.interconnect_views[name]
    return [
        (port, far)
        for port in view.ports()
        if port in view.configured.uplink
        and (far := world.neighbor(name, port)) is not None
        and world.link_up(name, port)
    ]


def system_name(near: Interconnect) -> str:
    """What an interconnect calls itself: the name that its pair was given at the console, with -A or -B behind it."""
    return f"{near.domain}-{near.fabric}"


def announces(world: World, end: End) -> bool:
    """True when an interconnect sends LLDP on this port of its own."""
    named = world.variants["uplinks"] == "named"
    return named and end[0] in world.interconnects and end[1] in world.interconnect_views[end[0]].configured.uplink


def bundles(world: World, end: End) -> bool:
    """True when an interconnect speaks LACP on this port of its own."""
    return end[0] in world.interconnects and end[1] in world.interconnect_views[end[0]].configured.bundled


def trouble(world: World, server: str, nic: Vnic, fabric: Fabric) -> str:
    """Why a blade's NIC does not get to the frontend over this fabric; empty when it does."""
    box = attachment(world, server)
    if box is None:
        return f"{server} is behind no interconnect"
    near = interconnect(world, box.domain, fabric).name
    if not world.interconnect_views[near].alive:
        return f"{near} is down"
    if not links(world, box, fabric):
        return f"no link from {box.name} to a server port of {near} is up"
    if not uplinks(world, near):
        return f"no uplink of {near} is up"
    if nic.vlan not in world.interconnect_views[near].configured.vlans:
        return f"VLAN {nic.vlan} is not configured on {near}"
    return ""


def carrier(world: World, server: str, nic: Vnic) -> Fabric | None:
    """The fabric that carries a blade's NIC now: its own, the other one with failover, or none."""
    rest = [fabric for fabric in FABRICS if fabric != nic.fabric] if nic.failover else []
    return next((fabric for fabric in (nic.fabric, *rest) if not trouble(world, server, nic, fabric)), None)


def behind(world: World, name: str) -> Iterator[tuple[str, Vnic]]:
    """(server, NIC) of every blade with power whose NIC this interconnect carries now."""
    here = world.interconnects[name]
    for server in world.servers.values():
        nics = [nic for nic in server.nics.values() if isinstance(nic, Vnic)]
        box = attachment(world, server.name) if nics and world.hosts[server.name].power == "On" else None
        for nic in nics if box is not None and box.domain == here.domain else ():
            if carrier(world, server.name, nic) == here.fabric:
                yield server.name, nic
