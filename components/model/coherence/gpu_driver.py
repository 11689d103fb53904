"""What a GPU driver can do: which GPUs and branches have the kernel modules that GPUDirect needs."""

from collections.abc import Iterable, Iterator

from podwright.components.model.catalogue import GPUS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.platform import NodePool
from podwright.components.model.operators import Operators
from podwright.components.model.problems import Loc, Problem, below

TURING = (7, 5)
"""Compute capability of the first GPUs that the open kernel modules drive; DMA-BUF is for them and later ones
(gpu-operator documentation, GPUDirect RDMA, Common Prerequisites)."""
OPEN_BRANCH = 515
"""First branch with open kernel modules (NVIDIA/open-gpu-kernel-modules, release 515.43.04) and CUDA 11.7, the least
that DMA-BUF needs. The kernel that it needs, 5.12, is older than that of any OpenShift of the release sets."""


GDS_BRANCH = 535
"""Branch of the first driver that nvidia-fs 2.17.5 and later is for, that of CUDA 12.2 (gpu-operator documentation,
release notes of 23.9.1)."""


def driver_problems(
    operators: Operators, products: Iterable[str], *, rdma: bool, at: Loc = ("gpu_driver",), version: str | None = None
) -> Iterator[Problem]:
    """What `operators` asks of the driver of these GPUs that it cannot do; `rdma` where NICs reach their memory.

    `at` is where the `version` stands, for a pool that has one of its own.
    """
    version = version or operators.gpu_driver
    older = sorted({name for name in products if name in GPUS and GPUS[name].capability < TURING})
    for key, what, first, asked, instead in (
        ("gpu_direct", "DMA-BUF", OPEN_BRANCH, rdma and operators.gpu_direct == "dma-buf", "write gpu_direct: peermem"),
        ("gds", "GPUDirect Storage", GDS_BRANCH, operators.gds, "take `gds` away"),
    ):
        needs = f"{what} needs the open kernel modules"
        if asked and older:
            message = f"{needs}, which do not drive {', '.join(older)}: they are for Turing and later GPUs"
            yield Problem((key,), message, instead)
        if asked and version and branch(version) < first:
            message = f"{needs} of branch {first} or later, and gpu_driver is {version}"
            yield Problem(at, message, f"take a later driver, or {instead}")


def branch(version: str) -> int:
    """Branch of a driver's version: 580 of 580.95.05."""
    return int(version.partition(".")[0])


def _driver(cluster: Cluster) -> Iterator[Problem]:
    if cluster.operators is not None:
        products = [server.gpus for server in cluster.servers.values() if server.gpus]
        yield from below(("operators",), driver_problems(cluster.operators, products, rdma=cluster.has_rails))


def _of_pools(cluster: Cluster) -> Iterator[Problem]:
    """Drivers that pools have for themselves; the GPUs of the whole cluster are looked at once, by `_driver`."""
    for name, pool in cluster.pools.items():
        if pool.gpu_driver is None:
            continue
        at: Loc = ("pools", name, "gpu_driver")
        if cluster.operators is None:
            yield Problem(at, "nobody installs a driver: the file has no operators", "add `operators`, or take it away")
            continue
        yield from driver_problems(cluster.operators, (), rdma=pool.rails, at=at, version=pool.gpu_driver)
        if cluster.openshift is not None and cluster.openshift.mirror is not None:
            message = f"driver {pool.gpu_driver} is pulled by a tag, and the mirror serves images by digest"
            yield Problem(at, message, "take it away: every pool has the driver that the operator was built with")


def _without_gpus(given: NodePool) -> Iterator[Problem]:
    if given.pool.gpu_driver and given.servers and not any(server.gpus for server in given.servers.values()):
        message = f"no server of pool {given.name} has a GPU to drive"
        yield Problem(("gpu_driver",), message, "take it away, or give its servers `gpus`")


def _by_tag(cluster: Cluster) -> Iterator[Problem]:
    """A mirror serves by digest, and NVIDIA's bundle has none of nvidia-fs; gdrdrv's is in it."""
    mirrored = cluster.openshift is not None and cluster.openshift.mirror is not None
    if mirrored and cluster.operators is not None and cluster.operators.gds:
        message = "nvidia-fs is pulled by a tag, and the mirror serves images of the GPU operator by digest"
        yield Problem(("operators", "gds"), message, "take `gds` away: storage is read through host memory then")


CLUSTER = (_driver, _by_tag, _of_pools)
POOL = (_without_gpus,)
