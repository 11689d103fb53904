"""Objects of a team that have a name by themselves or under another's with an ending: nobody else's are called so."""

from collections.abc import Iterator

from podwright.components.model.cluster import Cluster
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.workloads import SETS


def alone(cluster: Cluster, wanted: str, team: str, at: Loc) -> Iterator[Problem]:
    """Services and jobs of a team that are called as the objects that the key `at` makes."""
    work = cluster.workloads
    for kind, other in (("service", work.inference.get(wanted)), ("job", work.training.get(wanted))):
        if other is not None and other.team == team:
            yield _taken(wanted, kind, at)


def _taken(wanted: str, kind: str, at: Loc) -> Problem:
    message = f"its objects are called {wanted}, as those of {kind} {wanted} of the same team"
    return Problem(at, message, f"give {kind} {wanted} another name", at_key=True)


def _one_name(cluster: Cluster) -> Iterator[Problem]:
    """Of a job and of a service there is a Service, a job's headless."""
    for name, service in cluster.workloads.inference.items():
        job = cluster.workloads.training.get(name)
        if job is not None and job.team == service.team:
            message = f"a job of team {service.team} has this name too, and of both there is a Service {name}"
            loc: Loc = ("workloads", "inference", name)
            yield Problem(loc, message, "give one of the two another name", at_key=True)


def _of_sets(cluster: Cluster) -> Iterator[Problem]:
    """The Job that JobSet makes of a set (kubernetes-sigs/jobset v0.12.0, pkg/util/placement: GenJobName)."""
    work = cluster.workloads.training
    for name, job in work.items():
        if job.kind in SETS:
            wanted = f"{name}-{SETS[job.kind]}-0"
            other = work.get(wanted)
            if other is not None and other.team == job.team and other.kind not in SETS:
                yield _taken(wanted, "job", ("workloads", "training", name, "kind"))


CLUSTER = (_one_name, _of_sets)
