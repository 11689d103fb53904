"""Ports of a host's bonds: whose each is, which MAC address it answers with, and what a switch sees of the bonds.

After nmstate/nmstate (rust/src/lib/ifaces/inter_ifaces_controller.rs): a port that another bond takes leaves its own,
and two bonds that are asked for one at once are refused. https://docs.kernel.org/networking/bonding.html: a bond has
the address of its first port and gives it to the others; a port that is let go has its own again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podwright.lab.openshift.host_memory import HostMemory
from podwright.lab.openshift.install.hosts import Member
from podwright.lab.world.inventory import Bond, Medium

Interface = dict[str, Any]
Interfaces = dict[str, Interface]


def ports(row: Mapping[str, Any]) -> list[str]:
    """Names that a bond lists."""
    bundle = row.get("link-aggregation") or {}
    return [str(port) for port in bundle.get("port") or bundle.get("ports") or []]


def overbooked(rows: Sequence[Mapping[str, Any]]) -> str:
    """nmstate's word for a port that two of the bonds asked for list; empty where there is none."""
    of: dict[str, str] = {}
    for row in rows:
        for port in ports(row):
            if port in of:
                return f"Port {port} is overbooked by two controller: {row['name']}, {of[port]}"
            of[port] = str(row["name"])
    return ""


def let_go(interfaces: Interfaces, rows: Sequence[Mapping[str, Any]]) -> None:
    """Ports that a bond asked for takes leave the bond that they were in."""
    for row in rows:
        for name, other in interfaces.items():
            if name != row.get("name") and (taken := set(ports(other)) & set(ports(row))):
                bundle = other["link-aggregation"]
                left = [port for port in ports(other) if port not in taken]
                interfaces[name] = {**other, "link-aggregation": {**bundle, "port": left}}


def settled(interfaces: Interfaces) -> Interfaces:
    """The same with each port's controller and address as the kernel has them."""
    of = {port: name for name, each in interfaces.items() for port in ports(each)}
    found: Interfaces = {}
    for name, each in interfaces.items():
        own = dict(each)
        if name in of:
            own |= {"controller": of[name], "mac-address": interfaces[of[name]].get("mac-address", "")}
        elif own.get("type") == "ethernet" and own.get("permanent-mac-address"):
            own["mac-address"] = own["permanent-mac-address"]
            if interfaces.get(str(own.get("controller")), {}).get("type") in (None, "bond"):
                own.pop("controller", None)
        found[name] = own
    return found


def bonds(interfaces: Mapping[str, Interface]) -> tuple[Bond, ...]:
    """The bonds as a switch meets them: mode, and the addresses that its ports were made with."""
    return tuple(
        Bond(
            str((each.get("link-aggregation") or {}).get("mode")),
            frozenset(str(interfaces[port]["permanent-mac-address"]) for port in ports(each) if port in interfaces),
        )
        for each in interfaces.values()
        if each.get("type") == "bond"
    )


def in_force(member: Member, memory: Mapping[str, HostMemory], medium: Medium) -> tuple[Bond, ...]:
    """Bonds of a system that boots: those of its image, or what NetworkManager kept on the disk of a changed one."""
    kept = memory.get(member.hostname)
    if medium != "Hdd" or kept is None or kept.network is None:
        return member.bonds
    return bonds(kept.network)
