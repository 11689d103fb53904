"""Section `underlay`: loopback and numbered eBGP, one autonomous system per leaf, one for all spines."""

from ipaddress import IPv4Address

from components.design.fabric.model import Config, Uplink
from components.spec import Fabric, Leaf, Spine

LOCAL = "FABRIC_LOCAL"
"""Prefix-list and route-map of what a switch tells its neighbours."""
MAXIMUM_PATHS = 64
"""NX-OS takes up to 128; a leaf has at most 64 ports."""


def routing(fabric: Fabric, switch: Leaf | Spine, router_id: IPv4Address, links: list[Uplink]) -> Config:
    """Loopback, prefix-list, route-map and BGP of one switch.

    The prefix-list names the pools, not the switch's own prefixes: `redistribute direct` only has its own anyway, and
    a rail more then changes one SVI and nothing here. /31 link addresses stay local: nobody has to reach them.
    """
    addressing = fabric.addressing
    return {
        "interface loopback0": f"description router id\nip address {router_id}/32",
        f"ip prefix-list {LOCAL} seq 5 permit {addressing.loopbacks} eq 32": "",
        f"ip prefix-list {LOCAL} seq 10 permit {addressing.hosts} eq {24 if fabric.host_ports == 'access' else 31}": "",
        f"route-map {LOCAL} permit 10": f"match ip address prefix-list {LOCAL}",
        f"router bgp {switch.asn}": _bgp(fabric, switch, router_id, links),
    }


def _bgp(fabric: Fabric, switch: Leaf | Spine, router_id: IPv4Address, links: list[Uplink]) -> str:
    lines = [
        f"router-id {router_id}",
        # Two leaves' paths differ in the AS number only; without this a spine would use one of them.
        "bestpath as-path multipath-relax",
        "address-family ipv4 unicast",
        f"  redistribute direct route-map {LOCAL}",
        f"  maximum-paths {MAXIMUM_PATHS}",
    ]
    for link in links:
        lines += _neighbor(fabric, switch, link)
    return "\n".join(lines)


def _neighbor(fabric: Fabric, switch: Leaf | Spine, link: Uplink) -> list[str]:
    if isinstance(switch, Leaf):
        address, asn, name = link.spine_address, fabric.spines[link.spine].asn, f"{link.spine} {link.spine_port}"
    else:
        address, asn, name = link.leaf_address, fabric.leaves[link.leaf].asn, f"{link.leaf} {link.leaf_port}"
    return [
        f"neighbor {address}",
        "  bfd",
        f"  remote-as {asn}",
        f"  description {name}",
        "  address-family ipv4 unicast",
    ]
