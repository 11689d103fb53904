"""Who reaches the terminal lines of a switch: the access list of `line vty`."""

from __future__ import annotations

import ipaddress
import re

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.tree import Node

_SOURCE = re.compile(r"^(any|host (\S+)|(\S+/\d+)|(\d\S+) (\d\S+)) ")


def client(device: Device) -> str:
    """Where every session of the lab comes from: the second address of the management network, as the lab's published
    files do."""
    return f"{device.switch.management.rpartition('.')[0]}.2"


def admitted(device: Device, address: str) -> bool:
    """Whether the access list of the terminal lines permits an address; one that does not exist stops nobody."""
    lines = device.root.get("line vty")
    name = lines.value("access-class", "name") if lines else ""
    listed = device.root.get(f"ip access-list {name}") if name else None
    if listed is None:
        return True
    for entry in sorted(listed.children.values(), key=lambda node: int(node.values["seq"])):
        if "rest" in entry.values and ipaddress.ip_address(address) in source(entry):
            return entry.line.split()[1] == "permit"
    return False


def source(entry: Node) -> ipaddress.IPv4Network:
    """The networks that an entry is about. Raises ValueError for what is no source."""
    found = _SOURCE.match(f"{entry.values['rest']} ")
    if found is None:
        raise ValueError(entry.line)
    if found[1] == "any":
        return ipaddress.IPv4Network("0.0.0.0/0")
    return ipaddress.IPv4Network(found[2] or found[3] or f"{found[4]}/{found[5]}", strict=False)
