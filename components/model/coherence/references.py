"""Names that point at other things of the fabric: racks, groups, domains, switches."""

from collections.abc import Collection, Iterator, Mapping

from podwright.components.model.explain import suggest
from podwright.components.model.network import FabricArgs
from podwright.components.model.pair import Pair
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.switch import Switch


def switches(args: FabricArgs) -> dict[Loc, Switch]:
    """Every switch by its path."""
    fabric = args.fabric
    found: dict[Loc, Switch] = {}
    groups: list[tuple[Loc, Mapping[str, Switch]]] = [
        (("fabric", "spines"), fabric.spines),
        (("fabric", "leaves"), fabric.leaves),
    ]
    groups += [((*loc, "leaves"), pair.leaves) for loc, pair in pairs(args).items()]
    for loc, named in groups:
        found.update({(*loc, name): switch for name, switch in named.items()})
    return found


def pairs(args: FabricArgs) -> dict[Loc, Pair]:
    """Every vPC pair by its path."""
    fabric = args.fabric
    defined = {"frontend": fabric.frontend, "storage": fabric.storage}
    return {("fabric", name): pair for name, pair in defined.items() if pair is not None}


def reference(loc: Loc, name: object, known: Collection[str], what: str, where: str) -> Iterator[Problem]:
    """A problem unless `name` is among `known`."""
    if name in known:
        return
    listed = ", ".join(known) if known else f"none; define one under {where}"
    yield Problem(loc, f'there is no {what} "{name}"', suggest(str(name), tuple(known)) or f"known: {listed}")


def _racks(args: FabricArgs) -> Iterator[Problem]:
    racked: dict[Loc, str] = {loc: switch.rack for loc, switch in switches(args).items()}
    racked |= {("hosts", name): host.rack for name, host in args.hosts.items()}
    racked |= {("domains", name): domain.rack for name, domain in args.domains.items()}
    for name, domain in args.domains.items():
        racked |= {("domains", name, "chassis", each): chassis.rack for each, chassis in domain.chassis.items()}
    for loc, rack in racked.items():
        yield from reference((*loc, "rack"), rack, args.site.racks, "rack", "site.racks")


def _canary(args: FabricArgs) -> Iterator[Problem]:
    rollout = args.fabric.rollout
    if rollout is not None and rollout.canary is not None:
        known = [str(loc[-1]) for loc in switches(args)]
        yield from reference(("fabric", "rollout", "canary"), rollout.canary, known, "switch", "fabric.leaves")


def _hosts(args: FabricArgs) -> Iterator[Problem]:
    groups = {leaf.group for leaf in args.fabric.leaves.values()}
    for name, host in args.hosts.items():
        if host.domain is not None:
            yield from reference(("hosts", name, "domain"), host.domain, args.domains, "domain", "domains")
        if host.group is not None and host.group not in groups:
            known = ", ".join(str(group) for group in sorted(groups))
            yield Problem(("hosts", name, "group"), f"no leaf belongs to group {host.group}", f"leaf groups: {known}")


def _extra(args: FabricArgs) -> Iterator[Problem]:
    known = tuple(str(loc[-1]) for loc in switches(args))
    for hostname in args.fabric.extra:
        loc = ("fabric", "extra", hostname)
        for problem in reference(loc, hostname, known, "switch", "fabric"):
            yield Problem(problem.loc, problem.message, problem.hint, at_key=True)


FABRIC = (_racks, _canary, _hosts, _extra)
