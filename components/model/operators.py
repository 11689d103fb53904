"""What is defined about operators: one release set, and where its catalogues are."""

from typing import Annotated, Literal

from pydantic import Field

from podwright.components.model.types import Name, Spec, Words


class Pin(Spec):
    """A pin that replaces the release set's own."""

    channel: str
    """OLM channel."""
    csv: str
    """ClusterServiceVersion that is installed and approved, nothing else."""
    approval: Literal["Manual", "Automatic"] = "Manual"
    """Install plan approval. Automatic follows the catalogue, which policy forbids."""


Driver = Annotated[
    str, Field(pattern=r"^[1-9][0-9]{2}\.[0-9]{2,3}\.[0-9]{2}$"), Words("a driver's version such as 580.95.05")
]


class Operators(Spec):
    """The operator stack, in the order NFD → SR-IOV → NVIDIA Network → GPU."""

    release: Annotated[str, Field(pattern=r"^20[0-9]{2}\.[0-9]{2}$"), Words('a release set, quoted, such as "2026.11"')]
    """Release set: one tested combination of operator versions, a key of the release table."""
    pins: dict[Name, Pin] = {}
    """Pins by subscription name that replace the set's own."""
    gpu_driver: Driver | None = None
    """NVIDIA's driver on every GPU node, for example 580.95.05. None: the one that the GPU operator was built with.
    Another one drains the nodes of each pool, as many at a time as the pool allows."""
    gpu_direct: Literal["dma-buf", "peermem"] = "peermem"
    """How NICs of pools with `rails` reach GPU memory. dma-buf: by the kernel's buffers and the driver's open kernel
    modules, as NVIDIA recommends. peermem: by the module nvidia-peermem, which is built against the NICs' driver on
    every node. A change drains the nodes of each pool with GPUs, as many at a time as the pool allows."""
    gdrcopy: bool = False
    """GDRCopy on every GPU node: its module gdrdrv lets processors copy small pieces to and from GPU memory."""
    gds: bool = False
    """GPUDirect Storage on every GPU node: local NVMe and NFS over RDMA read and write GPU memory. Its module nvidia-fs
    needs the open kernel modules and an IOMMU in pass-through: nodes with GPUs restart once for the kernel's argument,
    within their pool's budget."""
    doca_driver: (
        Annotated[
            str,
            Field(pattern=r"^doca[0-9]+\.[0-9]+\.[0-9]+(-[0-9]+(\.[0-9]+)*)+$"),
            Words("a tag of NVIDIA's DOCA-OFED driver such as doca3.4.1-26.04-1.1.0.0-1"),
        ]
        | None
    ) = None
    """NVIDIA's driver of the NICs on every node of a pool on the backend: the tag of its image without the node's
    system. None: the one of the release set. Another one drains the nodes of each pool, as many at a time as the pool
    allows, and starts their GPU driver anew with it."""
    gpu_node_tolerations: bool = True
    """Operators' daemon sets tolerate the pools' taints; off shows what happens without."""
