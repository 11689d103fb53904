"""NICs as NVIDIA's NIC Configuration Operator sees them: one device a card, with a port for each of its PCI functions.

After Mellanox/nic-configuration-operator v1.3.1 (device discovery): a NicDevice is named after node, type and serial
number, and belongs to its node.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.hardware import MELLANOX, vendor
from podwright.lab.openshift.interfaces import Interface
from podwright.lab.world.model import Nic, Server

API = "configuration.net.nvidia.com/v1alpha1"
MODELS = {
    "1017": "ConnectX-5", "1019": "ConnectX-5 Ex", "101b": "ConnectX-6", "101d": "ConnectX-6 Dx",
    "101f": "ConnectX-6 Lx", "1021": "ConnectX-7",
    "1023": "ConnectX-8", "1025": "ConnectX-9", "a2d6": "BlueField-2", "a2dc": "BlueField-3",
}  # fmt: skip
"""Model names by PCI device id (pci.ids)."""
UPDATING = "ConfigUpdateInProgress"
"""Condition that tells how far a device's configuration is."""


@dataclass(frozen=True)
class Device:
    """One card of a server: NIC names of the world by port, in PCI order."""

    type: str
    serial: str
    ports: tuple[Nic, ...]

    def name(self, node: str) -> str:
        """Name of its NicDevice."""
        return f"{node}-{self.type}-{self.serial}".lower()

    @property
    def key(self) -> str:
        """PCI address without the function: what its firmware is known by."""
        return self.ports[0].pci.rpartition(".")[0]

    def status(self, node: str, names: Mapping[str, Interface]) -> dict[str, Any]:
        """What discovery writes, with the system's `names` of NICs; conditions are the daemon's."""
        return {
            "node": node, "type": self.type, "serialNumber": self.serial, "partNumber": "MCX75310AAS-NEAT",
            "psid": "MT_0000000838", "firmwareVersion": "28.45.1200", "dpu": False,
            "modelName": MODELS.get(self.type, self.type), "superNIC": False,
            "ports": [
                {
                    "pci": nic.pci, "networkInterface": names[nic.name].netdev,
                    "rdmaInterface": names[nic.name].rdma,
                }
                for nic in self.ports
            ],
        }  # fmt: skip


def devices(server: Server) -> list[Device]:
    """NVIDIA's cards of a server."""
    cards: dict[str, list[Nic]] = {}
    for nic in sorted(server.nics.values(), key=lambda each: each.pci):
        if nic.pci and vendor(nic) == MELLANOX:
            cards.setdefault(nic.pci.rpartition(".")[0], []).append(nic)
    return [Device(ports[0].device, _serial(server.serial, card), tuple(ports)) for card, ports in cards.items()]


def matches(template: Object, device: Object, node: Object) -> bool:
    """True when a template's selectors mean this NicDevice: every criterion that is given must hold."""
    spec, status = template["spec"], device.get("status") or {}
    labels = node["metadata"].get("labels", {})
    if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    wanted = spec["nicSelector"]
    addresses, serials = wanted.get("pciAddresses") or [], wanted.get("serialNumbers") or []
    return (
        wanted["nicType"] == status.get("type")
        and (not addresses or any(port["pci"] in addresses for port in status.get("ports", [])))
        and (not serials or status.get("serialNumber") in serials)
    )


def _serial(server: str, card: str) -> str:
    """A serial number in NVIDIA's form, the same at every start of the lab."""
    return f"MT2616{hashlib.sha256(f'{server}/{card}'.encode()).hexdigest()[:6].upper()}"
