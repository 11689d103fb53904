"""Sections of a file that checks are about: a check of one kind of section becomes one of the whole file."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps
from typing import TypeVar

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import operators
from podwright.components.model.coherence.platform import Installation, NodePool, members
from podwright.components.model.coherence.workloads import InferenceOn, StorageFor, TrainingOn
from podwright.components.model.compute import Domain, Server
from podwright.components.model.network import FabricArgs
from podwright.components.model.pooled import as_pooled
from podwright.components.model.problems import Loc, Problem, below

Check = Callable[[Cluster], Iterator[Problem]]
_Given = TypeVar("_Given")
Parts = Callable[[Cluster], Iterable[tuple[Loc, _Given]]]
"""Every section of one kind in a file, by its path."""


def each(parts: "Parts[_Given]", check: Callable[[_Given], Iterator[Problem]]) -> Check:
    """A check of one kind of section as a check of the file, which has the servers that stand beside it once."""

    @wraps(check)
    def whole(cluster: Cluster) -> Iterator[Problem]:
        for loc, given in parts(cluster):
            for problem in check(given):
                yield problem if problem.loc[:1] == ("servers",) else problem.moved(partial(_below, loc))

    return whole


def _below(loc: Loc, inner: Loc) -> Loc:
    return (*loc, *inner)


def fabric(check: Callable[[FabricArgs], Iterator[Problem]]) -> Check:
    """A check of the fabric as one of the file: hosts that are servers stand under `servers` there."""

    @wraps(check)
    def whole(cluster: Cluster) -> Iterator[Problem]:
        def place(loc: Loc) -> Loc:
            return ("servers", *loc[1:]) if loc[0] == "hosts" and loc[1] in cluster.servers else loc

        return (problem.moved(place) for problem in check(cluster.network))

    return whole


def installation(cluster: Cluster) -> Iterator[tuple[Loc, Installation]]:
    """The cluster of OpenShift, where there is one."""
    if cluster.openshift is not None:
        yield (), Installation(cluster.openshift, cluster.servers, cluster.site)


def pools(cluster: Cluster) -> Iterator[tuple[Loc, NodePool]]:
    """Node pools with their servers."""
    for name, pool in cluster.pools.items():
        yield ("pools", name), NodePool(name, pool, members(cluster.servers, name))


def training(cluster: Cluster) -> Iterator[tuple[Loc, TrainingOn]]:
    """Training jobs with the servers of their pool, where the file has that."""
    for name, job in cluster.workloads.training.items():
        if job.pool in cluster.pools:
            pool, spans = cluster.pools[job.pool], cluster.fabric.attachments == "fabric"
            on = TrainingOn(job, pool, as_pooled(pool, members(cluster.servers, job.pool)), spans)
            yield ("workloads", "training", name), on


def inference(cluster: Cluster) -> Iterator[tuple[Loc, InferenceOn]]:
    """Services with the servers of their pool, where the file has that."""
    for name, job in cluster.workloads.inference.items():
        if job.pool in cluster.pools:
            on = InferenceOn(job, cluster.pools[job.pool], members(cluster.servers, job.pool))
            yield ("workloads", "inference", name), on


def storage(cluster: Cluster) -> Iterator[tuple[Loc, StorageFor]]:
    """Storage with the teams that it is for, where there is a cluster."""
    if cluster.openshift is not None:
        yield ("storage",), StorageFor(cluster.storage, cluster.teams)


@wraps(operators.release)
def release(cluster: Cluster) -> Iterator[Problem]:
    """Releases of operators beside that of OpenShift, as a check of the file."""
    if cluster.operators is not None:
        version = cluster.openshift.version if cluster.openshift else None
        yield from below(("operators",), operators.release(cluster.operators, version))


def servers(cluster: Cluster) -> Iterator[tuple[Loc, Server]]:
    """Servers by their name."""
    yield from ((("servers", name), server) for name, server in cluster.servers.items())


def domains(cluster: Cluster) -> Iterator[tuple[Loc, Domain]]:
    """Domains of Fabric Interconnects by their name."""
    yield from ((("domains", name), domain) for name, domain in cluster.domains.items())
