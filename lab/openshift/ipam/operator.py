"""NVIDIA's IPAM for attachments: CIDRPools and IPPools are divided among the nodes that they select.

After Mellanox/network-operator v26.4.1 (state-nv-ipam-cni of NicClusterPolicy), which brings the CRDs, a controller
and a daemon on every node, and Mellanox/nvidia-k8s-ipam v0.4.0. Pools of other namespaces than the operator's are
nobody's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Cache, Kind
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.daemons import ensure_daemon_set
from podwright.lab.openshift.ipam import blocks, pool
from podwright.lab.openshift.kinds import (
    CIDR_POOLS,
    CSVS,
    DAEMON_SETS,
    DEPLOYMENTS,
    IP_POOLS,
    NIC_CLUSTER_POLICIES,
    NODES,
)

DAEMON, CONTROLLER = "nv-ipam-node", "nv-ipam-controller"
CRDS = ("cidrpools.nv-ipam.nvidia.com", "ippools.nv-ipam.nvidia.com")
GPU = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
ANYWHERE = ("node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane")


@dataclass(frozen=True)
class Division:
    """One of its two kinds of pools: how it is judged and divided, and the event for a node that gets nothing."""

    kind: Kind
    name: str
    problems: Callable[[str, Mapping[str, Any]], list[str]]
    allocated: Callable[..., tuple[list[dict[str, str]], list[str]]]
    reason: str
    message: str


PREFIXES = Division(
    CIDR_POOLS, "CIDRPool", pool.problems, pool.allocated, "NoFreePrefixes",
    "failed to allocated prefix for Node: {}, no free prefixes",
)  # fmt: skip
BLOCKS = Division(
    IP_POOLS, "IPPool", blocks.problems, blocks.allocated, "NoFreeRanges", "failed to allocate IPs on Node: {}"
)


def state(cache: Cache, namespace: str) -> dict[str, str]:
    """Its row of NicClusterPolicy's status: ready once controller and daemons run."""
    daemons = (cache.get(DAEMON_SETS, DAEMON, namespace) or {}).get("status", {})
    whole = daemons.get("desiredNumberScheduled", 0) == daemons.get("numberReady", -1)
    ready = whole and _allocates(cache, namespace)
    return {"name": "state-nv-ipam-cni", "state": "ready" if ready else "notReady"}


def _allocates(cache: Cache, namespace: str) -> bool:
    deployment = cache.get(DEPLOYMENTS, CONTROLLER, namespace) or {}
    return int(deployment.get("status", {}).get("availableReplicas", 0)) > 0


class NvIpam(Controller):
    """One pass: controller and daemon where the policy asks for them, then every pool's allocations."""

    watches = (CSVS, DEPLOYMENTS, DAEMON_SETS, NIC_CLUSTER_POLICIES, CIDR_POOLS, IP_POOLS, NODES)
    _served = False

    def reconcile(self) -> None:
        """Without `nvIpam` in the policy its operands go, and pools are nobody's."""
        home = running(self.cache, "nvidia-network-operator")
        policy = self.cache.get(NIC_CLUSTER_POLICIES, "nic-cluster-policy")
        if home is None or policy is None:
            return
        asked = policy["spec"].get("nvIpam")
        if not asked:
            for kind, name in ((DAEMON_SETS, DAEMON), (DEPLOYMENTS, CONTROLLER)):
                if self.cache.get(kind, name, home) is not None:
                    self.api.delete(kind.path(home, name))
            return
        if not self._served:
            self._served = not self.around.crds.apply(self.api, CRDS)
        image = f"{asked['repository']}/{asked['image']}:{asked['version']}"
        owner = self.own(policy, "mellanox.com/v1alpha1", "NicClusterPolicy")
        tolerations = [*(policy["spec"].get("tolerations") or []), GPU]
        ensure_daemon_set(self, home, DAEMON, image, owner=owner, tolerations=tolerations)
        if self.cache.get(DEPLOYMENTS, CONTROLLER, home) is None:
            self.api.ensure(DEPLOYMENTS.path(home), _deployment(home, image, owner))
        if _allocates(self.cache, home):
            for each in self.cache.list(CIDR_POOLS, home):
                self._divide(each, PREFIXES)
            for each in self.cache.list(IP_POOLS, home):
                self._divide(each, BLOCKS)

    def _divide(self, item: Object, how: Division) -> None:
        spec, existing = item["spec"], (item.get("status") or {}).get("allocations") or []
        wrong = how.problems(item["metadata"]["name"], spec)
        if wrong:
            message = wrong[0] if len(wrong) == 1 else f"[{', '.join(wrong)}]"
            self.event(item, how.name, "InvalidSpec", message)
            self.set_status(how.kind, item, {"allocations": []})
            return
        nodes = [
            node["metadata"]["name"]
            for node in self.cache.list(NODES)
            if pool.selects(spec, node["metadata"]["name"], node["metadata"].get("labels", {}))
        ]
        found, left_out = how.allocated(spec, existing, nodes)
        for node in left_out:
            self.event(item, how.name, how.reason, how.message.format(node))
        self.set_status(how.kind, item, {"allocations": found})


def _deployment(home: str, image: str, owner: list[dict[str, Any]]) -> dict[str, Any]:
    labels = {"name": CONTROLLER}
    everywhere = [{"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in ANYWHERE]
    requests = {"cpu": "100m", "memory": "300Mi"}
    return {
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": CONTROLLER, "namespace": home, "labels": labels, "ownerReferences": owner},
        "spec": {
            "replicas": 2, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {
                "tolerations": [GPU, *everywhere], "priorityClassName": "system-cluster-critical",
                "containers": [{"name": CONTROLLER, "image": image, "resources": {"requests": requests}}],
            }},
        },
    }  # fmt: skip
