"""What is defined about NUMA nodes: which pods get processors, memory and devices of one of them."""

from typing import Literal

from podwright.components.model.types import Spec


class Numa(Spec):
    """How kubelet aligns a pod's processors, GPUs, NICs and memory with the NUMA nodes of its server.

    It holds for pods whose requests equal their limits and that ask for whole processors, which have them to themselves
    then. Whole cores of every NUMA node are kept for the system.
    """

    policy: Literal["best-effort", "restricted", "single-numa-node"]
    """What becomes of a pod that cannot be aligned. best-effort: it runs all the same. restricted: it ends with
    TopologyAffinityError unless each of what it asks for needs the same NUMA nodes, and no more of them than it must.
    single-numa-node: it ends so unless one NUMA node has all of it. With the last two memory is taken from these NUMA
    nodes too, and with the last one a pod's processors are whole cores."""
    scope: Literal["container", "pod"] = "container"
    """What is aligned: each container by itself, or all of a pod's together."""
