"""Things that exist once: names, indexes, addresses, serial numbers, AS numbers."""

from collections.abc import Hashable, Iterable, Iterator, Mapping

from podwright.components.model.coherence.references import switches
from podwright.components.model.compute import Domain
from podwright.components.model.network import FabricArgs
from podwright.components.model.problems import Loc, Problem, dotted
from podwright.components.model.underlay import Ospf

Entry = tuple[Loc, Hashable]


def unique(entries: Iterable[Entry], what: str, hint: str, at_key: bool = False) -> Iterator[Problem]:
    """A problem at every value that stood before."""
    first: dict[Hashable, Loc] = {}
    for loc, value in entries:
        if value in first:
            taken = value[-1] if isinstance(value, tuple) else value
            message = f"{what} {taken} is taken by {dotted(first[value])}"
            yield Problem(loc, message, hint, at_key, refers=(first[value],))
        else:
            first[value] = loc


def _names(args: FabricArgs) -> Iterator[Problem]:
    locs: list[Loc] = [*switches(args)]
    locs += [("hosts", name) for name in args.hosts] + [("domains", name) for name in args.domains]
    for name, domain in args.domains.items():
        locs += [("domains", name, "chassis", key) for key, box in domain.chassis.items() if box.profile is not None]
    yield from unique(((loc, loc[-1]) for loc in locs), "the name", "give each device a name of its own", at_key=True)


def _indexes(args: FabricArgs) -> Iterator[Problem]:
    hint = "ports and addresses follow from the index: take a free one, never renumber the other"
    roles = (((*loc, "index"), (loc[:-1], switch.index)) for loc, switch in switches(args).items())
    yield from unique(roles, "index", hint)
    hosts = ((("hosts", name, "index"), (each.group or 0, each.index)) for name, each in args.hosts.items())
    yield from unique(hosts, "index", hint)


def management(args: FabricArgs) -> list[Entry]:
    """Addresses of the switches' mgmt0 by their path."""
    return [((*loc, "management"), switch.management) for loc, switch in switches(args).items()]


def serials(args: FabricArgs) -> list[Entry]:
    """Serial numbers of switches, Fabric Interconnects and chassis by their path."""
    entries: list[Entry] = [((*loc, "serial"), each.serial) for loc, each in switches(args).items() if each.serial]
    return entries + pairs(args.domains)


def pairs(domains: Mapping[str, Domain]) -> list[Entry]:
    """Serial numbers of Fabric Interconnects and of the chassis behind them."""
    entries: list[Entry] = []
    for name, domain in domains.items():
        entries += [(("domains", name, "serials", side), serial) for side, serial in domain.serials.items()]
        for key, box in domain.chassis.items():
            if box.profile is not None:
                entries.append((("domains", name, "chassis", key, "profile", "serial"), box.profile.serial))
    return entries


def once(addresses: Iterable[Entry]) -> Iterator[Problem]:
    """Every address belongs to one device."""
    yield from unique(addresses, "the address", "give each device an address of its own")


def chassis(entries: Iterable[Entry]) -> Iterator[Problem]:
    """Every serial number belongs to one device."""
    yield from unique(entries, "the serial number", "read it from the chassis or from Intersight")


def _management(args: FabricArgs) -> Iterator[Problem]:
    yield from once(management(args))


def _serials(args: FabricArgs) -> Iterator[Problem]:
    yield from chassis(serials(args))


def _autonomous_systems(args: FabricArgs) -> Iterator[Problem]:
    """eBGP: a leaf that hears its own number in a path drops the route. Above OSPF runs iBGP: one number for all."""
    spines, leaves = args.fabric.spines, args.fabric.leaves
    shared = next(iter(spines.values())).asn
    inside = isinstance(args.fabric.underlay, Ospf)
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


FABRIC = (_names, _indexes, _autonomous_systems)
FABRIC_ALONE = (_management, _serials)
"""For a fabric by itself; in a file the servers' own are compared with these."""
