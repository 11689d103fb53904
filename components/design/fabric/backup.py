"""The routed path between two vPC peers: a VLAN on the peer link alone, and BGP over it.

Each peer advertises to the other its static routes and routed links. Its own static routes come first (distance 1); one
whose next hop is gone leaves the table, and the other peer's takes its place (external BGP: 20). What neither has is
dropped at once: BGP sends nothing back to where it was learned, which two floating static routes would do in a circle.
"""

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv4Network

from podwright.components.design.fabric import peers
from podwright.components.design.fabric.model import Config
from podwright.components.model import Pair

ADVERTISED = "BACKUP_ADVERTISED"
"""Prefix-list and route-map of what a peer advertises to the other."""
DEFAULT = IPv4Network("0.0.0.0/0")


def address(pair: Pair, name: str) -> IPv4Address:
    """A peer's address on the path. The pair has one."""
    assert pair.vpc.backup is not None
    return pair.vpc.backup.subnet.network_address + (1 if peers.first(pair, name) else 2)


def interface(pair: Pair) -> str:
    """Interface that the path runs over. The pair has one."""
    assert pair.vpc.backup is not None
    return f"Vlan{pair.vpc.backup.vlan}"


def blocks(pair: Pair, name: str, mtu: int, password: Iterable[str]) -> Config:
    """VLAN, gateway and routing of the path at one peer; nothing for a pair without one. `password`: the session's
    line, where it has one."""
    path = pair.vpc.backup
    if path is None:
        return {}
    peer, leaf = peers.other(pair, name)
    own = address(pair, name)
    lines = [f"description backup path to {peer}", "no shutdown", f"mtu {mtu}", "no ip redirects"]
    networks = _advertised(pair, name)
    process = [f"router-id {own}", *(_originated(networks) if networks else [])]
    process += [
        f"neighbor {address(pair, peer)}",
        f"  remote-as {leaf.asn}",
        f"  description {peer} {interface(pair)}",
        *(f"  {line}" for line in password),
        "  address-family ipv4 unicast",
    ]
    return {
        f"vlan {path.vlan}": "name backup-path",
        f"interface {interface(pair)}": "\n".join((*lines, f"ip address {own}/{path.subnet.prefixlen}")),
        **_listed(networks),
        f"router bgp {pair.leaves[name].asn}": "\n".join(process),
    }


def _advertised(pair: Pair, name: str) -> list[IPv4Network]:
    """Networks behind a peer's routed ports, and those links themselves."""
    own = [port for port in pair.routed.values() if port.leaf == name]
    links = {IPv4Network((port.address, port.prefix), strict=False) for port in own}
    return sorted(links.union(*(port.routes for port in own)))


def _listed(networks: list[IPv4Network]) -> Mapping[str, str]:
    if not networks:
        return {}
    entries = {f"ip prefix-list {ADVERTISED} seq {5 * n} permit {network}": "" for n, network in enumerate(networks, 1)}
    return {**entries, f"route-map {ADVERTISED} permit 10": f"match ip address prefix-list {ADVERTISED}"}


def _originated(networks: list[IPv4Network]) -> list[str]:
    """A static default route is advertised only where the process is asked to originate one."""
    lines = ["address-family ipv4 unicast"]
    lines += [f"  redistribute {source} route-map {ADVERTISED}" for source in ("direct", "static")]
    return [*lines, *(["  default-information originate"] if DEFAULT in networks else [])]
