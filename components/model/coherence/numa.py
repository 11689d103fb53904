"""Pods that kubelet can never align with NUMA nodes as their pool has it: they would end with TopologyAffinityError
wherever they are placed.

`restricted` admits where some set of NUMA nodes is the smallest possible one of everything that is asked
(kubernetes v1.36, pkg/kubelet/cm/topologymanager/policy.go, `mergePermutation`); `single-numa-node` where that set is
one. The catalogue knows sockets: more NUMA nodes than sockets make each smaller, so what is refused here is refused
there.
"""

from collections.abc import Iterator, Mapping

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import huge_pages
from podwright.components.model.coherence.compute import cores, gpu_count, memory_gib
from podwright.components.model.compute import Server
from podwright.components.model.effective import effective
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Problem
from podwright.components.model.workloads import Inference, Training

THREADS = 2
"""Threads of a core, at most."""
STRICT = ("restricted", "single-numa-node")
"""Policies under which kubelet admits no pod that it cannot align."""


def one(job: Training | Inference, pool: Pool, servers: Mapping[str, Server]) -> Iterator[Problem]:
    """A workload by itself finds a server that kubelet could align it on."""
    if pool.numa is None or pool.numa.policy not in STRICT:
        return
    found = [problem for name, server in servers.items() for problem in _on(job, pool, name, server)]
    # One finding: all servers of a pool are of much the same build.
    yield from found[:1]


def _on(job: Training | Inference, pool: Pool, name: str, server: Server) -> Iterator[Problem]:
    model = SERVERS.get(server.model)
    if model is None or pool.numa is None:
        return
    policy, hint = pool.numa.policy, f"ask for less, or write pools.{job.pool}.numa.policy: best-effort"
    rails = {nic.numa for nic in model.rails if _takes(job, nic.rail)} if pool.rails else set()
    if len(rails) > 1 and isinstance(job, Training) and job.rails:
        return
    if len(rails) > 1:
        message = f"its pods take a NIC of every rail, which {name} has on {len(rails)} NUMA nodes, and pool "
        less = f"write rails of one NUMA node at rails, or {hint.removeprefix('ask for less, or write ')}"
        yield Problem(("pool",), f"{message}{job.pool} has {policy}", less)
        return
    needed = dict(_sockets(job, pool, server, model.sockets)) | ({"rails": (1, "")} if rails else {})
    widest = max(needed, key=lambda field: needed[field][0])
    narrowest = min(needed, key=lambda field: needed[field][0])
    if policy == "single-numa-node" and needed[widest][0] > 1:
        message = f"{needed[widest][1]} on one NUMA node of {name}, and pool {job.pool} has single-numa-node"
        yield Problem((widest,), message, hint)
    elif needed[widest][0] != needed[narrowest][0]:
        less = "the NICs of its rails" if narrowest == "rails" else f"{narrowest} {getattr(job, narrowest)}"
        message = f"{needed[widest][1]} on one NUMA node of {name}, while {less} needs "
        message += f"{needed[narrowest][0]} of them where this needs {needed[widest][0]}: pool {job.pool} has {policy}"
        yield Problem((widest,), message, hint)


def _takes(job: Training | Inference, rail: int) -> bool:
    return isinstance(job, Training) and (job.rails is None or rail in job.rails)


def _sockets(
    job: Training | Inference, pool: Pool, server: Server, sockets: int
) -> Iterator[tuple[str, tuple[int, str]]]:
    """By field, how many sockets it takes at least, and the sum in words."""
    whole = not isinstance(job, Inference) or job.slice is None
    asked = {
        "gpus": (job.gpus if whole else 0, gpu_count(server), "GPUs"),
        "cpus": (job.cpus, (cores(server) or 0) * THREADS, "processors"),
        "memory_gib": (job.memory_gib, (memory_gib(server) or 0) - pool.hugepages_gib, "GiB of memory"),
        "hugepages_gib": (job.hugepages_gib, pool.hugepages_gib, "GiB of huge pages"),
    }
    for field, (amount, have, what) in asked.items():
        each = -(-have // sockets)
        if amount and each:
            yield field, (-(-amount // each), f"{amount} {what} asked, of which there are {each}")


def _whole_cores(cluster: Cluster) -> Iterator[Problem]:
    """Kubelet's `full-pcpus-only`, which comes with single-numa-node, gives no half of a core."""
    for loc, job in huge_pages.jobs(cluster):
        pool = cluster.pools.get(job.pool)
        if pool is None or pool.numa is None or pool.numa.policy != "single-numa-node" or job.cpus % THREADS == 0:
            continue
        for name, server in cluster.servers.items():
            smt = effective(name, server, cluster.compute.roles).settings.smt
            if server.pool == job.pool and (smt is None or smt.enabled):
                half = "1 processor is half a core"
                if job.cpus > 1:
                    half = f"{job.cpus} processors are half a core more than whole ones"
                message = f"{half} on {name}, which has two threads on each, and pool {job.pool} has "
                fewer = f" or {job.cpus - 1}" if job.cpus > 1 else ""
                hint = f"write {job.cpus + 1}{fewer}"
                yield Problem((*loc, "cpus"), f"{message}single-numa-node: SMTAlignmentError", hint)
                break


CLUSTER = (_whole_cores,)
