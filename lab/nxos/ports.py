"""Lines that make interfaces, clear them, and turn them from one layer, VRF or port-channel to another."""

from __future__ import annotations

from collections.abc import Callable

from podwright.lab.nxos.change import Change
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.kinds import INTERFACE, numbers, ranges
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.table import table
from podwright.lab.nxos.tree import Node


def interface(change: Change) -> list[Node]:
    """Enter, create or delete interfaces; physical ports can be entered only."""
    entered = []
    for name in change.values["ports"].split(","):
        _refuse_interface(change, name)
        key = f"interface {name}"
        present = change.parent.get(key)
        if not change.negate:
            entered.append(change.parent.children.setdefault(key, present or Node(key, change.command)))
        elif name.startswith(("Ethernet", "mgmt")) and "." not in name:
            raise RefusedError("% Invalid command at '^' marker.", 3)
        elif present:
            del change.parent.children[key]
            _leave_groups(change.device, name)
    return entered


def _refuse_interface(change: Change, name: str) -> None:
    device = change.device
    kind = INTERFACE.match(name)
    known = device.interface(name) is not None or not name.startswith(("Ethernet", "mgmt", "nve"))
    known = known or (name == "nve1" and device.has_feature("nv overlay")) or _on_a_routed_port(device, name)
    if name.startswith("Vlan"):
        known = device.has_feature("interface-vlan") and 1 <= int(name[4:]) <= 3967
    elif kind and kind["kind"] == "loopback":
        known = int(kind["number"]) <= 1023
    elif kind and kind["kind"] == "port-channel":
        known = 1 <= int(kind["number"]) <= 4096
    if not known:
        raise RefusedError("Invalid interface format at '^' marker.", len("interface ") + (3 if change.negate else 0))


def _on_a_routed_port(device: Device, name: str) -> bool:
    """A subinterface is made on a port of layer 3."""
    parent, dot, _ = name.partition(".")
    block = device.interface(parent)
    return bool(dot) and block is not None and device.routed(parent, block)


def _leave_groups(device: Device, name: str) -> None:
    """Deleting a port-channel frees its members."""
    if name.startswith("port-channel"):
        for block in device.interfaces("Ethernet").values():
            if block.value("channel-group", "group") == name.removeprefix("port-channel"):
                del block.children["channel-group"]


def default_interface(change: Change) -> list[Node]:
    """`default interface` clears a block; the interface itself stays."""
    for name in change.values["ports"].split(","):
        block = change.device.interface(name)
        if block is None:
            raise RefusedError("Invalid interface format at '^' marker.", len("default interface "))
        block.children.clear()
    return []


def _drop_layer(block: Node, layer: int) -> None:
    for setting, child in list(block.children.items()):
        if child.command is not None and child.command.layer == layer:
            del block.children[setting]


def switchport(change: Change) -> list[Node]:
    """Changing between layers drops the configuration of the other one, and the MTU of a port that keeps none."""
    _drop_layer(change.parent, 2 if change.negate else 3)
    change.store("no switchport" if change.negate else "switchport")
    return []


def port_default(change: Change) -> list[Node]:
    """Ports and port-channels on which something of a layer stands keep it; the others change with the default."""
    row = next(r for r in table().rows["if"] if r.effect == "switchport")
    device = change.device
    for name, block in (*device.interfaces("Ethernet").items(), *device.interfaces("port-channel").items()):
        if "switchport" not in block.children and any(c.command and c.command.layer for c in block.children.values()):
            block.children["switchport"] = Node("no switchport" if device.routed(name, block) else "switchport", row)
    change.store(f"no {change.line}" if change.negate else change.line)
    return []


def trunk_allowed(change: Change) -> list[Node]:
    """`add`, `remove` and `except` work on the list that is there."""
    setting, words = change.setting, change.found.match.words
    if change.negate:
        change.drop()
        return []
    old = change.existing.line.rpartition(" ")[2] if change.existing else "1-4094"
    have = set() if old == "none" else set(numbers(old, 1, 4094))
    typed = set(numbers(change.values.get("list", "1-4094"), 1, 4094))
    word = words[4]
    result = {
        "none": set(), "all": set(range(1, 4095)), "add": have | typed, "remove": have - typed,
        "except": set(range(1, 4095)) - typed,
    }.get(word, typed)  # fmt: skip
    change.store(f"{setting} {ranges(sorted(result)) or 'none'}")
    return []


def vrf_member(change: Change) -> list[Node]:
    """Moving an interface to another VRF deletes its layer 3 configuration."""
    if change.negate or change.parent.value("vrf member", "vrf") != change.values.get("vrf"):
        _drop_layer(change.parent, 3)
        if not change.negate:
            change.store()
    return []


_COMPATIBLE = {
    "switchport mode": "port mode",
    "switchport access vlan": "access vlan",
    "switchport trunk native vlan": "native vlan",
    "switchport trunk allowed vlan": "allowed vlan list",
    "mtu": "mtu",
}
"""What a member must have as its port-channel does (interfaces guide, compatibility requirements)."""


def channel_group(change: Change) -> list[Node]:
    """Joining creates the port-channel; the member must be compatible with it."""
    if change.negate:
        change.drop()
        return []
    device, name = change.device, f"port-channel{change.values['group']}"
    mode = change.found.match.words[-1] if "mode" in change.found.match.words else "on"
    if mode != "on" and not device.has_feature("lacp"):
        raise RefusedError("ERROR: LACP feature is not enabled")
    row = next(r for r in table().rows["config"] if r.effect == "interface")
    fresh = Node(f"interface {name}", row)
    if (layer := change.parent.get("switchport")) is not None:
        fresh.children["switchport"] = layer.copy()
    bundle = device.root.children.setdefault(f"interface {name}", fresh)
    if bundle is not fresh and bundle.children and "force" not in change.found.match.words:
        if device.routed(change.interface, change.parent) != device.routed(name, bundle):
            raise RefusedError("command failed: port not compatible [port mode]")
        for setting, what in _COMPATIBLE.items():
            ours, theirs = change.parent.get(setting), bundle.get(setting)
            if (ours.line if ours else None) != (theirs.line if theirs else None):
                raise RefusedError(f"command failed: port not compatible [{what}]")
    change.store(f"channel-group {change.values['group']}" + (f" mode {mode}" if mode != "on" else ""))
    return []


EFFECTS: dict[str, Callable[[Change], list[Node]]] = {
    effect.__name__: effect
    for effect in (
        interface, default_interface, switchport, port_default, trunk_allowed, vrf_member, channel_group,
    )
}  # fmt: skip
"""Name in the command table to function."""
