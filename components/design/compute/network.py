"""vNICs: how an Intersight-managed server reaches the frontend.

Two vNICs, one per fabric or uplink. VLANs are said in different objects on the two platforms: vnic.EthNetworkPolicy
on a standalone server, fabric.EthNetworkGroupPolicy behind Fabric Interconnects. RoCE between GPUs never runs here.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from podwright.components.design.compute.model import Child, IntersightObject
from podwright.components.design.hardware import server_model
from podwright.components.model import Cluster

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


def policies(cluster: Cluster, name: str, objects: dict[str, IntersightObject]) -> Iterator[IntersightObject]:
    """LAN connectivity of one server and what it refers to, added to `objects`; none for models without a VIC."""
    server = cluster.servers[name]
    slot = VIC_SLOTS.get(server.model)
    if slot is None:
        return
    attached = server_model(server.model).platform == "FIAttached"
    shared = _attached(cluster) if attached else _standalone(cluster)
    for each in (*shared.values(), *_common(cluster).values()):
        objects.setdefault(each.name, each)
    lan = _lan(cluster, name, slot, attached=attached)
    yield objects.setdefault(lan.name, lan)


def mac_pool(cluster: Cluster) -> IntersightObject | None:
    """Addresses of the second vNIC of every attached server; None without such servers.

    The first vNIC's address is the `boot_mac` of the file, since the installer must know it before the server boots.
    """
    attached = [s for s in cluster.servers.values() if server_model(s.model).platform == "FIAttached"]
    if not attached:
        return None
    block = {"ClassId": "macpool.Block", "ObjectType": "macpool.Block", "From": f"{MAC_PREFIX}:B0:00:00", "Size": 256}
    return IntersightObject(
        "macpool.Pool", f"{cluster.name}-mac-b", {"AssignmentOrder": "sequential", "MacBlocks": [block]}
    )


def vlans(cluster: Cluster) -> tuple[int, ...]:
    """VLAN ids of the frontend, ascending; none without one."""
    return tuple(sorted(vlan.id for vlan in cluster.fabric.frontend.vlans.values())) if cluster.fabric.frontend else ()


def ranges(ids: tuple[int, ...]) -> str:
    """VLAN ids the way the server stores them, since it rewrites lists into ranges: 10-12,20."""
    if not ids:
        return ""
    breaks = [index + 1 for index, (low, high) in enumerate(pairwise(ids)) if high != low + 1]
    runs = [ids[start:end] for start, end in pairwise([0, *breaks, len(ids)])]
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def machine_vlan(cluster: Cluster) -> int:
    """VLAN of the machine network, 0 where no frontend is described."""
    frontend = cluster.fabric.frontend
    found = [vlan.id for vlan in frontend.vlans.values() if vlan.purpose == "machine"] if frontend else []
    return found[0] if found else 0


def _common(cluster: Cluster) -> dict[str, IntersightObject]:
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
        "qos": IntersightObject("vnic.EthQosPolicy", f"{cluster.name}-vnic-qos", qos),
        "adapter": IntersightObject("vnic.EthAdapterPolicy", f"{cluster.name}-vnic-adapter", adapter),
    }


def _standalone(cluster: Cluster) -> dict[str, IntersightObject]:
    # The switch leaves the machine VLAN untagged, so the vNIC has no default VLAN of its own.
    settings: dict[str, Any] = {"Mode": "TRUNK", "DefaultVlan": 0}
    if allowed := ranges(vlans(cluster)):
        settings["AllowedVlans"] = allowed
    properties = {"TargetPlatform": "Standalone", "VlanSettings": settings}
    return {"vlans": IntersightObject("vnic.EthNetworkPolicy", f"{cluster.name}-vnic-vlans", properties)}


def _attached(cluster: Cluster) -> dict[str, IntersightObject]:
    native = machine_vlan(cluster)
    group = {"VlanSettings": {"AllowedVlans": ranges(vlans(cluster)), "NativeVlan": native}}
    control = {
        "CdpEnabled": False,
        "LldpSettings": {"TransmitEnabled": True, "ReceiveEnabled": True},
        "MacRegistrationMode": "allVlans",
        "UplinkFailAction": "linkDown",
        "ForgeMac": "allow",
    }
    return {
        "group": IntersightObject("fabric.EthNetworkGroupPolicy", f"{cluster.name}-vlan-group", group),
        "control": IntersightObject("fabric.EthNetworkControlPolicy", f"{cluster.name}-vnic-control", control),
    }


def _lan(cluster: Cluster, name: str, slot: str, *, attached: bool) -> IntersightObject:
    """Standalone servers of one slot share a policy; an attached server has its own, for its boot address."""
    vnics = tuple(_vnic(cluster, name, slot, number, attached=attached) for number in (0, 1))
    label = f"lan-{name}" if attached else f"lan-{slot.lower()}"
    properties = {"TargetPlatform": "FIAttached" if attached else "Standalone", "PlacementMode": "custom"}
    return IntersightObject("vnic.LanConnectivityPolicy", f"{cluster.name}-{label}", properties, {}, vnics)


def _vnic(cluster: Cluster, name: str, slot: str, number: int, *, attached: bool) -> Child:
    fabric = "AB"[number]
    placement: dict[str, Any] = {"Id": slot, "PciLink": 0, "PciLinkAssignmentMode": "Custom"}
    placement |= {"SwitchId": fabric, "Uplink": 0} if attached else {"SwitchId": "None", "Uplink": number}
    properties: dict[str, Any] = {"Order": number, "Placement": placement, "FailoverEnabled": False}
    common = {key: each.reference for key, each in _common(cluster).items()}
    references: dict[str, Any] = {"EthQosPolicy": common["qos"], "EthAdapterPolicy": common["adapter"]}
    if not attached:
        references["EthNetworkPolicy"] = _standalone(cluster)["vlans"].reference
        return Child("vnic.EthIf", f"eth{number}", properties, references)
    own = _attached(cluster)
    references["FabricEthNetworkGroupPolicy"] = (own["group"].reference,)
    references["FabricEthNetworkControlPolicy"] = own["control"].reference
    if number == 0:
        boot_mac = cluster.servers[name].boot_mac.upper()
        properties |= {"MacAddressType": "STATIC", "StaticMacAddress": boot_mac}
    else:
        properties["MacAddressType"] = "POOL"
        pool = mac_pool(cluster)
        assert pool is not None
        references["MacPool"] = pool.reference
    return Child("vnic.EthIf", f"eth{number}", properties, references)
