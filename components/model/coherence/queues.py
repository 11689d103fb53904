"""Queues of training jobs: the pool they are for, their GPUs against the pool's, and each job against its queue.

What Kueue never admits waits for ever without an error of any pod, so it is refused here.
"""

from collections.abc import Iterator, Mapping

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import platform
from podwright.components.model.coherence.compute import gpu_count, refused_gpu
from podwright.components.model.coherence.platform import members
from podwright.components.model.coherence.references import reference
from podwright.components.model.compute import Server
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Loc, Problem, below
from podwright.components.model.queued import most, nominal, queued
from podwright.components.model.queues import Queues
from podwright.components.model.workloads import Training

_LOC: Loc = ("openshift", "queues", "pool")


def _batch(cluster: Cluster) -> Iterator[Problem]:
    """Kueue stops a job whole. The scheduler would push single members out, and the others hold their servers."""
    queues = queued(cluster)
    for name, job in cluster.workloads.training.items():
        if job.priority == "batch" and (queues is None or queues.pool != job.pool):
            message = f"jobs on pool {job.pool} wait in no queue, and without one nothing stops a job whole"
            hint = f"write openshift.queues: {{pool: {job.pool}}}" if queues is None else f"take pool {queues.pool}"
            yield Problem(("workloads", "training", name, "priority"), message, f"{hint}, or remove priority")


def queue_problems(job: Training, queue: str | None) -> list[Problem]:
    """One job by itself, and the LocalQueue that it was handed."""
    if job.priority != "batch" or queue is not None:
        return []
    hint = "hand over the name of its LocalQueue, or remove section.priority"
    return [Problem(("queue",), "a job of priority batch is stopped whole by its queue alone", hint)]


def _queues(cluster: Cluster) -> Iterator[Problem]:
    queues = queued(cluster)
    if queues is None:
        return
    yield from reference(_LOC, queues.pool, cluster.pools, "pool", "pools")
    pool, servers = cluster.pools.get(queues.pool), members(cluster.servers, queues.pool)
    if pool is None:
        return
    wrong = [problem.moved(lambda loc: (*_LOC[:-1], *loc)) for problem in _pool(queues, pool)]
    yield from wrong
    if wrong or _unknown(servers):
        return
    yield from _sum(cluster, queues, platform.whole(pool, servers))
    shares = nominal(cluster)
    for name, job in cluster.workloads.training.items():
        if job.pool == queues.pool and job.team in cluster.teams:
            yield from _job(("workloads", "training", name), job, queues, shares)
            yield from _apart(("workloads", "training", name), job, pool, servers)


def _pool(queues: Queues, pool: Pool) -> Iterator[Problem]:
    if pool.purpose != "training":
        message = f"pool {queues.pool} is for {pool.purpose}, and queues are of training jobs"
        yield Problem(("pool",), message, "take a pool of purpose training")
    elif pool.divides or pool.sharing is not None:
        key = "sharing" if pool.sharing is not None else "mig_gpus" if pool.mig_gpus else "mig"
        message = f"pool {queues.pool} has `{key}`, and queues count whole GPUs"
        yield Problem(("pool",), message, f"take a pool without `{key}`")


def shares_problems(
    queues: Queues, pool: Pool, servers: Mapping[str, Server], shares: Mapping[str, int]
) -> list[Problem]:
    """Contradictions of queues by themselves: the pool they are for, and what all of them have of it."""
    found = list(below(("queues",), _pool(queues, pool)))
    have, total = (0 if _unknown(servers) else platform.whole(pool, servers)), sum(shares.values())
    if not found and not _unknown(servers) and total > have:
        found = [Problem(("shares",), f"{total} GPUs in all, pool {queues.pool} has {have}", "hand over less")]
    return found


def _unknown(servers: Mapping[str, Server]) -> bool:
    """Whether what servers have is refused by itself."""
    return any(refused_gpu(each) or each.model not in SERVERS for each in servers.values())


def _sum(cluster: Cluster, queues: Queues, have: int) -> Iterator[Problem]:
    """What all queues have in all is there: a team whose own GPUs others hold could wait for ever."""
    shares = nominal(cluster)
    total = sum(shares.values())
    if total <= have:
        return
    name = max(shares, key=lambda each: shares[each])
    summed = " + ".join(f"{each} {count}" for each, count in shares.items())
    message = f"queues of {total} GPUs ({summed}) on pool {queues.pool}, which has {have}"
    rest = have - total + shares[name]
    less = f"write at most {rest + cluster.teams[name].gpus - shares[name]} here" if rest > 0 else "give teams fewer"
    lend = "" if queues.borrow else "; with openshift.queues.borrow a team still takes what others leave idle"
    yield Problem(("openshift", "teams", name, "gpus"), message, f"{less}{lend}")


def _job(loc: Loc, job: Training, queues: Queues, shares: Mapping[str, int]) -> Iterator[Problem]:
    """A job is admitted whole, out of what its team's queue may have at most."""
    asks, have = job.nodes * job.gpus, most(queues, shares, job.team)
    if asks <= have:
        return
    servers = f"{job.nodes} servers of {job.gpus} GPUs are {asks}"
    if queues.borrow:
        message = f"{servers}, all queues of pool {queues.pool} have {have}"
    else:
        message = f"{servers}, the queue of team {job.team} has {have}"
    fits = have // job.gpus
    less = f"write nodes: {fits} at most, or " if fits else ""
    lend = "" if queues.borrow or sum(shares.values()) < asks else ", or `borrow: true` in openshift.queues"
    yield Problem((*loc, "nodes"), message, f"{less}raise openshift.teams.{job.team}.gpus by {asks - have}{lend}")


def _apart(loc: Loc, job: Training, pool: Pool, servers: Mapping[str, Server]) -> Iterator[Problem]:
    """No server has room for two members of a job.

    Kueue's Topology counts resources and knows no anti-affinity: it would assign both to one server, where the
    scheduler takes one, and the other waits for ever. On rails each member takes the one function that a server has.
    """
    if pool.rails or job.nodes == 1:
        return
    largest = max((gpu_count(server) for server in servers.values()), default=0)
    if 2 * job.gpus <= largest:
        message = f"{job.gpus} GPUs per server, pool {job.pool} has servers with {largest}: two members would share one"
        yield Problem((*loc, "gpus"), message, f"write {largest // 2 + 1} to {largest}, on fewer servers")


CLUSTER = (_queues, _batch)
