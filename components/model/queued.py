"""Queues of training jobs as they follow from teams and their services: GPUs of each, and what a job may have."""

from collections.abc import Mapping

from podwright.components.model.cluster import Cluster
from podwright.components.model.queues import Queues
from podwright.components.model.teams import Team


def queued(cluster: Cluster) -> Queues | None:
    """The cluster's queues; None where jobs wait in none."""
    return cluster.openshift.queues if cluster.openshift else None


def nominal(cluster: Cluster) -> dict[str, int]:
    """GPUs of each team's queue: what it may ask for, without the whole ones that its services take. No team without.

    A quota of the namespace counts both: for what a service takes, a pod of an admitted job would be refused.
    """
    left = {name: team.gpus for name, team in cluster.teams.items()}
    for service in cluster.workloads.inference.values():
        pool = cluster.pools.get(service.pool)
        if service.slice is None and service.team in left and (pool is None or pool.sharing is None):
            left[service.team] -= service.replicas * service.gpus
    return {name: gpus for name, gpus in left.items() if gpus > 0}


def giving_way(cluster: Cluster) -> tuple[str, ...]:
    """Teams with a job that gives way to their others."""
    return tuple(sorted({job.team for job in cluster.workloads.training.values() if job.priority == "batch"}))


def most(queues: Queues, shares: Mapping[str, int], team: str) -> int:
    """GPUs that a job of the team may have: its own queue's, and where teams borrow those of every queue."""
    if team not in shares:
        return 0
    return sum(shares.values()) if queues.borrow else shares[team]


def granted(cluster: Cluster, name: str) -> Team:
    """A team as its namespace has to take its pods: what its jobs may borrow is on top of its own GPUs."""
    team, queues, shares = cluster.teams[name], queued(cluster), nominal(cluster)
    if queues is None or name not in shares:
        return team
    return team.model_copy(update={"gpus": team.gpus + most(queues, shares, name) - shares[name]})
