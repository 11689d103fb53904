"""Admission of nodes: what its checks can be run on, and which of its keys count there."""

from collections.abc import Iterator

from podwright.components.model.admission import Admission
from podwright.components.model.catalogue import GPUS, SERVERS
from podwright.components.model.checked import is_measured, keeps_whole, most_level
from podwright.components.model.coherence.compute import gpu_count
from podwright.components.model.coherence.platform import NodePool
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Problem

_WITHOUT = "take `admission` away"


def _pool(given: NodePool) -> Iterator[Problem]:
    """The checks ask the device plugin for a node's GPUs, as a pod of a job does."""
    pool = given.pool
    if pool.admission is None:
        return
    if bare := sorted(name for name, server in given.servers.items() if server.gpus not in GPUS):
        message = f"{', '.join(bare)} of pool {given.name} has no GPU that checks could run on"
        yield Problem(("admission",), message, f"{_WITHOUT}, or give such servers a pool of their own")
    if pool.purpose == "cpu":
        message = f"pool {given.name} is for plain CPU work"
        yield Problem(("admission",), message, f"{_WITHOUT}, or give the pool another purpose")
    yield from _aligned(given, pool)
    yield from _measured(given.name, pool, pool.admission)
    yield from _diagnosed(given.name, pool, pool.admission)


def _aligned(given: NodePool, pool: Pool) -> Iterator[Problem]:
    """kubelet gives the checks what it would give a job, on the NUMA nodes where it would."""
    if pool.sharing is not None and pool.reserves_processors:
        key = "hugepages_gib" if pool.numa is None else "numa"
        message = (
            f"with `{key}` kubelet takes shares from the GPUs of one NUMA node first, so that checks with one share of "
            "each GPU would reach those alone"
        )
        yield Problem(("admission",), message, f"{_WITHOUT}, `{key}` or `sharing`")
    elif pool.numa is not None and pool.numa.policy == "single-numa-node":
        apart = sorted(
            name
            for name, server in given.servers.items()
            if gpu_count(server) > 1 and server.model in SERVERS and SERVERS[server.model].sockets > 1
        )
        if apart:
            message = f"checks take all GPUs of a node at once, and {apart[0]} has them on more than one NUMA node"
            hint = f"write restricted, or {_WITHOUT}"
            yield Problem(("numa", "policy"), f"{message}: kubelet would end them", hint)


def _measured(name: str, pool: Pool, wanted: Admission) -> Iterator[Problem]:
    if is_measured(pool):
        if wanted.nccl_image is None:
            message = f"an all-reduce over the whole GPUs of a node is measured in pool {name}: its image is missing"
            yield Problem(("admission",), message, "add nccl_image: an image with all_reduce_perf, by digest")
        return
    for key in ("nccl_image", "bus_gbytes", "straggler_percent"):
        if key in wanted.model_fields_set and getattr(wanted, key) is not None:
            message = f"no all-reduce runs on nodes of pool {name}: {_why(pool)}"
            yield Problem(("admission", key), message, f"take `{key}` away")


def _diagnosed(name: str, pool: Pool, wanted: Admission) -> Iterator[Problem]:
    most, loc = most_level(pool), ("admission", "diagnostics")
    if wanted.diagnostics is None or wanted.diagnostics <= most:
        return
    if most:
        message = f"above level {most} diagnostics load a GPU, of which other pods of pool {name} may have shares"
        yield Problem(loc, message, f"write {most}, or take `diagnostics` away")
    elif pool.sharing is not None and pool.sharing.mode == "mps":
        message = f"DCGM runs no diagnostics on nodes of pool {name}: MPS holds their GPUs in exclusive mode"
        yield Problem(loc, message, "take `diagnostics` away")
    else:
        message = f"DCGM runs no diagnostics on nodes of pool {name}: none runs on a part of a GPU"
        yield Problem(loc, message, "take `diagnostics` away")


def _why(pool: Pool) -> str:
    if pool.sharing is not None:
        return "a container has one share, and no GPU to exchange with"
    if keeps_whole(pool):
        return "one of their GPUs stays whole, and has no other to exchange with"
    return "their GPUs are divided, and no MIG slice reaches another one"


POOL = (_pool,)
