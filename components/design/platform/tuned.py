"""Kernel settings of a pool's nodes while they run, by a Tuned object of the Node Tuning Operator.

Values for nodes with GPUs are those of Tuned's own profile for high-performance computing
(https://github.com/redhat-performance/tuned/blob/master/profiles/hpc-compute/tuned.conf): transparent huge pages
always, no automatic NUMA balancing. NVIDIA turns the latter off too
(https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#numa-best-practices); a PerformanceProfile by
itself leaves transparent huge pages at `never`.
"""

from collections.abc import Mapping
from typing import Any

from podwright.components.design.platform.names import Manifest
from podwright.components.model import Pool, Server

NAMESPACE = "openshift-cluster-node-tuning-operator"
"""The only one that the operator reads Tuned objects of."""
PRIORITY = 15
"""Before 20, which the operator gives the profile that it makes of a PerformanceProfile
(https://github.com/openshift/cluster-node-tuning-operator, components/tuned/tuned.go); the lower number wins."""
_GPU_PAGES = "always"


def settings(pool: Pool, servers: Mapping[str, Server]) -> dict[str, dict[str, str]]:
    """Values by section of a Tuned profile; empty where the platform's own stay."""
    accelerated = any(server.gpus for server in servers.values())
    pages = pool.transparent_hugepages or (_GPU_PAGES if accelerated else None)
    return {
        **({"sysctl": {"kernel.numa_balancing": "0"}} if accelerated else {}),
        **({"vm": {"transparent_hugepages": pages}} if pages else {}),
    }


def profile_name(pool: str) -> str:
    """Name of the object and of the profile in it."""
    return f"podwright-{pool}"


def tuned(name: str, pool: Pool, servers: Mapping[str, Server]) -> Manifest | None:
    """The pool's Tuned object, on top of the profile that its nodes have without it. None: nothing to set.

    It selects by labels of MachineConfigs: the operator takes kernel arguments of the included profile only from one
    that is selected so (pkg/operator/controller.go, syncMachineConfig), and it needs exactly one pool to match.
    """
    values = settings(pool, servers)
    if not values:
        return None
    below = f"openshift-node-performance-{name}" if pool.hugepages_gib else "openshift-node"
    sections: dict[str, dict[str, str]] = {
        "main": {"summary": f"Nodes of pool {name}", "include": below},
        **values,
    }
    recommend: dict[str, Any] = {
        "profile": profile_name(name),
        "priority": PRIORITY,
        "machineConfigLabels": {"machineconfiguration.openshift.io/role": name},
    }
    return {
        "apiVersion": "tuned.openshift.io/v1",
        "kind": "Tuned",
        "metadata": {"name": profile_name(name), "namespace": NAMESPACE},
        "spec": {"profile": [{"name": profile_name(name), "data": _text(sections)}], "recommend": [recommend]},
    }


def _text(sections: Mapping[str, Mapping[str, str]]) -> str:
    """Sections as Tuned reads them, each line ended."""
    return "\n".join(
        f"[{section}]\n" + "".join(f"{key}={value}\n" for key, value in values.items())
        for section, values in sections.items()
    )
