"""LACP between a switch and a host: who sends at the far end of a member, and what the member does without.

NX-OS suspends a member that receives no LACP messages, unless its port-channel has `no lacp suspend-individual`: it
then passes traffic alone, as an individual port (interfaces guide, port channels, LACP compatibility enhancements).
"""

from __future__ import annotations

from typing import Literal

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.tree import Node

Membership = Literal["P", "I", "s", "D"]
"""As `show port-channel summary` has it: up in the port-channel, individual, suspended, down."""
HOST_PRIORITY = 65535
"""Of a Linux bond (`ad_actor_sys_prio`): https://docs.kernel.org/networking/bonding.html"""
_LACP = "802.3ad"


def mode(device: Device, port: str) -> str:
    """How a member is bundled: active, passive, or on."""
    node = (device.interface(port) or Node("")).get("channel-group")
    return node.line.rpartition(" mode ")[2] if node is not None and " mode " in node.line else "on"


def membership(device: Device, port: str) -> Membership:
    """What a member of a port-channel does now."""
    if not device.world.link_up(device.switch.name, port):
        return "D"
    far = device.world.neighbor(device.switch.name, port)
    if mode(device, port) == "on" or far is None or far[0] not in device.world.servers or host(device, port):
        return "P"
    group = (device.interface(port) or Node("")).value("channel-group", "group")
    bundle = device.interface(f"port-channel{group}") or Node("")
    return "s" if bundle.state("lacp suspend-individual", True) else "I"


def suspended(device: Device, port: str) -> bool:
    """Whether a port passes nothing since nobody at its far end speaks LACP."""
    block = device.interface(port) or Node("")
    return block.get("channel-group") is not None and membership(device, port) == "s"


def host(device: Device, port: str) -> str:
    """MAC address of the LACP bond at the far end of a port; empty where no host's system speaks LACP there."""
    far = device.world.neighbor(device.switch.name, port)
    bond = device.world.bond(*far) if far is not None and far[0] in device.world.servers else None
    return min(bond.macs) if bond is not None and bond.mode == _LACP else ""
