"""Virtual functions: which NIC a selector means, and what a NIC's functions are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.hardware import vendor
from podwright.lab.openshift.interfaces import Interface
from podwright.lab.world.model import Nic

PREFIX = "openshift.io/"
"""Resource prefix of the SR-IOV operator on OpenShift."""


@dataclass(frozen=True)
class Functions:
    """Virtual functions of one physical function, as a policy wants them or as they are."""

    policy: str
    resource: str
    count: int
    mtu: int
    rdma: bool
    device_type: str = "netdevice"


def selects(selector: dict[str, Any], nic: Nic, name: str) -> bool:
    """True when a nicSelector means this NIC, called `name`: every criterion that is given must hold."""
    if not any(selector.get(key) for key in ("vendor", "deviceID", "rootDevices", "pfNames", "netFilter")):
        return False
    names = [str(name).partition("#")[0] for name in selector.get("pfNames") or []]
    return (
        selector.get("vendor") in (None, "", vendor(nic))
        and selector.get("deviceID") in (None, "", nic.device)
        and (not selector.get("rootDevices") or nic.pci in selector["rootDevices"])
        and (not names or name in names)
    )


def uses_functions(pod: Object) -> bool:
    """True when a container of the pod asks for an SR-IOV resource."""
    return any(
        key.startswith(PREFIX)
        for container in pod["spec"]["containers"]
        for key in (container.get("resources") or {}).get("limits") or {}
    )


def virtual_functions(
    nic: Nic, functions: Functions, names: Mapping[tuple[str, int], Interface]
) -> list[dict[str, Any]]:
    """The functions as a node state lists them, by the system's `names`."""
    return [
        {
            "name": names[nic.name, index].netdev, "pciAddress": function_address(nic, index), "vfID": index,
            "vendor": vendor(nic), "deviceID": "101e", "driver": "mlx5_core", "mtu": functions.mtu,
        }
        for index in range(functions.count)
    ]  # fmt: skip


def function_address(nic: Nic, index: int) -> str:
    """PCI address of a virtual function: routing ids follow the physical function's, from offset 2 on."""
    domain, bus, rest = nic.pci.split(":")
    number = int(rest.partition(".")[0], 16) * 8 + int(rest.partition(".")[2]) + 2 + index
    return f"{domain}:{int(bus, 16) + number // 256:02x}:{number % 256 // 8:02x}.{number % 8}"
