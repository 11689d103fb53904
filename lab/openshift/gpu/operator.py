"""The GPU Operator: operands on nodes where NFD saw an NVIDIA device, labels by GFD, resources by the device plugin.

After NVIDIA/gpu-operator (controllers/state_manager.go, clusterpolicy_controller.go) and its OpenShift guide: one
ClusterPolicy acts, later ones are ignored; on RHCOS the driver is built with the driver toolkit; operand DaemonSets
tolerate what `daemonsets.tolerations` says, or the key nvidia.com/gpu when it says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller, condition, merge_conditions
from podwright.lab.openshift.daemons import ensure_daemon_set
from podwright.lab.openshift.gpu import driver_image, driver_pod, mig
from podwright.lab.openshift.gpu.driver_objects import DriverObjects, handed_over
from podwright.lab.openshift.gpu.node import GpuNode
from podwright.lab.openshift.gpu.plugin import MPS_DAEMON
from podwright.lab.openshift.kinds import (
    CLUSTER_POLICIES,
    CONFIG_MAPS,
    CSVS,
    DAEMON_SETS,
    DEPLOYMENTS,
    NODES,
    NVIDIA_DRIVERS,
    PODS,
)

API = "nvidia.com/v1"
SIGNS = tuple(f"feature.node.kubernetes.io/pci-{name}.present" for name in ("10de", "0302_10de", "0300_10de"))
DEPLOY = "nvidia.com/gpu.deploy."
DEFAULT_TOLERATIONS = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
OPERANDS: tuple[tuple[str, str, str, str], ...] = (
    ("driver", "nvidia-driver-daemonset", "driver", "nvcr.io/nvidia/driver"),
    ("toolkit", "nvidia-container-toolkit-daemonset", "container-toolkit", "nvcr.io/nvidia/k8s/container-toolkit"),
    ("devicePlugin", "nvidia-device-plugin-daemonset", "device-plugin", "nvcr.io/nvidia/k8s-device-plugin"),
    ("gfd", "gpu-feature-discovery", "gpu-feature-discovery", "nvcr.io/nvidia/k8s-device-plugin"),
    ("dcgmExporter", "nvidia-dcgm-exporter", "dcgm-exporter", "nvcr.io/nvidia/k8s/dcgm-exporter"),
    ("migManager", "nvidia-mig-manager", "mig-manager", "nvcr.io/nvidia/cloud-native/k8s-mig-manager"),
)
"""(section of the ClusterPolicy, DaemonSet, suffix of the deploy label, image)."""


class Gpu(Controller):
    """One pass: choose the policy, place operands, then let each node's operands do their part."""

    watches = (CSVS, DEPLOYMENTS, CLUSTER_POLICIES, NVIDIA_DRIVERS, DAEMON_SETS, NODES, PODS, CONFIG_MAPS)

    def __init__(self, around: Any) -> None:
        super().__init__(around)
        self._nodes: dict[str, GpuNode] = {}
        self._failed = ""
        self._drivers = DriverObjects(self)

    def reconcile(self) -> None:
        """One pass over policies and nodes."""
        namespace = running(self.cache, "gpu-operator-certified")
        policies = sorted(
            self.cache.list(CLUSTER_POLICIES),
            key=lambda p: (p["metadata"]["creationTimestamp"], p["metadata"]["name"]),
        )
        policy = policies[0] if policies else None
        if namespace is not None:
            for extra in policies[1:]:
                self.set_status(CLUSTER_POLICIES, extra, {"state": "ignored", "namespace": namespace})
            if policy is not None:
                self._operate(policy, namespace)
                self._drivers.serve(policy, namespace)
        home = namespace or (policy or {}).get("status", {}).get("namespace") or "nvidia-gpu-operator"
        late = [name for name in self._gpu_nodes() if not self._node(name).serve(policy, home)]
        if policy is not None and namespace is not None:
            self._report(policy, namespace, late)
            self._drivers.report(policy, late)

    def _gpu_nodes(self) -> list[str]:
        """Nodes in which a server of the world has GPUs, whatever anybody labelled."""
        names = [node["metadata"]["name"] for node in self.cache.list(NODES)]
        servers = {name: self.around.server_of(name) for name in names}
        return [name for name, server in servers.items() if server is not None and server.gpus]

    def _node(self, name: str) -> GpuNode:
        if name not in self._nodes:
            server = self.around.server_of(name)
            assert server is not None
            self._nodes[name] = GpuNode(self, name, server)
        return self._nodes[name]

    def unhealthy(self, server: str, count: int) -> None:
        """GPUs of a server that the device plugin reports as unhealthy from now on."""
        for name in self._gpu_nodes():
            if self._node(name).server.name == server:
                self._node(name).unhealthy = count
        self.ring()

    # --- the operator -----------------------------------------------------------------------------------------

    def _operate(self, policy: Object, namespace: str) -> None:
        spec = policy["spec"]
        for node in self.cache.list(NODES):
            labels = node["metadata"].get("labels", {})
            if any(labels.get(sign) == "true" for sign in SIGNS):
                capable = labels.get("nvidia.com/mig.capable") == "true"
                wanted = {"nvidia.com/gpu.present": "true"}
                wanted |= {
                    DEPLOY + suffix: "true" for _, _, suffix, _ in OPERANDS if suffix != "mig-manager" or capable
                }
                default = ((spec.get("migManager") or {}).get("config") or {}).get("default", "all-disabled")
                if capable and default and "nvidia.com/mig.config" not in labels:
                    wanted["nvidia.com/mig.config"] = default
                self.patch(NODES, node, {"metadata": {"labels": wanted}})
        daemons = spec.get("daemonsets") or {}
        self._mps(policy, namespace, daemons.get("tolerations") or DEFAULT_TOLERATIONS)
        beside: dict[str, str] = {}
        for section, name, suffix, image in OPERANDS:
            part = spec.get(section) or {}
            given = f"{part['repository']}/{part.get('image')}" if part.get("repository") else image
            driver = section == "driver"
            if driver and handed_over(policy):
                continue
            if driver:
                given = driver_image.image(part, image)
                try:
                    beside, self._failed = driver_pod.sidecars(spec, given), ""
                except driver_pod.ImageError as problem:
                    self._failed = f"Failed to reconcile state-driver: {problem}"
                    continue
            if part.get("enabled", True):
                ensure_daemon_set(
                    self, namespace, name, given,
                    owner=self.own(policy, API, "ClusterPolicy"), selector={DEPLOY + suffix: "true"},
                    tolerations=daemons.get("tolerations") or DEFAULT_TOLERATIONS,
                    component=driver_image.COMPONENT if driver else "", on_delete=driver,
                    environment=driver_pod.environment(part) if driver else None,
                    beside=beside if driver else None,
                    published=not driver or all(map(driver_image.published, (given, *beside.values()))),
                    mounted=_maps(part) if section == "migManager" else None,
                )  # fmt: skip
            elif self.cache.get(DAEMON_SETS, name, namespace) is not None:
                self.api.delete(DAEMON_SETS.path(namespace, name))

    def _mps(self, policy: Object, namespace: str, tolerations: list[Any]) -> None:
        """The MPS control daemon, where feature discovery calls a node capable (assets/state-mps-control-daemon)."""
        if not (policy["spec"].get("devicePlugin") or {}).get("enabled", True):
            return
        ensure_daemon_set(
            self, namespace, MPS_DAEMON, "nvcr.io/nvidia/k8s-device-plugin",
            owner=self.own(policy, API, "ClusterPolicy"), tolerations=tolerations,
            selector={DEPLOY + "device-plugin": "true", "nvidia.com/mps.capable": "true"},
        )  # fmt: skip

    def _report(self, policy: Object, namespace: str, late: list[str]) -> None:
        nodes = self.cache.list(NODES)
        labelled = any(
            key.startswith("feature.node.kubernetes.io/") for n in nodes for key in n["metadata"].get("labels", {})
        )
        marked = [n for n in nodes if n["metadata"].get("labels", {}).get("nvidia.com/gpu.present") == "true"]
        waiting = sorted(set(late) & {n["metadata"]["name"] for n in marked})
        ready, reason, message = (
            True,
            "Reconciled",
            "ClusterPolicy is ready as all resources have been successfully reconciled",
        )
        if not labelled:
            ready, reason, message = (
                False,
                "NFDLabelsMissing",
                "WARNING: NFD labels missing in the cluster, GPU nodes cannot be discovered.",
            )
        elif self._failed:
            ready, reason, message = False, "ReconcileFailed", self._failed
        elif waiting:
            ready, reason, message = (
                False,
                "OperandNotReady",
                f"ClusterPolicy is not ready, operands not ready on {', '.join(waiting)}",
            )
        elif not marked:
            reason, message = "NoGPUNodes", "No GPU node found, watching for new nodes to join the cluster."
        rows = [
            condition("Ready", ready, reason if ready else "Error" if not labelled else reason, message),
            condition("Error", not ready, reason, "" if ready else message),
        ]
        before = policy.get("status", {}).get("conditions", [])
        self.set_status(CLUSTER_POLICIES, policy, {
            "state": "ready" if ready else "notReady", "namespace": namespace,
            "conditions": merge_conditions(before, rows),
        })  # fmt: skip


def _maps(part: Mapping[str, Any]) -> dict[str, str]:
    """ConfigMaps that MIG manager mounts, by volume (assets/state-mig-manager/0600_daemonset.yaml)."""
    name = (part.get("config") or {}).get("name") or ""
    return {mig.VOLUME: name} if name not in ("", mig.DEFAULT_MAP) else {}
