"""vNICs: how an Intersight-managed server reaches the frontend.

Two vNICs, one per fabric or uplink. VLANs are said in different objects on the two platforms: vnic.EthNetworkPolicy
on a standalone server, fabric.EthNetworkGroupPolicy behind Fabric Interconnects. RoCE between GPUs never runs here.
"""

import hashlib
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from podwright.components.design.compute.model import Child, IntersightObject
from podwright.components.design.hardware import server_model
from podwright.components.model import Pair, Server

VIC_SLOTS = {
    "UCSC-C220-M7S": "MLOM",
    "UCSC-C225-M8N": "MLOM",
    "UCSC-C240-M7SX": "MLOM",
    "UCSC-C245-M8SX": "MLOM",
    "UCSX-210C-M7": "MLOM",
}
"""Slot of the Cisco VIC by model. Models that are absent (C845A) reach the frontend by BlueField and have no vNICs."""

MTU = 9000
"""vnic.EthQosPolicy allows 1500 to 9158, less than the switches' 9216."""

MAC_PREFIX = "00:25:B5"
"""Cisco's prefix for pooled MAC addresses (UCS Manager and Intersight defaults)."""
BLOCK = 256
"""Addresses of a block."""
FORMER = (0xB0, 0x00)
"""The block of every cluster of earlier releases: 00:25:B5:B0:00:00."""


def policies(
    role: str, name: str, server: Server, frontend: Pair | None, objects: dict[str, IntersightObject]
) -> Iterator[IntersightObject]:
    """LAN connectivity of one server and what it refers to, added to `objects`; none for models without a VIC."""
    slot = VIC_SLOTS.get(server.model)
    if slot is None:
        return
    attached = server_model(server.model).platform == "FIAttached"
    shared = _attached(role, frontend) if attached else _standalone(role, frontend)
    for each in (*shared.values(), *_common(role).values()):
        objects.setdefault(each.name, each)
    lan = _lan(role, name, server, shared)
    yield objects.setdefault(lan.name, lan)


def mac_pool(role: str, servers: Iterable[Server], first: str | None) -> IntersightObject | None:
    """Addresses of the second vNIC of every attached server, from `first` on; None without such servers.

    The first vNIC's address is the `boot_mac` of the file, since the installer must know it before the server boots.
    Where the file names no `first` it follows from the role's name, so that two clusters give out different addresses;
    a pool that exists keeps its block then: another one would take servers their addresses.
    """
    attached = sum(server_model(server.model).platform == "FIAttached" for server in servers)
    if not attached:
        return None
    block = {
        "ClassId": "macpool.Block",
        "ObjectType": "macpool.Block",
        "From": (first or _own_block(role)).upper(),
        "Size": BLOCK * -(-attached // BLOCK),
    }
    properties = {"AssignmentOrder": "sequential", "MacBlocks": [block]}
    return IntersightObject(*_pool_of(role), properties, initial=() if first else ("MacBlocks",))


def _own_block(role: str) -> str:
    """One of 65,535 blocks, by the role's name; never that of every cluster of earlier releases."""
    one, other = hashlib.sha256(role.encode()).digest()[:2]
    other = 1 if (one, other) == FORMER else other
    return f"{MAC_PREFIX}:{one:02X}:{other:02X}:00"


def _pool_of(role: str) -> tuple[str, str]:
    """Type and name of the pool."""
    return "macpool.Pool", f"{role}-mac-b"


def vlans(frontend: Pair | None) -> tuple[int, ...]:
    """VLAN ids of the frontend, ascending; none without one."""
    return tuple(sorted(vlan.id for vlan in frontend.vlans.values())) if frontend else ()


def ranges(ids: tuple[int, ...]) -> str:
    """VLAN ids the way the server stores them, since it rewrites lists into ranges: 10-12,20."""
    if not ids:
        return ""
    breaks = [index + 1 for index, (low, high) in enumerate(pairwise(ids)) if high != low + 1]
    runs = [ids[start:end] for start, end in pairwise([0, *breaks, len(ids)])]
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def machine_vlan(frontend: Pair | None) -> int:
    """VLAN of the machine network, 0 where no frontend is described."""
    found = [vlan.id for vlan in frontend.vlans.values() if vlan.purpose == "machine"] if frontend else []
    return found[0] if found else 0


def _common(role: str) -> dict[str, IntersightObject]:
    qos = {"Mtu": MTU, "Priority": "Best Effort", "Cos": 0, "RateLimit": 0, "TrustHostCos": False}
    # The VIC carries no RoCE: its adapter settings stay Cisco's Linux profile.
    adapter = {
        "InterruptSettings": {"Count": 11, "Mode": "MSIx", "CoalescingTime": 125, "CoalescingType": "MIN"},
        "RxQueueSettings": {"Count": 8, "RingSize": 4096},
        "TxQueueSettings": {"Count": 1, "RingSize": 4096},
        "CompletionQueueSettings": {"Count": 9, "RingSize": 1},
        "RssSettings": True,
    }
    return {
        "qos": IntersightObject("vnic.EthQosPolicy", f"{role}-vnic-qos", qos),
        "adapter": IntersightObject("vnic.EthAdapterPolicy", f"{role}-vnic-adapter", adapter),
    }


def _standalone(role: str, frontend: Pair | None) -> dict[str, IntersightObject]:
    # The switch leaves the machine VLAN untagged, so the vNIC has no default VLAN of its own.
    settings: dict[str, Any] = {"Mode": "TRUNK", "DefaultVlan": 0}
    if allowed := ranges(vlans(frontend)):
        settings["AllowedVlans"] = allowed
    properties = {"TargetPlatform": "Standalone", "VlanSettings": settings}
    return {"vlans": IntersightObject("vnic.EthNetworkPolicy", f"{role}-vnic-vlans", properties)}


def _attached(role: str, frontend: Pair | None) -> dict[str, IntersightObject]:
    native = machine_vlan(frontend)
    group = {"VlanSettings": {"AllowedVlans": ranges(vlans(frontend)), "NativeVlan": native}}
    control = {
        "CdpEnabled": False,
        "LldpSettings": {"TransmitEnabled": True, "ReceiveEnabled": True},
        "MacRegistrationMode": "allVlans",
        "UplinkFailAction": "linkDown",
        "ForgeMac": "allow",
    }
    return {
        "group": IntersightObject("fabric.EthNetworkGroupPolicy", f"{role}-vlan-group", group),
        "control": IntersightObject("fabric.EthNetworkControlPolicy", f"{role}-vnic-control", control),
    }


def _lan(role: str, name: str, server: Server, shared: dict[str, IntersightObject]) -> IntersightObject:
    """Standalone servers of one slot share a policy; an attached server has its own, for its boot address."""
    slot, attached = VIC_SLOTS[server.model], "group" in shared
    vnics = tuple(_vnic(role, server, number, shared) for number in (0, 1))
    label = f"lan-{name}" if attached else f"lan-{slot.lower()}"
    properties = {"TargetPlatform": "FIAttached" if attached else "Standalone", "PlacementMode": "custom"}
    return IntersightObject("vnic.LanConnectivityPolicy", f"{role}-{label}", properties, {}, vnics)


def _vnic(role: str, server: Server, number: int, shared: dict[str, IntersightObject]) -> Child:
    attached = "group" in shared
    placement: dict[str, Any] = {"Id": VIC_SLOTS[server.model], "PciLink": 0, "PciLinkAssignmentMode": "Custom"}
    placement |= {"SwitchId": "AB"[number], "Uplink": 0} if attached else {"SwitchId": "None", "Uplink": number}
    properties: dict[str, Any] = {"Order": number, "Placement": placement, "FailoverEnabled": False}
    common = {key: each.reference for key, each in _common(role).items()}
    references: dict[str, Any] = {"EthQosPolicy": common["qos"], "EthAdapterPolicy": common["adapter"]}
    if not attached:
        references["EthNetworkPolicy"] = shared["vlans"].reference
        return Child("vnic.EthIf", f"eth{number}", properties, references)
    references["FabricEthNetworkGroupPolicy"] = (shared["group"].reference,)
    references["FabricEthNetworkControlPolicy"] = shared["control"].reference
    if number == 0:
        properties |= {"MacAddressType": "STATIC", "StaticMacAddress": server.boot_mac.upper()}
    else:
        properties["MacAddressType"] = "POOL"
        references["MacPool"] = dict(zip(("object_type", "name"), _pool_of(role), strict=True))
    return Child("vnic.EthIf", f"eth{number}", properties, references)
