"""From a pod to the NICs it holds: SR-IOV functions that Multus attached, seen as rails of the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.multus import statuses
from podwright.lab.openshift.sriov.functions import function_address
from podwright.lab.world.model import Nic, Server, World
from podwright.lab.world.traffic import Flow, FlowResult
from podwright.lab.world.views import interface

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
    address: str = ""
    """The pod's address on it; empty where its network gives none."""


def rails_of(pod: Object, server: Server) -> list[Rail]:
    """RDMA devices that the pod can open, in attachment order."""
    found = []
    for row in statuses(pod):
        info = row.get("device-info")
        nic = _nic(server, info["pci"]["pci-address"]) if info else None
        if info and nic is not None and info["pci"].get("rdma-device"):
            address = next(iter(row.get("ips", [])), "")
            found.append(Rail(server.name, nic.name, info["pci"]["rdma-device"], rdma_mtu(nic.mtu), address))
    return found


def send(world: World, rows: Sequence[tuple[Rail, Rail, Flow]], seconds: float) -> list[FlowResult]:
    """What each flow between two rails gets; nothing where an end's address is not one that its leaf port reaches."""
    wrong = [_stranded(world, one) or _stranded(world, other) for one, other, _ in rows]
    sent = iter(world.traffic([flow for (*_, flow), reason in zip(rows, wrong, strict=True) if not reason], seconds))
    return [
        FlowResult(flow.source, flow.target, reason=reason) if reason else next(sent)
        for (*_, flow), reason in zip(rows, wrong, strict=True)
    ]


def _stranded(world: World, rail: Rail) -> str:
    """Why nothing comes to a pod by its address: the leaf port is in another network, or has that address itself."""
    far = world.neighbor(rail.server, rail.nic)
    if not rail.address or far is None or far[0] not in world.views:
        return ""
    networks = [interface(each) for each in world.views[far[0]].port(far[1]).networks]
    own = ip_address(rail.address)
    if not networks or any(own in each.network and own != each.ip for each in networks):
        return ""
    listed = ", ".join(map(str, networks))
    return f"{rail.server}:{rail.nic}: nothing answers for {own} behind {far[0]} {far[1]}, which has {listed}"


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
