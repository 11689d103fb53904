"""vNICs: how an Intersight-managed server reaches the frontend.

Two vNICs, one per fabric or uplink. VLANs are defined in different objects on the two platforms: vnic.EthNetworkPolicy
on a standalone server, fabric.EthNetworkGroupPolicy behind Fabric Interconnects. RoCE between GPUs never runs here.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from podwright.components.design.compute import vnic_templates
from podwright.components.design.compute.extra import over
from podwright.components.design.compute.model import Child, IntersightObject
from podwright.components.design.hardware import platform, server_model
from podwright.components.model import Effective, Pair, Server

DESIGNED = ("eth0", "eth1")
"""vNICs of every server with a VIC, one for each fabric or uplink; the first is the one it boots by."""

MTU = 9000
"""vnic.EthQosPolicy allows 1500 to 9158, less than the switches' 9216."""

MAC_PREFIX = "00:25:B5"
"""Cisco's prefix for pooled MAC addresses (UCS Manager and Intersight defaults)."""
BLOCK = 256
"""Addresses of a block."""
FORMER = (0xB0, 0x00)
"""The block of every cluster of earlier releases: 00:25:B5:B0:00:00."""


def policies(
    role: str,
    name: str,
    server: Server,
    settings: Effective,
    frontend: Pair | None,
    objects: dict[str, IntersightObject],
) -> Iterator[IntersightObject]:
    """LAN connectivity of one server and what it refers to, added to `objects`; none for models without a VIC."""
    if server_model(server.model).vic is None:
        return
    attached = platform(server) == "FIAttached"
    ids, native = vlans(frontend), machine_vlan(frontend)
    shared = _attached(role, ids, native) if attached else _standalone(role, ids)
    made = [*shared.values(), *_common(role).values()]
    carried = dict.fromkeys(DESIGNED, shared)
    for key, vnic in settings.settings.vnics.items():
        carried[key] = shared
        if vnic.vlans is not None:
            own, label = tuple(sorted(set(vnic.vlans))), f"-{settings.owner_of('vnics', key)}-{key}"
            untagged = native if native in own else 0
            narrowed = _attached(role, own, untagged, label) if attached else _standalone(role, own, label)
            made += narrowed.values()
            carried[key] = {**shared, **narrowed}
    for each in made:
        objects.setdefault(each.name, each)
    lan = _lan(role, name, server, settings, carried)
    if attached:
        lan = replace(lan, children=tuple(_derived(role, each, settings, objects) for each in lan.children))
    yield objects.setdefault(lan.name, lan)


def _derived(role: str, vnic: Child, settings: Effective, objects: dict[str, IntersightObject]) -> Child:
    """The vNIC, from a template where the file wants it so; the template is added to `objects`."""
    defined = settings.settings.vnics.get(vnic.name)
    if defined is None or not defined.derived:
        return vnic
    pool = dict(zip(("object_type", "name"), _pool_of(role), strict=True))
    source = vnic_templates.template(role, vnic, settings.owner_of("vnics", vnic.name), pool)
    return vnic_templates.attached(vnic, objects.setdefault(source.name, source))


def mac_pool(
    role: str, servers: Mapping[str, Server], settings: Mapping[str, Effective], first: str | None
) -> IntersightObject | None:
    """Addresses of the vNICs of attached servers that the file gives none, from `first` on; None without such vNICs.

    The first vNIC's address is the `boot_mac` of the file, the second's its `bond_mac` where there is one, since the
    installer must know them before the server boots. A template takes the pool along in any case.
    Where the file names no `first` it follows from the role's name, so that two clusters give out different addresses;
    a pool that exists keeps its block then: another one would take servers their addresses.
    """
    attached = {name: server for name, server in servers.items() if platform(server) == "FIAttached"}
    vnics = {name: settings[name].settings.vnics for name in attached}
    leased = sum(len({*DESIGNED, *vnics[name]} - {*_static(server)}) for name, server in attached.items())
    if not leased and not any(vnic.derived for each in vnics.values() for vnic in each.values()):
        return None
    block = {
        "ClassId": "macpool.Block",
        "ObjectType": "macpool.Block",
        "From": (first or _own_block(role)).upper(),
        "Size": BLOCK * max(1, -(-leased // BLOCK)),
    }
    properties = {"AssignmentOrder": "sequential", "MacBlocks": [block]}
    return IntersightObject(*_pool_of(role), properties, initial=() if first else ("MacBlocks",))


def _static(server: Server) -> dict[str, str]:
    """Addresses of vNICs that the file names."""
    named = zip(DESIGNED, (server.boot_mac, server.bond_mac), strict=True)
    return {key: mac for key, mac in named if mac is not None}


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


def _standalone(role: str, ids: tuple[int, ...], label: str = "") -> dict[str, IntersightObject]:
    # The switch leaves the machine VLAN untagged, so the vNIC has no default VLAN of its own.
    settings: dict[str, Any] = {"Mode": "TRUNK", "DefaultVlan": 0}
    if allowed := ranges(ids):
        settings["AllowedVlans"] = allowed
    properties = {"TargetPlatform": "Standalone", "VlanSettings": settings}
    return {"vlans": IntersightObject("vnic.EthNetworkPolicy", f"{role}-vnic-vlans{label}", properties)}


def _attached(role: str, ids: tuple[int, ...], native: int, label: str = "") -> dict[str, IntersightObject]:
    group = {"VlanSettings": {"AllowedVlans": ranges(ids), "NativeVlan": native}}
    control = {
        "CdpEnabled": False,
        "LldpSettings": {"TransmitEnabled": True, "ReceiveEnabled": True},
        "MacRegistrationMode": "allVlans",
        "UplinkFailAction": "linkDown",
        "ForgeMac": "allow",
    }
    return {
        "group": IntersightObject("fabric.EthNetworkGroupPolicy", f"{role}-vlan-group{label}", group),
        "control": IntersightObject("fabric.EthNetworkControlPolicy", f"{role}-vnic-control", control),
    }


def _lan(
    role: str, name: str, server: Server, settings: Effective, carried: Mapping[str, Mapping[str, IntersightObject]]
) -> IntersightObject:
    """Standalone servers of one slot share a policy, as far as their settings are alike; an attached server has its
    own, for its boot address. `carried` are the VLANs of each vNIC."""
    slot, attached = server_model(server.model).vic or "", platform(server) == "FIAttached"
    vnics = []
    for number, (key, shared) in enumerate(carried.items()):
        vnic = _vnic(role, server, key, number, shared)
        defined = settings.settings.vnics.get(key)
        vnics.append(replace(vnic, properties=over(vnic.properties, defined.properties)) if defined else vnic)
    owner = settings.owner("vnics")
    label = f"lan-{slot.lower()}" + (f"-{owner}" if owner else "")
    if attached or owner == settings.server:
        label = f"lan-{name}"
    properties = {"TargetPlatform": "FIAttached" if attached else "Standalone", "PlacementMode": "custom"}
    return IntersightObject("vnic.LanConnectivityPolicy", f"{role}-{label}", properties, {}, tuple(vnics))


def _vnic(role: str, server: Server, key: str, number: int, shared: Mapping[str, IntersightObject]) -> Child:
    attached = "group" in shared
    placement: dict[str, Any] = {"Id": server_model(server.model).vic, "PciLink": 0, "PciLinkAssignmentMode": "Custom"}
    placement |= {"SwitchId": "AB"[number % 2], "Uplink": 0} if attached else {"SwitchId": "None", "Uplink": number % 2}
    properties: dict[str, Any] = {"Order": number, "Placement": placement, "FailoverEnabled": False}
    common = {what: each.reference for what, each in _common(role).items()}
    references: dict[str, Any] = {"EthQosPolicy": common["qos"], "EthAdapterPolicy": common["adapter"]}
    if not attached:
        references["EthNetworkPolicy"] = shared["vlans"].reference
        return Child("vnic.EthIf", key, properties, references)
    references["FabricEthNetworkGroupPolicy"] = (shared["group"].reference,)
    references["FabricEthNetworkControlPolicy"] = shared["control"].reference
    # The installer knows hosts by these addresses before they boot.
    if (static := _static(server).get(key)) is not None:
        properties |= {"MacAddressType": "STATIC", "StaticMacAddress": static.upper()}
    else:
        properties["MacAddressType"] = "POOL"
        references["MacPool"] = dict(zip(("object_type", "name"), _pool_of(role), strict=True))
    return Child("vnic.EthIf", key, properties, references)
