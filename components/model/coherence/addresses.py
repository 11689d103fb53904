"""Address pools of the fabric: large enough for the indexes, apart from each other."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network

from podwright.components.model.coherence.references import pairs
from podwright.components.model.network import FabricArgs
from podwright.components.model.problems import Loc, Problem, dotted


def _pools(args: FabricArgs) -> Iterator[Problem]:
    """Every index finds its address: loopback 64 + n, /31 number (spine - 1) x 256 + port, /24 number n x 8 + rail."""
    fabric = args.fabric
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


def networks(args: FabricArgs) -> dict[Loc, IPv4Network]:
    """Every network of the fabric by its path, but VLANs of purpose `machine`: those are the machine network."""
    pools = args.fabric.addressing
    found: dict[Loc, IPv4Network] = {
        ("fabric", "addressing", "loopbacks"): pools.loopbacks,
        ("fabric", "addressing", "links"): pools.links,
        ("fabric", "addressing", "hosts"): pools.hosts,
    }
    for loc, pair in pairs(args).items():
        for name, vlan in pair.vlans.items():
            if vlan.purpose != "machine":
                found[(*loc, "vlans", name, "subnet")] = vlan.subnet
        if pair.vpc.backup is not None:
            found[(*loc, "vpc", "backup", "subnet")] = pair.vpc.backup.subnet
        for name, port in pair.routed.items():
            found[(*loc, "routed", name, "address")] = IPv4Network((port.address, port.prefix), strict=False)
    return found


def machine_vlans(args: FabricArgs) -> dict[Loc, IPv4Network]:
    """VLANs of purpose `machine` by their path."""
    return {
        (*loc, "vlans", name, "subnet"): vlan.subnet
        for loc, pair in pairs(args).items()
        for name, vlan in pair.vlans.items()
        if vlan.purpose == "machine"
    }


def overlapping(found: Mapping[Loc, IPv4Network], known: Mapping[str, IPv4Network]) -> Iterator[Problem]:
    """A problem at each network that shares addresses with one before it, or with a known one."""
    seen: list[tuple[str, IPv4Network]] = list(known.items())
    for loc, network in found.items():
        for name, other in seen:
            if network.overlaps(other):
                yield Problem(loc, f"{network} overlaps {name}, {other}", "take a network of its own")
        seen.append((dotted(loc), network))


def _overlaps(args: FabricArgs) -> Iterator[Problem]:
    yield from overlapping({**networks(args), **machine_vlans(args)}, {})


FABRIC = (_pools,)
FABRIC_ALONE = (_overlaps,)
"""Without an installation; beside one, all networks of the file are compared."""
