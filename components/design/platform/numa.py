"""Kubelet's managers of processors, memory and topology, where no PerformanceProfile brings them.

The amounts are those that the Node Tuning Operator writes for a PerformanceProfile, so that a pool behaves alike with
and without huge pages (https://github.com/openshift/cluster-node-tuning-operator, pkg/performanceprofile/controller/
performanceprofile/components/kubeletconfig/kubeletconfig.go). Kubelet does not start unless memory reserved by NUMA
node is in all what it reserves itself: kube-reserved, system-reserved and the hard threshold of eviction
(https://kubernetes.io/docs/tasks/administer-cluster/memory-manager/#reserved-memory-flag).
"""

from typing import Any

from podwright.components.model import Numa

KUBE_MIB = SYSTEM_MIB = 500
EVICTION_MIB = 100
STRICT = ("restricted", "single-numa-node")


def managers(numa: Numa, reserved: str) -> dict[str, Any]:
    """Fields of kubelet's configuration; `reserved` are the processors that no pod gets to itself."""
    fields: dict[str, Any] = {
        "cpuManagerPolicy": "static",
        "cpuManagerReconcilePeriod": "5s",
        "reservedSystemCPUs": reserved,
        "topologyManagerPolicy": numa.policy,
        **scope(numa),
    }
    if numa.policy == "single-numa-node":
        fields["cpuManagerPolicyOptions"] = {"full-pcpus-only": "true"}
    if numa.policy in STRICT:
        fields |= _memory()
    return fields


def scope(numa: Numa) -> dict[str, str]:
    """What the operator has no field for: it stands in the annotation of a PerformanceProfile. Empty where it is
    kubelet's own."""
    return {} if numa.scope == "container" else {"topologyManagerScope": numa.scope}


def _memory() -> dict[str, Any]:
    """Thresholds are written whole: where one is set, kubelet forgets its own for the others."""
    return {
        "memoryManagerPolicy": "Static",
        "kubeReserved": {"memory": f"{KUBE_MIB}Mi"},
        "systemReserved": {"memory": f"{SYSTEM_MIB}Mi"},
        "evictionHard": {
            "memory.available": f"{EVICTION_MIB}Mi",
            "nodefs.available": "10%",
            "nodefs.inodesFree": "5%",
            "imagefs.available": "15%",
        },
        "reservedMemory": [{"numaNode": 0, "limits": {"memory": f"{KUBE_MIB + SYSTEM_MIB + EVICTION_MIB}Mi"}}],
    }
