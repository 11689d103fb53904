"""Queues of training jobs as they follow from teams and their services: GPUs of each, and what a job may have."""

from collections.abc import Mapping
from typing import NamedTuple

from podwright.components.model.cluster import Cluster
from podwright.components.model.queues import Queues, TeamQueue
from podwright.components.model.teams import Team
from podwright.components.model.tenants import joined
from podwright.components.model.workloads import SETS, versions

Shares = Mapping[str, Mapping[str, int]]
"""GPUs of each team's queue, by team and pool."""


def queued(cluster: Cluster) -> Queues | None:
    """The cluster's queues; None where jobs wait in none."""
    return cluster.openshift.queues if cluster.openshift else None


def waits(cluster: Cluster, pool: str) -> bool:
    """Whether jobs on a pool wait in queues."""
    queues = queued(cluster)
    return queues is not None and pool in queues.names


def spread_over_racks(cluster: Cluster, pool: str) -> bool:
    """Whether replicas of some service are spread over the racks of a pool."""
    return any(each.pool == pool and each.spread == "racks" for each in cluster.workloads.inference.values())


def racked(cluster: Cluster, pool: str) -> bool:
    """Whether nodes of a pool say in which rack they stand."""
    return waits(cluster, pool) or spread_over_racks(cluster, pool)


def unserved(cluster: Cluster) -> dict[str, int]:
    """GPUs that each team may ask for, without the whole ones that its services take, and its jobs that do not wait.

    A quota of the namespace counts all: for what these take, a pod of an admitted job would be refused.
    """
    left = {name: team.gpus for name, team in cluster.teams.items()}
    for _, _, service in versions(cluster.workloads.inference):
        pool = cluster.pools.get(service.pool)
        if service.slice is None and service.team in left and (pool is None or pool.sharing is None):
            left[service.team] -= service.most * service.gpus
    for job in cluster.workloads.training.values():
        if job.team in left and not waits(cluster, job.pool):
            left[job.team] -= job.nodes * job.gpus
    return left


def nominal(cluster: Cluster) -> dict[str, dict[str, int]]:
    """GPUs of each team's queue by pool, in the order of the pools: what the file has, and where one pool alone has
    queues, what its services leave of the team's; 0 of a pool where it has slices alone. No team without; empty where
    no job waits."""
    queues = queued(cluster)
    if queues is None:
        return {}
    found: dict[str, dict[str, int]] = {}
    for name, left in unserved(cluster).items():
        given = queues.teams.get(name, TeamQueue())
        own = given.nominal
        if not own and len(queues.names) == 1 and left > 0 and not _divided(cluster, queues.names[0]):
            own = {queues.names[0]: left}
        if named := {pool: own.get(pool, 0) for pool in queues.names if pool in own or pool in given.slices}:
            found[name] = named
    return found


def _divided(cluster: Cluster, name: str) -> bool:
    """Whether a pool's GPUs are cut into slices."""
    pool = cluster.pools.get(name)
    return pool is not None and pool.divides


def giving_way(cluster: Cluster) -> tuple[str, ...]:
    """Teams with a job that gives way to their others."""
    return tuple(sorted({job.team for job in cluster.workloads.training.values() if job.priority == "batch"}))


class Sets(NamedTuple):
    """JobSets that wait in queues, those of TrainJobs among them."""

    places: Mapping[str, str]
    """Teams with some, and the pool of one of these."""
    train_jobs: bool
    """Some are of TrainJobs."""


def waiting_sets(cluster: Cluster) -> Sets | None:
    """Those of the stack; None where JobSet is not installed."""
    jobs = [job for job in cluster.workloads.training.values() if job.kind in SETS and waits(cluster, job.pool)]
    found = Sets({job.team: job.pool for job in jobs}, any(job.kind == "trainjob" for job in jobs))
    return found if cluster.has_sets else None


def lent(queues: Queues, shares: Shares, team: str, pool: str) -> int:
    """GPUs of a pool that other teams may take of those that the team leaves idle, at most."""
    own = shares.get(team, {}).get(pool, 0)
    limit = queues.teams[team].lend.get(pool) if team in queues.teams else None
    return (own if limit is None else min(own, limit)) if queues.borrow else 0


def lent_by_others(queues: Queues, shares: Shares, team: str, pool: str) -> int:
    """GPUs of a pool that all other teams lend, at most."""
    return sum(lent(queues, shares, each, pool) for each in shares if each != team)


def most(queues: Queues, shares: Shares, team: str, pool: str) -> int:
    """GPUs of a pool that jobs of the team may have: its own queue's, and where teams borrow what all others lend, up
    to its limit."""
    if pool not in shares.get(team, {}):
        return 0
    limit = queues.teams[team].borrow.get(pool) if team in queues.teams else None
    more = lent_by_others(queues, shares, team, pool)
    return shares[team][pool] + (more if limit is None else min(more, limit))


def beside(cluster: Cluster, shares: Shares, team: str, pool: str) -> Shares:
    """Shares of those teams alone that a team can lend to, and borrow from: their queues count the same servers."""
    tenants = joined(cluster)
    return shares if tenants is None else tenants.beside(team, pool, shares)


def granted(cluster: Cluster, name: str) -> Team:
    """A team as its namespace has to take its pods: what its jobs may borrow is on top of its own GPUs."""
    team, queues, shares = cluster.teams[name], queued(cluster), nominal(cluster)
    if queues is None or name not in shares:
        return team
    have = {pool: most(queues, beside(cluster, shares, name, pool), name, pool) for pool in shares[name]}
    more = sum(have[pool] - own for pool, own in shares[name].items())
    return team.model_copy(update={"gpus": team.gpus + more})
