"""NVIDIADrivers: which of them each node belongs to, and a DaemonSet of each that has nodes.

After NVIDIA/gpu-operator v26.7.0: internal/nvidiadriver (owners of nodes), internal/validator (what is refused),
controllers/nvidiadriver_controller.go (states and reasons), internal/state/driver.go (DaemonSets, images),
controllers/state_manager.go (a ClusterPolicy that hands the driver over gives up its DaemonSet and leaves the pods).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller, condition, merge_conditions
from podwright.lab.openshift.daemons import ensure_daemon_set
from podwright.lab.openshift.gpu import driver_image, driver_pod
from podwright.lab.openshift.kinds import DAEMON_SETS, NODES, NVIDIA_DRIVERS
from podwright.lab.openshift.selectors import has_all

API, KIND = "nvidia.com/v1alpha1", "NVIDIADriver"
OWNER = "nvidia.com/gpu-operator.driver.owner"
PRESENT = {"nvidia.com/gpu.present": "true"}
DEPLOYED = {"nvidia.com/gpu.deploy.driver": "true"}
TOLERATIONS = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
FIRST_OPEN = (2, 17, 5)
"""Version of nvidia-fs from which on the operator wants kernelModuleType open."""


def handed_over(policy: Object) -> bool:
    """True when the ClusterPolicy leaves the driver to NVIDIADrivers."""
    return bool((policy["spec"].get("driver") or {}).get("useNvidiaDriverCRD"))


class DriverObjects:
    """One pass over NVIDIADrivers, on behalf of the operator."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._cache = controller.cache
        self._wrong: dict[str, tuple[str, str]] = {}
        """Reason and message by name, of the last pass."""

    def serve(self, policy: Object, namespace: str) -> None:
        """Owners, DaemonSets; what is refused changes neither."""
        listed = self._cache.list(NVIDIA_DRIVERS)
        self._wrong = {}
        if not handed_over(policy):
            return
        if self._cache.get(DAEMON_SETS, driver_image.DAEMONS, namespace) is not None:
            # The operator keeps the pods that run until NVIDIADrivers bring others.
            path = DAEMON_SETS.path(namespace, driver_image.DAEMONS)
            self._controller.api.request("DELETE", path, {"propagationPolicy": "Orphan"})
        nodes = [node for node in self._cache.list(NODES) if has_all(PRESENT, node["metadata"].get("labels", {}))]
        if refused := next(_refused(listed, nodes), None):
            self._wrong = dict.fromkeys(map(_name, listed), refused)
            return
        for node in nodes:
            labels = node["metadata"]["labels"]
            if labels.get(OWNER) != (owner := next(_of(listed, labels), None)):
                self._controller.patch(NODES, node, {"metadata": {"labels": {OWNER: owner}}})
        for each in listed:
            mine = [node for node in nodes if next(_of(listed, node["metadata"]["labels"]), "") == _name(each)]
            self._deploy(each, namespace, bool(mine))

    def report(self, policy: Object, late: list[str]) -> None:
        """Ready once no node of it is late: its pod is of the newest template and ready."""
        for each in self._cache.list(NVIDIA_DRIVERS):
            if not handed_over(policy):
                self._say(each, "disabled", "Reconciled", "useNvidiaDriverCRD is not enabled in ClusterPolicy")
                continue
            mine = {
                node["metadata"]["name"]
                for node in self._cache.list(NODES)
                if node["metadata"].get("labels", {}).get(OWNER) == _name(each)
            }
            if wrong := self._wrong.get(_name(each)):
                self._say(each, "notReady", *wrong)
            elif mine & {*late}:
                self._say(each, "notReady", "DriverNotReady", "Waiting for driver pod to be ready")
            else:
                self._say(each, "ready", "Reconciled", "All resources have been successfully reconciled")

    def _deploy(self, driver: Object, namespace: str, needed: bool) -> None:
        spec, name = driver["spec"], f"nvidia-gpu-driver-{_name(driver)}-{driver_image.SYSTEM}"
        if not needed:
            if self._cache.get(DAEMON_SETS, name, namespace) is not None:
                self._controller.api.delete(DAEMON_SETS.path(namespace, name))
            return
        try:
            image = _image(spec)
            beside = driver_pod.sidecars({**spec, "driver": spec}, image, gdrdrv="")
        except driver_pod.ImageError as problem:
            self._wrong[_name(driver)] = "ReconcileFailed", f"Error syncing state state-driver: {problem}"
            return
        ensure_daemon_set(
            self._controller, namespace, name, image,
            owner=self._controller.own(driver, API, KIND),
            selector={**(spec.get("nodeSelector") or {}), **PRESENT, **DEPLOYED, OWNER: _name(driver)},
            tolerations=spec.get("tolerations") or TOLERATIONS, affinity=_alone(),
            component=driver_image.COMPONENT, on_delete=True,
            environment=driver_pod.environment(spec), beside=beside,
            published=all(map(driver_image.published, (image, *beside.values()))),
        )  # fmt: skip

    def _say(self, driver: Object, state: str, reason: str, message: str) -> None:
        ready = state == "ready"
        rows = [
            condition("Ready", ready, reason if ready else "Error", message if ready else ""),
            condition("Error", not ready, reason, "" if ready else message),
        ]
        before = driver.get("status", {}).get("conditions", [])
        status = {"state": state, "conditions": merge_conditions(before, rows)}
        self._controller.set_status(NVIDIA_DRIVERS, driver, status)


def _refused(listed: list[Object], nodes: list[Object]) -> Iterator[tuple[str, str]]:
    """Reason and message of what lets the operator change nothing."""
    defaults = sorted(_name(each) for each in listed if each["spec"].get("default"))
    if len(defaults) > 1:
        yield "ReconcileFailed", f"multiple default NVIDIADrivers found: [{' '.join(defaults)}]"
    for node in nodes:
        found = [_name(each) for each in _selecting(listed, node["metadata"]["labels"])]
        if len(found) > 1:
            name = node["metadata"]["name"]
            yield "ConflictingNodeSelector", f"multiple NVIDIADrivers match the same node {name}: [{' '.join(found)}]"
    for each in listed:
        spec = each["spec"]
        if (gds := spec.get("gds") or {}).get("enabled") and spec.get("kernelModuleType") != "open":
            numbers = tuple(int(part) for part in str(gds.get("version") or "2.17.5").removeprefix("v").split("."))
            if numbers >= FIRST_OPEN:
                yield "ReconcileFailed", "GPUDirect Storage driver is only supported with NVIDIA OpenRM drivers"


def _selecting(listed: list[Object], labels: Mapping[str, str]) -> list[Object]:
    """Those with a selector of their own that matches; without one every node with a GPU."""
    own = [each for each in listed if not each["spec"].get("default")]
    return [each for each in own if has_all(each["spec"].get("nodeSelector") or PRESENT, dict(labels))]


def _of(listed: list[Object], labels: Mapping[str, str]) -> Iterator[str]:
    """Name of the one that a node belongs to: its own, else the default."""
    yield from map(_name, _selecting(listed, labels))
    yield from (_name(each) for each in listed if each["spec"].get("default"))


def _image(spec: Mapping[str, Any]) -> str:
    """No image of the operator's environment stands in for one that is not named. Raises ImageError."""
    found = driver_image.image(spec, "")
    if not found:
        raise driver_pod.ImageError("failed to construct driver spec: failed to get image path from crd")
    return found


def _alone() -> dict[str, Any]:
    """No second driver on a node: a new pod waits until the former one has gone."""
    row = {"key": "app.kubernetes.io/component", "operator": "In", "values": [driver_image.COMPONENT]}
    term = {"labelSelector": {"matchExpressions": [row]}, "topologyKey": "kubernetes.io/hostname"}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def _name(driver: Object) -> str:
    return str(driver["metadata"]["name"])
