"""MIG slices in queues: what teams have of each profile is offered by the pool, there in all, and taken by namespaces.

A slice is a resource of its own by its profile (the strategy mixed), and a queue covers what is named: a Job that asks
for any other one is never admitted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import platform
from podwright.components.model.coherence.platform import members
from podwright.components.model.compute import Server
from podwright.components.model.explain import suggest
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.queues import Queues
from podwright.components.model.tenants import joined
from podwright.components.model.workloads import versions

_TEAMS: Loc = ("openshift", "queues", "teams")


def of_others(queues: Queues) -> Iterator[Problem]:
    """A team has slices of pools with queues alone."""
    for team, own in queues.teams.items():
        for pool in own.slices:
            if pool not in queues.names:
                hint = f"take one of openshift.queues: {', '.join(dict.fromkeys(queues.names))}"
                yield Problem(
                    (*_TEAMS, team, "slices", pool), f"jobs on pool {pool} wait in no queue", hint, at_key=True
                )


def unnamed(queues: Queues, name: str, pool: Pool, loc: Loc) -> Iterator[Problem]:
    """A pool of which some is cut has slices in the queue of some team, or nobody's job on it would ever start."""
    if pool.divides and not any(own.slices.get(name) or own.nominal.get(name) for own in queues.teams.values()):
        message = f"pool {name} has `{'mig_gpus' if pool.mig_gpus else 'mig'}`, and no team has slices of it in a queue"
        hint = f"write openshift.queues.teams: {{<team>: {{slices: {{{name}: {{<profile>: <count>}}}}}}}}"
        yield Problem(loc, message, f"{hint}, or take a pool without MIG")


def problems(cluster: Cluster, queues: Queues) -> Iterator[Problem]:
    """All of a file."""
    tenants = joined(cluster)
    for name in queues.names:
        pool = cluster.pools[name]
        yield from sums(queues, name, pool, members(cluster.servers, name))
        if tenants is not None and name in tenants.pools and pool.divides:
            for team, own in queues.teams.items():
                if name in own.slices:
                    message = f"pool {name} is on rails of tenants, and slices are not counted by tenant"
                    yield Problem((*_TEAMS, team, "slices", name), message, "take a pool off the rails", at_key=True)
    yield from _namespaces(cluster, queues)


def sums(queues: Queues, name: str, pool: Pool, servers: Mapping[str, Server]) -> Iterator[Problem]:
    """One pool: profiles that it offers, and no more of each than its servers have."""
    if not platform.laid_out(pool, servers):
        return
    have = platform.slices(pool, servers)
    asked: dict[str, dict[str, int]] = {}
    for team, own in queues.teams.items():
        for profile, count in own.slices.get(name, {}).items():
            at: Loc = (*_TEAMS, team, "slices", name, profile)
            if profile not in have:
                listed = ", ".join(sorted(have)) or "none: it has no `mig`"
                hint = suggest(profile, tuple(sorted(have))) or f"offered: {listed}"
                yield Problem(at, f"pool {name} has no slices {profile}", hint, at_key=True)
                continue
            asked.setdefault(profile, {})[team] = count
    for profile, teams in asked.items():
        total, most = sum(teams.values()), max(teams, key=lambda each: teams[each])
        if total > have[profile]:
            summed = " + ".join(f"{team} {count}" for team, count in teams.items())
            message = f"queues of {total} slices {profile} ({summed}) on pool {name}, which has {have[profile]}"
            rest = have[profile] - total + teams[most]
            hint = f"write at most {rest} here" if rest > 0 else "give teams fewer"
            yield Problem((*_TEAMS, most, "slices", name, profile), message, hint)


def _namespaces(cluster: Cluster, queues: Queues) -> Iterator[Problem]:
    """A team's namespace takes the pods of what its queue admits, beside those of its services."""
    served: Counter[tuple[str, str]] = Counter()
    for _, _, service in versions(cluster.workloads.inference):
        pool = cluster.pools.get(service.pool)
        if service.slice is not None and (pool is None or pool.sharing is None):
            served[service.team, service.slice] += service.most * service.gpus
    for name, own in queues.teams.items():
        total: Counter[str] = Counter()
        for profiles in own.slices.values():
            total.update(profiles)
        for profile, count in total.items() if name in cluster.teams else ():
            taken = served[name, profile]
            room = cluster.teams[name].slices.get(profile, 0) - taken
            if count > room:
                message = f"queues of {count} slices {profile}, and the namespace of team {name} has {room} for them"
                why = f" ({taken} are for services)" if taken else ""
                hint = f"write openshift.teams.{name}.slices: {{{profile}: {count + taken}}}, or less here"
                yield Problem((*_TEAMS, name, "slices"), message + why, hint, at_key=True)
