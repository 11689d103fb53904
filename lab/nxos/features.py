"""What comes and goes with a feature."""

from __future__ import annotations

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.table import table
from podwright.lab.nxos.tree import Node


def switched_on(device: Device, name: str) -> None:
    """`feature interface-vlan` brings Vlan1."""
    if name == "interface-vlan":
        row = next(r for r in table().rows["config"] if r.effect == "interface")
        device.root.children.setdefault("interface Vlan1", Node("interface Vlan1", row))


def switched_off(device: Device, name: str) -> None:
    """Every line that belongs to the feature goes; SVIs go with interface-vlan, LACP members fall out of bundles."""
    device.root.prune({name})
    if name == "interface-vlan":
        for svi in list(device.interfaces("Vlan")):
            del device.root.children[f"interface {svi}"]
    if name == "nv overlay":
        device.root.children.pop("interface nve1", None)
    if name == "lacp":
        for block in device.interfaces("Ethernet").values():
            group = block.get("channel-group")
            if group is not None and " mode " in group.line:
                del block.children["channel-group"]
