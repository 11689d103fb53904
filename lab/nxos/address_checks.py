"""Addresses that a switch gives out once: subnets of interfaces, secondary and virtual addresses.

That two interfaces of a VRF share no subnet is in the unicast guide. What stands on an interface's own address goes
before it does, and one address has one holder: known from the field, so the strict form is the lab's (FIDELITY.md).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator

from podwright.lab.nxos.change import Change
from podwright.lab.nxos.tree import Node

Subnet = ipaddress.IPv4Interface


def _subnets(block: Node) -> Iterator[Subnet]:
    """Own and secondary addresses of an interface."""
    for each in block.begin("ip address"):
        if "address" in each.values:
            yield ipaddress.IPv4Interface(each.values["address"])


def _virtual(block: Node) -> Iterator[ipaddress.IPv4Address]:
    for group in block.begin("hsrp"):
        for each in group.begin("ip"):
            if "address" in each.values:
                yield ipaddress.IPv4Address(each.values["address"])


def _others(change: Change, block: Node) -> Iterator[tuple[str, Node]]:
    """The other interfaces of the VRF that an interface is in."""
    vrf = block.value("vrf member", "vrf", "default")
    for name, other in change.device.interfaces().items():
        if other is not block and other.value("vrf member", "vrf", "default") == vrf:
            yield name, other


def address_overlap(change: Change) -> str | None:
    """Two interfaces of one VRF cannot share a subnet; what stands on an own address goes before it."""
    block = change.parent
    if change.negate:
        if any("secondary" in each.line for each in block.begin("ip address")):
            return "% Must delete secondary before deleting primary"
        return "% Must delete HSRP virtual address before deleting primary" if any(_virtual(block)) else None
    mine = ipaddress.IPv4Interface(change.values["address"])
    secondaries = (each for each in block.begin("ip address") if "secondary" in each.line)
    if any(ipaddress.IPv4Interface(each.values["address"]).ip == mine.ip for each in secondaries):
        return f"% {mine} is already assigned as secondary address"
    return _taken(change, mine)


def secondary_address(change: Change) -> str | None:
    """A second subnet of an interface that has a first one."""
    own = change.parent.value("ip address", "address")
    if change.negate:
        return None
    if not own:
        return "% Primary address must be configured first"
    mine = ipaddress.IPv4Interface(change.values["address"])
    return f"% {mine} is the primary address" if ipaddress.IPv4Interface(own).ip == mine.ip else _taken(change, mine)


def _taken(change: Change, mine: Subnet) -> str | None:
    if change.device.form("overlap") == "taken":
        return None
    for name, block in _others(change, change.parent):
        if any(mine.network.overlaps(theirs.network) for theirs in _subnets(block)):
            return f"% {mine} overlaps with address configured on {name}"
    for name, block in [("this interface", change.parent), *_others(change, change.parent)]:
        if mine.ip in _virtual(block):
            return f"% {mine} is a virtual address on {name}"
    return None


def virtual_address(change: Change) -> str | None:
    """An address of nobody else's, in this VRF."""
    interface = next(
        (each for each in change.device.interfaces().values() if change.parent in each.begin("hsrp")), None
    )
    if change.negate or interface is None:
        return None
    mine = ipaddress.IPv4Address(change.values["address"])
    if any(mine == each.ip for each in _subnets(interface)):
        return f"ERROR: {mine} is the address of this interface"
    for name, block in _others(change, interface):
        if any(mine in each.network for each in _subnets(block)) or mine in _virtual(block):
            return f"ERROR: {mine} is in use on {name}"
    return None


CHECKS: dict[str, Callable[[Change], str | None]] = {
    check.__name__: check for check in (address_overlap, secondary_address, virtual_address)
}
"""Name in the command table to function."""
