"""Section `interfaces`: host ports and fabric ports of the backend."""

from ipaddress import IPv4Address

from podwright.components.design.fabric import hardening, qos, tenancy, underlay
from podwright.components.design.fabric.model import Config, Link, Uplink
from podwright.components.model import Fabric


def hosts(links: list[Link], vlans: dict[str, int], fabric: Fabric) -> Config:
    """Server-facing ports of a leaf; `vlans` is the access VLAN by port.

    Layer and admin state are always said: what a port is without depends on model, release and site. Edge and BPDU
    guard: a NIC never speaks spanning tree, and a port that hears it faces the wrong device.
    """
    config: Config = {}
    for link in links:
        lines = [
            f"description {link.peer} {link.peer_port}",
            "switchport",
            f"switchport access vlan {vlans[link.port]}",
            "spanning-tree port type edge",
            "spanning-tree bpduguard enable",
            *hardening.storm(fabric),
            *qos.port(fabric.lossless, link.gbps),
            "no shutdown",
        ]
        config[f"interface {link.port}"] = "\n".join(lines)
    return config


def routed_hosts(links: list[Link], gateways: dict[str, IPv4Address], fabric: Fabric) -> Config:
    """Server-facing ports that route: the leaf's end of a /31 each, by port; no VLAN, no spanning tree."""
    config: Config = {}
    for link in links:
        tenant = tenancy.of_leaf(fabric, link.device)
        lines = [
            f"description {link.peer} {link.peer_port}",
            "no switchport",
            *qos.port(fabric.lossless, link.gbps),
            *tenancy.member(tenant),
            "no ip redirects",
            f"ip address {gateways[link.port]}/31",
            *([] if tenant else underlay.gateway(fabric)),
            "no shutdown",
        ]
        config[f"interface {link.port}"] = "\n".join(lines)
    return config


def fabric_ports(links: list[Uplink], role: str, fabric: Fabric) -> Config:
    """Leaf-spine ports of one switch, seen from its end (`role` leaf or spine)."""
    config: Config = {}
    for link in links:
        own = link.leaf_port if role == "leaf" else link.spine_port
        address = link.leaf_address if role == "leaf" else link.spine_address
        far = f"{link.spine} {link.spine_port}" if role == "leaf" else f"{link.leaf} {link.leaf_port}"
        lines = [
            f"description {far}",
            "no switchport",
            *qos.port(fabric.lossless, link.gbps),
            *tenancy.member(tenancy.of_link(fabric, link.leaf)),
            *underlay.link(fabric, address),
            "no shutdown",
        ]
        config[f"interface {own}"] = "\n".join(lines)
    return config
