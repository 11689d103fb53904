"""From a pod to the NICs it holds: SR-IOV functions that Multus attached, seen as rails of the world."""

from __future__ import annotations

from dataclasses import dataclass

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.multus import device_infos, statuses
from podwright.lab.openshift.sriov.functions import function_address
from podwright.lab.world.model import Nic, Server

RDMA_MTUS = (4096, 2048, 1024, 512, 256)
HEADERS = 58
"""Bytes of RoCE v2 headers that must fit into the interface MTU beside the payload."""


@dataclass(frozen=True)
class Rail:
    """An RDMA device in a pod: server and NIC of the world, the device's name."""

    server: str
    nic: str
    device: str
    mtu: int


def rails_of(pod: Object, server: Server) -> list[Rail]:
    """RDMA devices that the pod can open, in attachment order."""
    found = []
    for info in device_infos(pod):
        nic = _nic(server, info["pci"]["pci-address"])
        if nic is not None and info["pci"].get("rdma-device"):
            found.append(Rail(server.name, nic.name, info["pci"]["rdma-device"], rdma_mtu(nic.mtu)))
    return found


def rail_addresses(pod: Object) -> list[str]:
    """Addresses of the pod on its extra networks."""
    return [ip for row in statuses(pod) if not row.get("default") for ip in row.get("ips", [])]


def rdma_mtu(interface: int) -> int:
    """The largest RDMA MTU that an interface MTU carries."""
    return next((mtu for mtu in RDMA_MTUS if mtu + HEADERS <= interface), RDMA_MTUS[-1])


def _nic(server: Server, address: str) -> Nic | None:
    for nic in server.nics.values():
        if nic.pci and address in {function_address(nic, index) for index in range(16)}:
            return nic
    return None
