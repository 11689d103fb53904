"""Admission of nodes: what its checks can be run on."""

from collections.abc import Iterator

from podwright.components.model.catalogue import GPUS
from podwright.components.model.coherence.platform import NodePool
from podwright.components.model.problems import Problem

_WITHOUT = "take `admission` away"


def _pool(given: NodePool) -> Iterator[Problem]:
    """The checks ask the device plugin for all GPUs of a node, as a pod of a training job does."""
    pool = given.pool
    if pool.admission is None:
        return
    if bare := sorted(name for name, server in given.servers.items() if server.gpus not in GPUS):
        message = f"{', '.join(bare)} of pool {given.name} has no GPU that checks could run on"
        yield Problem(("admission",), message, f"{_WITHOUT}, or give such servers a pool of their own")
    if pool.purpose == "cpu":
        message = f"pool {given.name} is for plain CPU work"
        yield Problem(("admission",), message, f"{_WITHOUT}, or give the pool another purpose")
    for key in ("mig", "mig_gpus", "sharing"):
        if getattr(pool, key):
            message = f"checks of a node take its GPUs whole, and pool {given.name} divides them by `{key}`"
            yield Problem(("admission",), message, f"{_WITHOUT}, or `{key}`")


POOL = (_pool,)
