"""Which checks a pool's nodes can pass before they take workloads: it follows from how their GPUs are handed out.

Slices: DCGM runs no diagnostic where GPUs have MIG on, unless it is a single one whose instance is all of it
(NVIDIA/DCGM, nvvs/src/NvidiaValidationSuite.cpp, `BuildCommonGpusList`), and no instance reaches another one (NVIDIA's
MIG user guide: no GPU-to-GPU P2P), so that there is nothing an all-reduce could measure. Shares: the device plugin
gives a container one (NVIDIA/k8s-device-plugin, internal/rm/rm.go, `ValidateRequest`), and NCCL's tests measure the
GPUs that one process has. What DCGM makes of a GPU that MPS holds in exclusive mode (there,
cmd/mps-control-daemon/mps/daemon.go) no source says.
"""

from podwright.components.model.platform import Pool

USUAL_LEVEL, SHARED_LEVEL, MOST_LEVEL = 2, 1, 4
"""Levels of `dcgmi diag`. The first one starts nothing on a GPU (NVIDIA/DCGM, nvvs/src/Software.cpp): it does no harm
to pods that have other shares of it."""


def keeps_whole(pool: Pool) -> bool:
    """Whether some GPUs of the pool are undivided."""
    return not pool.divides or any(not group.slices for group in pool.mig_gpus)


def takes_whole(pool: Pool) -> bool:
    """Whether checks have whole GPUs to themselves."""
    return keeps_whole(pool) and pool.sharing is None


def is_measured(pool: Pool) -> bool:
    """Whether an all-reduce runs over the whole GPUs of a node. One that stays whole beside divided ones has no other
    to exchange with."""
    whole = sum(group.count for group in pool.mig_gpus if not group.slices)
    return takes_whole(pool) and not (pool.divides and whole < 2)


def most_level(pool: Pool) -> int:
    """Highest level of DCGM's diagnostics that may run on the pool's GPUs; 0 for none."""
    if not keeps_whole(pool) or (pool.sharing is not None and pool.sharing.mode == "mps"):
        return 0
    return MOST_LEVEL if pool.sharing is None else SHARED_LEVEL


def level(pool: Pool) -> int:
    """Level of DCGM's diagnostics that runs; 0 for none."""
    asked = pool.admission.diagnostics if pool.admission else None
    return min(asked or USUAL_LEVEL, most_level(pool))
