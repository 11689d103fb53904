"""Names that point at other things of the file: racks, pools, teams, classes, groups, domains, switches."""

from collections.abc import Collection, Iterator, Mapping

from podwright.components.model.cluster import Cluster
from podwright.components.model.explain import suggest
from podwright.components.model.pair import Pair
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.switch import Switch

CONTROL_PLANE = "control-plane"
"""The pool that is there without being said."""


def switches(cluster: Cluster) -> dict[Loc, Switch]:
    """Every switch by its path."""
    fabric = cluster.fabric
    found: dict[Loc, Switch] = {}
    groups: list[tuple[Loc, Mapping[str, Switch]]] = [
        (("fabric", "spines"), fabric.spines),
        (("fabric", "leaves"), fabric.leaves),
    ]
    groups += [((*loc, "leaves"), pair.leaves) for loc, pair in pairs(cluster).items()]
    for loc, named in groups:
        found.update({(*loc, name): switch for name, switch in named.items()})
    return found


def pairs(cluster: Cluster) -> dict[Loc, Pair]:
    """Every vPC pair by its path."""
    fabric = cluster.fabric
    said = {"frontend": fabric.frontend, "storage": fabric.storage}
    return {("fabric", name): pair for name, pair in said.items() if pair is not None}


def reference(loc: Loc, name: object, known: Collection[str], what: str, where: str) -> Iterator[Problem]:
    """A problem unless `name` is among `known`."""
    if name in known:
        return
    listed = ", ".join(known) if known else f"none; say one under {where}"
    yield Problem(loc, f'there is no {what} "{name}"', suggest(str(name), tuple(known)) or f"known: {listed}")


def _racks(cluster: Cluster) -> Iterator[Problem]:
    racked = {**switches(cluster)}
    for loc, switch in racked.items():
        yield from reference((*loc, "rack"), switch.rack, cluster.site.racks, "rack", "site.racks")
    for name, server in cluster.servers.items():
        yield from reference(("servers", name, "rack"), server.rack, cluster.site.racks, "rack", "site.racks")
    for name, domain in cluster.domains.items():
        yield from reference(("domains", name, "rack"), domain.rack, cluster.site.racks, "rack", "site.racks")


def _canary(cluster: Cluster) -> Iterator[Problem]:
    rollout = cluster.fabric.rollout
    if rollout is not None and rollout.canary is not None:
        known = [str(loc[-1]) for loc in switches(cluster)]
        yield from reference(("fabric", "rollout", "canary"), rollout.canary, known, "switch", "fabric.leaves")


def _servers(cluster: Cluster) -> Iterator[Problem]:
    pools = [CONTROL_PLANE, *cluster.pools]
    groups = {leaf.group for leaf in cluster.fabric.leaves.values()}
    for name, server in cluster.servers.items():
        yield from reference(("servers", name, "pool"), server.pool, pools, "pool", "pools")
        if server.domain is not None:
            yield from reference(("servers", name, "domain"), server.domain, cluster.domains, "domain", "domains")
        if server.group is not None and server.group not in groups:
            known = ", ".join(str(group) for group in sorted(groups))
            yield Problem(
                ("servers", name, "group"), f"no leaf belongs to group {server.group}", f"leaf groups: {known}"
            )
    if CONTROL_PLANE in cluster.pools:
        yield Problem(
            ("pools", CONTROL_PLANE), "this pool is there without being said", "delete this entry", at_key=True
        )


def _workloads(cluster: Cluster) -> Iterator[Problem]:
    teams = cluster.openshift.teams
    for kind in ("training", "inference"):
        jobs = cluster.workloads.training if kind == "training" else cluster.workloads.inference
        for name, job in jobs.items():
            loc = ("workloads", kind, name)
            yield from reference((*loc, "team"), job.team, teams, "team", "openshift.teams")
            yield from reference((*loc, "pool"), job.pool, cluster.pools, "pool", "pools")
    for name, volume in cluster.storage.volumes.items():
        claim = ("storage", "volumes", name)
        yield from reference((*claim, "team"), volume.team, teams, "team", "openshift.teams")
        known = cluster.storage.classes
        yield from reference((*claim, "storage_class"), volume.storage_class, known, "storage class", "storage.classes")


def _extra(cluster: Cluster) -> Iterator[Problem]:
    known = tuple(str(loc[-1]) for loc in switches(cluster))
    for hostname, blocks in cluster.fabric.extra.items():
        loc = ("fabric", "extra", hostname)
        for problem in reference(loc, hostname, known, "switch", "fabric"):
            yield Problem(problem.loc, problem.message, problem.hint, at_key=True)
        for line in blocks:
            if not line.strip() or line != line.strip() or "\n" in line:
                hint = "write one whole configuration line without spaces around it"
                yield Problem((*loc, line), "is no top-level line", hint, at_key=True)


CHECKS = (_racks, _canary, _servers, _workloads, _extra)
