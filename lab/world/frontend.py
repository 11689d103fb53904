"""Which ports of switches a host's system reaches its networks by: its bonds decide, and what switches make of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwright.lab.world.interconnects import carrier, interconnect
from podwright.lab.world.inventory import End, Nic, Vnic

if TYPE_CHECKING:
    from podwright.lab.world.model import World


def legs(world: World, server: str, mac: str = "", vlan: int | None = None) -> Iterator[End]:
    """As `World.legs`, one by one.

    One interface of an active-backup bond carries traffic at a time; each that could is listed.
    """
    host, about = world.hosts[server], world.servers[server]
    if host.power != "On" or host.state not in ("live", "running"):
        return
    own = (mac or about.boot_mac).lower()
    bonded = next((bond.macs for bond in host.bonds if own in bond.macs), frozenset({own}))
    used = [nic for nic in about.nics.values() if nic.mac.lower() in bonded]
    yield from (end for nic in used if (end := _end(world, server, nic, vlan)) is not None)


def _end(world: World, server: str, nic: Nic, vlan: int | None) -> End | None:
    if isinstance(nic, Vnic):
        fabric = carrier(world, server, nic)
        domain = world.servers[server].domain or _domain(world, server)
        return (interconnect(world, domain, fabric).name, nic.name) if fabric else None
    far = world.neighbor(server, nic.name)
    if far is None or far[0] not in world.views or not world.link_up(server, nic.name):
        return None
    port = world.views[far[0]].port(far[1])
    if vlan is not None and vlan != port.vlan:
        return far if not port.suspended and vlan in port.trunk_vlans else None
    return None if port.suspended or not port.vlan_exists else far


def _domain(world: World, server: str) -> str:
    return next(box.domain for box in world.chassis.values() if server in box.slots.values())
