"""Address pools: large enough for the indexes, apart from each other, and the machine network's own order."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.references import pairs
from podwright.components.model.problems import Loc, Problem, dotted

OPENSHIFT = {
    "OpenShift's pod network": IPv4Network("10.128.0.0/14"),
    "OpenShift's service network": IPv4Network("172.30.0.0/16"),
}
"""The installer's defaults (install-config `networking`), which this program keeps."""


def _pools(cluster: Cluster) -> Iterator[Problem]:
    """Every index finds its address: loopback 64 + n, /31 number (spine - 1) x 256 + port, /24 number n x 8 + rail."""
    fabric = cluster.fabric
    pools = fabric.addressing
    leaf = max(each.index for each in fabric.leaves.values())
    spine = max(each.index for each in fabric.spines.values())
    loc = ("fabric", "addressing")
    yield from _holds((*loc, "loopbacks"), pools.loopbacks, 64 + leaf + 1, f"leaf index {leaf}")
    links = 2 * ((spine - 1) * 256 + leaf * fabric.links_per_pair)
    yield from _holds((*loc, "links"), pools.links, links, f"spine index {spine} and leaf index {leaf}")
    subnets = max(each.index * 8 + rail + 1 for each in fabric.leaves.values() for rail in each.rails)
    yield from _holds((*loc, "hosts"), pools.hosts, 256 * subnets, f"leaf index {leaf}: {subnets} /24s")


def _holds(loc: Loc, pool: IPv4Network, wanted: int, why: str) -> Iterator[Problem]:
    if pool.num_addresses < wanted:
        prefix = 32 - (wanted - 1).bit_length()
        yield Problem(
            loc, f"{pool} has {pool.num_addresses} addresses, {wanted} are needed ({why})", f"/{prefix} will do"
        )


def networks(cluster: Cluster) -> dict[Loc, IPv4Network]:
    """Every network of the file by its path. VLANs of purpose `machine` are the machine network, listed once."""
    pools = cluster.fabric.addressing
    found: dict[Loc, IPv4Network] = {
        ("fabric", "addressing", "loopbacks"): pools.loopbacks,
        ("fabric", "addressing", "links"): pools.links,
        ("fabric", "addressing", "hosts"): pools.hosts,
        ("openshift", "machine_network"): cluster.openshift.machine_network,
    }
    for loc, pair in pairs(cluster).items():
        for name, vlan in pair.vlans.items():
            if vlan.purpose != "machine":
                found[(*loc, "vlans", name, "subnet")] = vlan.subnet
        for name, port in pair.routed.items():
            found[(*loc, "routed", name, "address")] = IPv4Network((port.address, port.prefix), strict=False)
    return found


def _overlaps(cluster: Cluster) -> Iterator[Problem]:
    seen: list[tuple[str, IPv4Network]] = list(OPENSHIFT.items())
    for loc, network in networks(cluster).items():
        for name, other in seen:
            if network.overlaps(other):
                yield Problem(loc, f"{network} overlaps {name}, {other}", "take a network of its own")
        seen.append((dotted(loc), network))


def _machine_network(cluster: Cluster) -> Iterator[Problem]:
    shift = cluster.openshift
    entries: dict[Loc, IPv4Address] = {
        ("openshift", "api_vip"): shift.api_vip,
        ("openshift", "ingress_vip"): shift.ingress_vip,
        ("openshift", "gateway"): shift.gateway,
    }
    entries.update({("servers", name, "address"): server.address for name, server in cluster.servers.items()})
    network = shift.machine_network
    edges = (network.network_address, network.broadcast_address)
    for loc, address in entries.items():
        if address not in network:
            yield Problem(loc, f"{address} is outside the machine network {network}", "take an address inside it")
        elif address in edges and network.prefixlen < 31:
            yield Problem(loc, f"{address} is the first or last of {network}", "take a host address")


CHECKS = (_pools, _overlaps, _machine_network)
