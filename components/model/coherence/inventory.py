"""Things that exist once: names, indexes, addresses, serial numbers, MACs, AS numbers."""

from collections.abc import Hashable, Iterable, Iterator

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.references import switches
from podwright.components.model.problems import Loc, Problem, dotted
from podwright.components.model.underlay import Ospf

Entry = tuple[Loc, Hashable]


def unique(entries: Iterable[Entry], what: str, hint: str, at_key: bool = False) -> Iterator[Problem]:
    """A problem at every value that stood before."""
    first: dict[Hashable, Loc] = {}
    for loc, value in entries:
        if value in first:
            shown = value[-1] if isinstance(value, tuple) else value
            yield Problem(loc, f"{what} {shown} is taken by {dotted(first[value])}", hint, at_key)
        else:
            first[value] = loc


def _names(cluster: Cluster) -> Iterator[Problem]:
    locs: list[Loc] = [*switches(cluster)]
    locs += [("servers", name) for name in cluster.servers] + [("domains", name) for name in cluster.domains]
    yield from unique(((loc, loc[-1]) for loc in locs), "the name", "give each device a name of its own", at_key=True)


def _indexes(cluster: Cluster) -> Iterator[Problem]:
    hint = "ports and addresses follow from the index: take a free one, never renumber the other"
    roles = (((*loc, "index"), (loc[:-1], switch.index)) for loc, switch in switches(cluster).items())
    yield from unique(roles, "index", hint)
    servers = (((("servers", name, "index")), (each.group or 0, each.index)) for name, each in cluster.servers.items())
    yield from unique(servers, "index", hint)


def _addresses(cluster: Cluster) -> Iterator[Problem]:
    shift = cluster.openshift
    entries: list[Entry] = [
        (("openshift", "gateway"), shift.gateway),
        (("openshift", "api_vip"), shift.api_vip),
        (("openshift", "ingress_vip"), shift.ingress_vip),
    ]
    entries += [((*loc, "management"), switch.management) for loc, switch in switches(cluster).items()]
    for name, server in cluster.servers.items():
        entries.append((("servers", name, "address"), server.address))
        if server.bmc is not None:
            entries.append((("servers", name, "bmc"), server.bmc))
    yield from unique(entries, "the address", "give each device an address of its own")


def _serials(cluster: Cluster) -> Iterator[Problem]:
    entries: list[Entry] = [((*loc, "serial"), each.serial) for loc, each in switches(cluster).items() if each.serial]
    entries += [(("servers", name, "serial"), server.serial) for name, server in cluster.servers.items()]
    for name, domain in cluster.domains.items():
        entries += [(("domains", name, "serials", side), serial) for side, serial in domain.serials.items()]
    yield from unique(entries, "the serial number", "read it from the chassis or from Intersight")


def _macs(cluster: Cluster) -> Iterator[Problem]:
    entries = ((("servers", name, "boot_mac"), server.boot_mac) for name, server in cluster.servers.items())
    yield from unique(entries, "the MAC address", "every interface has one of its own")


def _autonomous_systems(cluster: Cluster) -> Iterator[Problem]:
    """eBGP: a leaf that hears its own number in a path drops the route. Above OSPF runs iBGP: one number for all."""
    spines, leaves = cluster.fabric.spines, cluster.fabric.leaves
    shared = next(iter(spines.values())).asn
    inside = isinstance(cluster.fabric.underlay, Ospf)
    for name, spine in spines.items():
        if spine.asn != shared:
            loc = ("fabric", "spines", name, "asn")
            yield Problem(loc, f"differs from the other spines' {shared}", f"write {shared}: spines share one")
    if inside:
        for name, leaf in leaves.items():
            if leaf.asn != shared:
                hint = f"write {shared}: above OSPF the overlay is iBGP, one number for the whole backend"
                yield Problem(("fabric", "leaves", name, "asn"), f"differs from the spines' {shared}", hint)
        return
    entries: list[Entry] = [(("fabric", "spines", next(iter(spines)), "asn"), shared)]
    entries += [(("fabric", "leaves", name, "asn"), leaf.asn) for name, leaf in leaves.items()]
    yield from unique(entries, "AS", "every leaf has an AS number of its own, apart from the spines'")


CHECKS = (_names, _indexes, _addresses, _serials, _macs, _autonomous_systems)
