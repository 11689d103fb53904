"""Node Feature Discovery: labels what it finds on nodes where its worker pod runs.

After openshift/cluster-nfd-operator (daemonset/worker.go: tolerations, affinity, prune on delete) and
kubernetes-sigs/node-feature-discovery (source pci: class whitelist and label fields decide the label's name).
"""

from __future__ import annotations

from typing import Any

import yaml

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller, condition, merge_conditions
from podwright.lab.openshift.daemons import ensure_daemon_set, works_on
from podwright.lab.openshift.hardware import pci_devices
from podwright.lab.openshift.kinds import CSVS, DAEMON_SETS, DEPLOYMENTS, NODE_FEATURE_DISCOVERIES, NODES, PODS
from podwright.lab.openshift.nodes import KERNEL
from podwright.lab.world.model import Server

PREFIX = "feature.node.kubernetes.io/"
WORKER = "nfd-worker"
FINALIZER = "nfd-finalizer"
IMAGE = "registry.redhat.io/openshift4/ose-node-feature-discovery-rhel9"
CLASSES = ("03", "0b40", "12")
FIELDS = ("class", "vendor")
"""Defaults of the pci source when the CR gives no configuration."""
ANNOTATION = "nfd.node.kubernetes.io/feature-labels"
AFFINITY = {
    "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "node-role.kubernetes.io/master", "operator": "DoesNotExist"}]},
        {"matchExpressions": [{"key": "node-role.kubernetes.io/worker", "operator": "Exists"}]},
    ]}}
}  # fmt: skip


class Nfd(Controller):
    """Acts in the namespace of its running operator, for the CRs there."""

    watches = (CSVS, DEPLOYMENTS, NODE_FEATURE_DISCOVERIES, DAEMON_SETS, NODES, PODS)

    def reconcile(self) -> None:
        """One pass: operand, then labels wherever the operand runs."""
        namespace = running(self.cache, "nfd")
        for item in self.cache.list(NODE_FEATURE_DISCOVERIES):
            leaving = "deletionTimestamp" in item["metadata"]
            if namespace == item["metadata"]["namespace"]:
                (self._finalize if leaving else self._operand)(item)
            if not leaving:
                self._publish(item)

    def _finalize(self, item: Object) -> None:
        """Take the operand away, prune labels when the CR says so, and let the CR go."""
        meta = item["metadata"]
        self.api.delete(DAEMON_SETS.path(meta["namespace"], WORKER))
        if item["spec"].get("prunerOnDelete"):
            for node in self.cache.list(NODES):
                self._label(node, {})
        rest = [name for name in meta.get("finalizers", []) if name != FINALIZER]
        self.patch(NODE_FEATURE_DISCOVERIES, item, {"metadata": {"finalizers": rest}})

    def _operand(self, item: Object) -> None:
        meta, operand = item["metadata"], item["spec"].get("operand") or {}
        finalizers = meta.get("finalizers", [])
        if FINALIZER not in finalizers:
            self.patch(NODE_FEATURE_DISCOVERIES, item, {"metadata": {"finalizers": [*finalizers, FINALIZER]}})
        ensure_daemon_set(
            self, meta["namespace"], WORKER, operand.get("image") or IMAGE,
            owner=self.own(item, "nfd.openshift.io/v1", "NodeFeatureDiscovery"),
            selector=operand.get("workerNodeSelector"),
            tolerations=[{"operator": "Exists", "effect": "NoSchedule"}, *(operand.get("workerTolerations") or [])],
            affinity=AFFINITY,
        )  # fmt: skip
        wanted = self.cache.get(DAEMON_SETS, WORKER, meta["namespace"]) or {}
        status = wanted.get("status", {})
        seen = bool(wanted) and status.get("observedGeneration") == wanted["metadata"]["generation"]
        ready = seen and status["desiredNumberScheduled"] == status["numberReady"]
        rows = [
            condition("Available", ready, "NFDIsAvailable" if ready else "NFDWorkerDaemonsetNotReady"),
            condition("Upgradeable", ready, "CanBeUpgraded"),
            condition("Progressing", not ready, ""),
            condition("Degraded", False, ""),
        ]
        rows = [{**row, "reason": row["reason"] or "AsExpected"} for row in rows]
        before = item.get("status", {}).get("conditions", [])
        self.set_status(NODE_FEATURE_DISCOVERIES, item, {"conditions": merge_conditions(before, rows)})

    def _publish(self, item: Object) -> None:
        text = (item["spec"].get("workerConfig") or {}).get("configData") or ""
        try:
            config = yaml.safe_load(text) or {}
        except yaml.YAMLError as problem:
            self._say(f"worker configuration: {problem}")
            return
        for name in sorted(works_on(self.cache, item["metadata"]["namespace"], WORKER)):
            node, server = self.cache.get(NODES, name), self.around.server_of(name)
            if node is not None and server is not None:
                self._label(node, features(server, config))

    def _label(self, node: Object, found: dict[str, str]) -> None:
        """Put our labels right and take away those of ours that no longer hold; foreign labels stay."""
        ours = node["metadata"].get("annotations", {}).get(ANNOTATION, "")
        stale = {PREFIX + key: None for key in ours.split(",") if key and PREFIX + key not in found}
        names = ",".join(sorted(key.removeprefix(PREFIX) for key in found))
        self.patch(NODES, node, {"metadata": {"labels": {**found, **stale}, "annotations": {ANNOTATION: names}}})


def features(server: Server, config: dict[str, Any]) -> dict[str, str]:
    """Labels for this hardware under a worker configuration."""
    pci = ((config.get("sources") or {}).get("pci")) or {}
    classes = [str(c) for c in pci.get("deviceClassWhitelist") or CLASSES]
    fields = [str(f) for f in pci.get("deviceLabelFields") or FIELDS]
    found = {
        PREFIX + "cpu-model.vendor_id": "AMD" if server.cpu.vendor == "amd" else "Intel",
        PREFIX + "kernel-version.full": KERNEL,
        PREFIX + "kernel-version.major": KERNEL.split(".")[0],
        PREFIX + "system-os_release.ID": "rhel",
        PREFIX + "system-os_release.VERSION_ID": "9.6",
        PREFIX + "system-os_release.OSTREE_VERSION": "9.6.20260901-0",
        PREFIX + "cpu-cpuid.AVX512F": "true",
    }
    if server.cpu.sockets > 1:
        found[PREFIX + "memory-numa"] = "true"
    for device in pci_devices(server):
        if any(device.code.startswith(word) for word in classes):
            parts = {"class": device.code, "vendor": device.vendor, "device": device.device}
            name = "_".join(parts[field] for field in fields if field in parts)
            found[f"{PREFIX}pci-{name}.present"] = "true"
            if device.code == "0200":
                found[f"{PREFIX}pci-{name}.sriov.capable"] = "true"
                found[PREFIX + "network-sriov.capable"] = "true"
    return found
