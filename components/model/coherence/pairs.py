"""The vPC pairs: ports that exist and are used once, channels, VLANs, gateways, routed links."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from podwright.components.model.catalogue import SWITCHES, cage_number
from podwright.components.model.coherence.inventory import Entry, unique
from podwright.components.model.coherence.references import pairs, reference
from podwright.components.model.network import FabricArgs
from podwright.components.model.pair import Pair, PairVlan
from podwright.components.model.problems import Loc, Problem


def used(loc: Loc, pair: Pair) -> dict[Loc, tuple[str, str]]:
    """Ports of a pair that the file names, by path, as (leaf, port); what is the same on both peers stands for each."""
    found: dict[Loc, tuple[str, str]] = {}
    for leaf in pair.leaves:
        for position, port in enumerate(pair.vpc.peer_link):
            found[(*loc, "vpc", "peer_link", position, leaf)] = (leaf, port)
        for name, host in pair.ports.items():
            found[(*loc, "ports", name, "port", leaf)] = (leaf, host.port)
    for name, routed in pair.routed.items():
        found[(*loc, "routed", name, "port", routed.leaf)] = (routed.leaf, routed.port)
    return found


def _ports(args: FabricArgs) -> Iterator[Problem]:
    for loc, pair in pairs(args).items():
        reported: set[Loc] = set()
        for (*place, name), (leaf, port) in used(loc, pair).items():
            model = SWITCHES.get(pair.leaves[leaf].model) if leaf in pair.leaves else None
            number = cage_number(port)
            if model is not None and model.gbps(number) is None and tuple(place) not in reported:
                reported.add(tuple(place))
                hint = f"{model.name} has Ethernet1/1 to Ethernet1/{model.ports}"
                yield Problem(tuple(place), f"{name} has no {port}", hint)
        yield from _twice(loc, pair)


def _twice(loc: Loc, pair: Pair) -> Iterator[Problem]:
    """One problem per place, although a port stands for both peers."""
    first: dict[tuple[str, str], Loc] = {}
    reported: set[Loc] = set()
    for (*place, _), key in used(loc, pair).items():
        here = tuple(place)
        if key in first and here not in reported:
            reported.add(here)
            entries: list[Entry] = [(first[key], key[1]), (here, key[1])]
            yield from unique(entries, "port", "each port has one cable")
        first.setdefault(key, here)


def _peers(args: FabricArgs) -> Iterator[Problem]:
    domains: list[Entry] = []
    for loc, pair in pairs(args).items():
        (first, one), (second, two) = pair.leaves.items()
        if one.model != two.model:
            hint = "the two peers of a vPC domain are the same model"
            yield Problem((*loc, "leaves", second, "model"), f"{two.model} differs from {first}'s {one.model}", hint)
        channels: list[Entry] = [((*loc, "vpc", "domain"), pair.vpc.domain)]
        channels += [((*loc, "ports", name, "channel"), host.channel) for name, host in pair.ports.items()]
        yield from unique(channels, "port-channel", "the peer link is port-channel <vPC domain id>; others are free")
        domains.append(((*loc, "vpc", "domain"), pair.vpc.domain))
    # Two pairs that are ever joined back to back must not share the system MAC that follows from the domain id.
    yield from unique(domains, "vPC domain", "every pair has a domain id of its own")


def _vlans(args: FabricArgs) -> Iterator[Problem]:
    for loc, pair in pairs(args).items():
        ids: list[Entry] = [((*loc, "vlans", name, "id"), vlan.id) for name, vlan in pair.vlans.items()]
        if pair.vpc.backup is not None:
            ids.append(((*loc, "vpc", "backup", "vlan"), pair.vpc.backup.vlan))
        yield from unique(ids, "VLAN", "take a free VLAN id")
        known = {vlan.id for vlan in pair.vlans.values()}
        for name, host in pair.ports.items():
            for position, vlan in enumerate(host.vlans):
                if vlan not in known:
                    listed = ", ".join(f"{each.id} ({key})" for key, each in pair.vlans.items()) or "none"
                    place = (*loc, "ports", name, "vlans", position)
                    where = f"fabric.{loc[-1]}.vlans"
                    yield Problem(place, f"VLAN {vlan} is not among {where}", f"known: {listed}")
        for name, each in pair.vlans.items():
            if each.purpose == "machine" and loc[-1] != "frontend":
                hint = "servers install and join over the frontend pair: write storage or services"
                yield Problem((*loc, "vlans", name, "purpose"), "machine is not the storage pair's", hint)


def _backup(args: FabricArgs) -> Iterator[Problem]:
    """Two host addresses, and BGP between two autonomous systems or inside one."""
    for loc, pair in pairs(args).items():
        backup = pair.vpc.backup
        if backup is not None and backup.subnet.prefixlen > 30:
            place = (*loc, "vpc", "backup", "subnet")
            yield Problem(place, f"{backup.subnet} has no two host addresses", "write a /30")


def gateways(args: FabricArgs) -> dict[Loc, tuple[PairVlan, tuple[IPv4Address, ...]]]:
    """Each VLAN by the path of its subnet, with its three addresses: the virtual one and the peers' own after it."""
    found: dict[Loc, tuple[PairVlan, tuple[IPv4Address, ...]]] = {}
    for loc, pair in pairs(args).items():
        for name, vlan in pair.vlans.items():
            virtual = args.gateway if vlan.purpose == "machine" else None
            first = virtual or vlan.subnet.network_address + 1
            found[(*loc, "vlans", name, "subnet")] = vlan, (first, first + 1, first + 2)
    return found


def _gateways(args: FabricArgs) -> Iterator[Problem]:
    for loc, (vlan, (virtual, *peers)) in gateways(args).items():
        if any(own not in vlan.subnet or own == vlan.subnet.broadcast_address for own in peers):
            yield Problem(loc, f"{vlan.subnet} has no room for the peers' addresses after {virtual}", "widen it")


def _routed(args: FabricArgs) -> Iterator[Problem]:
    """Both ends of a routed port are host addresses of one link."""
    for loc, pair in pairs(args).items():
        for name, port in pair.routed.items():
            place = (*loc, "routed", name)
            yield from reference((*place, "leaf"), port.leaf, pair.leaves, "leaf", f"fabric.{loc[-1]}.leaves")
            link = IPv4Network((port.address, port.prefix), strict=False)
            if port.next_hop == port.address:
                yield Problem(
                    (*place, "next_hop"), f"{port.next_hop} is the switch's own address", "write the other end's"
                )
            elif port.next_hop not in link:
                message = f"{port.next_hop} is not on the link {link} of {port.address}"
                yield Problem((*place, "next_hop"), message, "write the other end's address, or the link's prefix")
            for key in ("address", "next_hop"):
                value = getattr(port, key)
                if port.prefix < 31 and value in (link.network_address, link.broadcast_address):
                    yield Problem((*place, key), f"{value} is the first or last of {link}", "take a host address")


FABRIC = (_ports, _peers, _vlans, _backup, _gateways, _routed)
