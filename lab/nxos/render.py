"""The running configuration as text, in the device's shape: canonical order, defaults left out, two-space indents."""

from __future__ import annotations

from collections.abc import Callable

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.kinds import numbers, ranges
from podwright.lab.nxos.table import table
from podwright.lab.nxos.tree import Node

_QUEUES = ("policy-map type queuing ", "policy-map type network-qos ")
"""Policies of which no source says in which order their classes are shown; their order means nothing."""

Keep = Callable[[Node], bool]


def displayed(device: Device, parent: Node, node: Node) -> bool:
    """False for a line that only repeats the default, and for a hollow block with nothing in it."""
    command = node.command
    if command is None:
        return True
    empty = device.form("empty-blocks") == "hidden"
    if command.hollow and empty and not any(displayed(device, node, child) for child in node.children.values()):
        return False
    if command.toggle is not None:
        default = device.toggle_default(command, parent)
        return node.line.startswith("no ") == default
    return node.line != command.default


def children(device: Device, parent: Node, depth: int) -> list[str]:
    """The lines below `parent`, indented two spaces per level."""
    if parent.command is not None and parent.command.closes:
        return [*(node.line for node in parent.children.values()), "", parent.command.closes]
    lines: list[str] = []
    for node in _below(device, parent):
        if displayed(device, parent, node):
            lines.append("  " * depth + node.line)
            lines += children(device, node, depth + 1)
    return lines


def _below(device: Device, parent: Node) -> list[Node]:
    if parent.line.startswith(_QUEUES) and device.form("classes") == "by-name":
        return sorted(parent.children.values(), key=lambda node: node.line)
    return parent.sorted() if device.form("order") == "by-command" else list(parent.children.values())


def body(device: Device, root: Node, keep: Keep | None = None) -> str:
    """The configuration below the header lines. `keep` selects top-level blocks."""
    out: list[str] = []
    last = ""
    for node in _top(root):
        if (keep is not None and not keep(node)) or not displayed(device, root, node):
            continue
        blank = node.command.blank if node.command else None
        group = node.line.split()[0] if blank == "group" else (blank or "")
        if out and (blank == "each" or group != last):
            out.append("")
        last = group
        out.append(node.line)
        out += children(device, node, 1)
    return "\n".join(out)


def _top(root: Node) -> list[Node]:
    """Top-level nodes, with the VLAN database shown as the device does: one list, then named VLANs."""
    nodes = root.sorted()
    vlans = [node for node in nodes if node.line.startswith("vlan ")]
    row = next(r for r in table().rows["config"] if r.effect == "vlan")
    listed = sorted({1, *(number for node in vlans for number in numbers(node.line[5:], 1, 4094))})
    at = sum(1 for node in nodes if node.command is not None and node.command.order < row.order)
    named = [node for node in vlans if node.children]
    return [*nodes[:at], Node(f"vlan {ranges(listed)}", row), *named, *nodes[at + len(vlans) :]]


def running(device: Device, command: str, root: Node | None = None, keep: Keep | None = None) -> str:
    """What `show running-config` and its relatives print, header included."""
    text = body(device, root or device.root, keep)
    return (
        f"\n!Command: {command}\n"
        f"!Running configuration last done at: {device.clock.stamp(device.changed)}\n"
        f"!Time: {device.clock.stamp()}\n\n"
        f"version {device.switch.release} Bios:version {device.bios}\n" + ("" if keep is None else "\n") + f"{text}\n"
    )
