"""Operational state of interfaces: what the configuration, the cable and the far end make of a port."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from podwright.lab.nxos import lacp
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.kinds import numbers
from podwright.lab.nxos.tree import Node


@dataclass(frozen=True)
class State:
    """Up or down with the device's words for it: `reason` in `brief`, `status` in `status`."""

    up: bool
    reason: str
    status: str


UP = State(True, "none", "connected")
ADMIN = State(False, "Administratively down", "disabled")
ABSENT = State(False, "XCVR not inserted", "xcvrAbsen")
DARK = State(False, "Link not connected", "notconnec")
EMPTY = State(False, "No operational members", "noOperMem")
SUSPENDED = State(False, "suspended(no LACP PDUs)", "suspended")
VLAN_DOWN = State(False, "VLAN/BD is down", "down")


def state(device: Device, name: str) -> State:
    """State of one interface now."""
    block = device.interface(name) or Node("")
    if not device.admin_up(name, block):
        return ADMIN
    parent, dot, _ = name.partition(".")
    if dot:
        return state(device, parent)
    if name.startswith("Ethernet"):
        if device.world.cable_at(device.switch.name, name) is None:
            return ABSENT
        if not device.world.link_up(device.switch.name, name):
            return DARK
        return SUSPENDED if lacp.suspended(device, name) else UP
    if name.startswith("port-channel"):
        return UP if any(lacp.membership(device, member) == "P" for member in device.members(name)) else EMPTY
    if name.startswith("Vlan"):
        return UP if _svi_up(device, int(name[4:])) else VLAN_DOWN
    return UP


def _svi_up(device: Device, vlan: int) -> bool:
    if vlan != 1 and device.root.get(f"vlan {vlan}") is None:
        return False
    svi = device.interface(f"Vlan{vlan}")
    if svi is not None and not svi.state("autostate", True):
        return True
    return any(
        vlan in vlans(device, name) and state(device, name).up
        for name in device.interfaces("Ethernet")
        if device.world.cable_at(device.switch.name, name) is not None
    )


def vlans(device: Device, name: str) -> set[int]:
    """VLANs that a switchport carries; empty for a routed port."""
    block = device.interface(name) or Node("")
    group = block.value("channel-group", "group")
    block = (device.interface(f"port-channel{group}") if group else None) or block
    if device.routed(name, block):
        return set()
    mode = block.get("switchport mode")
    if mode is None or mode.line.endswith("access"):
        return {int(block.value("switchport access vlan", "vlan", "1"))}
    allowed = block.get("switchport trunk allowed vlan")
    listed = allowed.line.rpartition(" ")[2] if allowed else "1-4094"
    return set() if listed == "none" else set(numbers(listed, 1, 4094))


def short(name: str) -> str:
    """The abbreviation that tables use: Eth1/1, Po10, Lo0."""
    for full, brief in (("Ethernet", "Eth"), ("port-channel", "Po"), ("loopback", "Lo")):
        if name.startswith(full):
            return brief + name.removeprefix(full)
    return name


def mac(device: Device, name: str = "") -> str:
    """A stable address per switch and interface, locally administered, dotted as the device shows it."""
    return station(device.switch.serial, name)


def station(serial: str, name: str = "") -> str:
    """The same of any box, by its serial number."""
    return dotted(f"02{zlib.crc32(f'{serial}{name}'.encode()):08x}00")


def dotted(digits: str) -> str:
    """Twelve hexadecimal digits as the device writes a MAC address: 0200.0010.0100."""
    return ".".join(digits[at : at + 4] for at in (0, 4, 8))
