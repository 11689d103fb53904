"""Section `overlay`: VXLAN with EVPN between the leaves of a tenant, over OSPF; the spines reflect its routes.

Every rail's subnet is on one leaf, so a tenant is a VRF with one layer-3 VNI and routes of type 5. What leaves the
tunnel is classified by the policy on nve1, as what enters a port is by the port's: without it RoCE would arrive in the
default class (Cisco Nexus 9000 VXLAN guide, QoS on the egress VTEP).
"""

from ipaddress import IPv4Address

from podwright.components.design.fabric import addressing, hardening, qos, tenancy, underlay
from podwright.components.design.fabric.model import Config
from podwright.components.model import EvpnTenancy, Fabric, Leaf, Spine


def runs(fabric: Fabric) -> bool:
    """Whether tenants are carried by VXLAN."""
    return isinstance(fabric.tenancy, EvpnTenancy)


def features(fabric: Fabric, leaf: str | None) -> Config:
    """Features of a leaf (by name) or of a spine (None), before the others: commands of EVPN exist only behind them."""
    if not runs(fabric):
        return {}
    config: Config = {"nv overlay evpn": "", "feature bgp": ""}
    if leaf is not None and tenancy.of_leaf(fabric, leaf):
        config |= {"feature vn-segment-vlan-based": "", "feature nv overlay": ""}
    return config


def vlans(fabric: Fabric, leaf: str) -> Config:
    """The VLAN that stands for the tenant's VNI on its leaf, and the VRF."""
    config = tenancy.contexts(fabric, [leaf])
    name = tenancy.of_leaf(fabric, leaf)
    if not runs(fabric) or name is None:
        return config
    index = tenancy.tenants(fabric)[name].index
    segment = f"name tenant-{name}\nvn-segment {tenancy.FIRST_VNI + index}"
    return {f"vlan {tenancy.FIRST_VLAN + index}": segment, **config}


def tunnel(fabric: Fabric, name: str, leaf: Leaf) -> Config:
    """The tenant's routing interface, the tunnel's end and its address."""
    owner = tenancy.of_leaf(fabric, name)
    if not runs(fabric) or owner is None:
        return {}
    index = tenancy.tenants(fabric)[owner].index
    address = fabric.addressing.loopbacks.network_address + 128 + leaf.index
    routed = (
        f"description tenant {owner} between leaves",
        "no shutdown",
        f"mtu {fabric.lossless.mtu}",
        f"vrf member {owner}",
        "no ip redirects",
        "ip forward",
    )
    tunnel_end = ("description tunnel end", f"ip address {address}/32", *underlay.in_area(fabric))
    nve = (
        "no shutdown",
        "host-reachability protocol bgp",
        "source-interface loopback1",
        f"service-policy type qos input {qos.CLASSIFICATION}",
        f"member vni {tenancy.FIRST_VNI + index} associate-vrf",
    )
    return {
        f"interface Vlan{tenancy.FIRST_VLAN + index}": "\n".join(routed),
        "interface loopback1": "\n".join(tunnel_end),
        "interface nve1": "\n".join(nve),
    }


def peers(fabric: Fabric, name: str) -> dict[str, IPv4Address]:
    """Loopback by hostname of those a switch speaks EVPN with: every leaf with a tenant with every spine."""
    speakers = [each for each in fabric.leaves if runs(fabric) and tenancy.of_leaf(fabric, each)]
    if name in fabric.spines:
        return {each: addressing.loopback(fabric, fabric.leaves[each]) for each in speakers}
    far = fabric.spines.items() if name in speakers else ()
    return {each: addressing.loopback(fabric, spine) for each, spine in far}


def routing(fabric: Fabric, name: str, switch: Leaf | Spine) -> Config:
    """iBGP for EVPN, the spines reflecting."""
    far = peers(fabric, name)
    if not runs(fabric) or (isinstance(switch, Leaf) and not far):
        return {}
    router_id = addressing.loopback(fabric, switch)
    reflecting = ["    route-reflector-client"] if isinstance(switch, Spine) else []
    lines = [f"router-id {router_id}"]
    for peer, address in far.items():
        lines += [
            f"neighbor {address}",
            f"  remote-as {switch.asn}",
            f"  description {peer}",
            "  update-source loopback0",
            *(f"  {line}" for line in hardening.password(fabric)),
            "  address-family l2vpn evpn",
            "    send-community",
            "    send-community extended",
            *reflecting,
        ]
    owner = tenancy.of_leaf(fabric, name) if isinstance(switch, Leaf) else None
    if owner:
        lines += [
            f"vrf {owner}",
            "  address-family ipv4 unicast",
            "    advertise l2vpn evpn",
            f"    redistribute direct route-map {underlay.LOCAL}",
            f"    maximum-paths ibgp {fabric.underlay.maximum_paths}",
        ]
    return {f"router bgp {switch.asn}": "\n".join(lines)}
