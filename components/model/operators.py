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


class Operators(Spec):
    """The operator stack, in the order NFD → SR-IOV → NVIDIA Network → GPU."""

    release: Annotated[str, Field(pattern=r"^20[0-9]{2}\.[0-9]{2}$"), Words('a release set, quoted, such as "2026.11"')]
    """Release set: one tested combination of operator versions, a key of the release table."""
    pins: dict[Name, Pin] = {}
    """Pins by subscription name that replace the set's own."""
    gpu_driver: (
        Annotated[
            str, Field(pattern=r"^[1-9][0-9]{2}\.[0-9]{2,3}\.[0-9]{2}$"), Words("a driver's version such as 580.95.05")
        ]
        | None
    ) = None
    """NVIDIA's driver on every GPU node, for example 580.95.05. None: the one that the GPU operator was built with.
    Another one drains the nodes of each pool, as many at a time as the pool allows."""
    gpu_node_tolerations: bool = True
    """Operators' daemon sets tolerate the pools' taints; off shows what happens without."""
