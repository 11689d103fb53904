"""Huge pages: what pools reserve at boot, workloads ask for, and no more than there is.

A reserved page is taken from every other use of memory, whether anything uses it or not, and a pod gets none that it
does not ask for (https://kubernetes.io/docs/tasks/manage-hugepages/scheduling-hugepages/).
"""

from collections import Counter
from collections.abc import Iterator

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.platform import members
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Loc, Problem, counted
from podwright.components.model.workloads import Inference, Training, versions


def pods(job: Training | Inference) -> int:
    """Pods of a workload, each of which asks for its huge pages: replicas at most, members at least."""
    return job.least if isinstance(job, Training) else job.most


def places(reserved: int, asked: int, nodes: int) -> int:
    """Pods of `asked` GiB each that nodes with `reserved` GiB each have room for: a pod takes all of it on one node."""
    return nodes * (reserved // asked)


def one(job: Training | Inference, pool: Pool, nodes: int) -> Iterator[Problem]:
    """A workload by itself finds its huge pages in its pool of so many nodes."""
    reserved = pool.hugepages_gib
    if not job.hugepages_gib:
        return
    if job.hugepages_gib > reserved:
        message = f"{job.hugepages_gib} GiB of huge pages asked, a node of pool {job.pool} reserves {reserved}"
        fewer = f", or {reserved} here" if reserved else ", or take this away"
        yield Problem(("hugepages_gib",), message, f"write pools.{job.pool}.hugepages_gib: {job.hugepages_gib}{fewer}")
    elif isinstance(job, Inference) and job.most > (room := places(reserved, job.hugepages_gib, nodes)):
        message = (
            f"{counted(job.most, 'replica')} with {job.hugepages_gib} GiB of huge pages each, and room for {room} on "
        )
        message += f"{counted(nodes, 'node')} of pool {job.pool} with {reserved} GiB each"
        yield Problem(("hugepages_gib",), message, "fewer replicas, or more huge pages in the pool")


def _unused(cluster: Cluster) -> Iterator[Problem]:
    """Every pool that reserves huge pages has a workload that asks for some."""
    asking = {job.pool for _, job in jobs(cluster) if job.hugepages_gib}
    for name, pool in cluster.pools.items():
        if pool.hugepages_gib and name not in asking:
            message = f"{pool.hugepages_gib} GiB reserved on every node of pool {name}, and no workload asks for them"
            hint = "write `hugepages_gib` in a workload of this pool, or 0 here: what is reserved serves nothing else"
            yield Problem(("pools", name, "hugepages_gib"), message, hint)


def _together(cluster: Cluster) -> Iterator[Problem]:
    """All workloads of a pool together find their huge pages."""
    taken: Counter[str] = Counter()
    for loc, job in running(cluster):
        pool = cluster.pools.get(job.pool)
        if pool is None or not 0 < job.hugepages_gib <= pool.hugepages_gib:
            continue
        nodes = len(members(cluster.servers, job.pool))
        taken[job.pool] += pods(job) * job.hugepages_gib
        have, asked = nodes * pool.hugepages_gib, taken[job.pool]
        if asked > have and pods(job) <= places(pool.hugepages_gib, job.hugepages_gib, nodes):
            message = (
                f"workloads of pool {job.pool} ask for {asked} GiB of huge pages, its {nodes} nodes reserve {have}"
            )
            at = "replicas" if is_second(loc) else "hugepages_gib"
            yield Problem((*loc, at), message, f"ask for less, or raise pools.{job.pool}.hugepages_gib")


def jobs(cluster: Cluster) -> Iterator[tuple[Loc, Training | Inference]]:
    """Every workload of a file by its path."""
    for name, training in cluster.workloads.training.items():
        yield ("workloads", "training", name), training
    for name, inference in cluster.workloads.inference.items():
        yield ("workloads", "inference", name), inference


def running(cluster: Cluster) -> Iterator[tuple[Loc, Training | Inference]]:
    """The same with second versions of services, which have pods of their own."""
    yield from jobs(cluster)
    yield from ((loc, job) for loc, _, job in versions(cluster.workloads.inference) if is_second(loc))


def is_second(loc: Loc) -> bool:
    """Whether a path is that of a second version, not of a workload."""
    return loc[3:] == ("canary",)


CLUSTER = (_unused, _together)
