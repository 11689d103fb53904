"""The operator of Red Hat OpenShift AI: one initialization, one set of components, Ready once their Deployments are.

After red-hat-data-services/rhods-operator, branch rhoai-3.4: cmd/main.go (it makes a DSCInitialization when it starts,
unless DISABLE_DSC_CONFIG is true), internal/controller/dscinitialization (finalizer, namespace, default profile,
phase), internal/controller/datasciencecluster (conditions of components, and what is not ready by name),
pkg/controller/actions/status/deployments (when a component is).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller, Surroundings, condition, merge_conditions
from podwright.lab.openshift.data_science import refusals
from podwright.lab.openshift.data_science.components import APPLICATIONS, COMPONENTS, Component, lacks
from podwright.lab.openshift.data_science.trainer import Trainer
from podwright.lab.openshift.kinds import (
    CSVS,
    DATA_SCIENCE_CLUSTERS,
    DEPLOYMENTS,
    HARDWARE_PROFILES,
    INITIALIZATIONS,
    NAMESPACES,
    SUBSCRIPTIONS,
)

PACKAGE = "rhods-operator"
FINALIZER = "dscinitialization.opendatahub.io/finalizer"
ON = ("Managed", "Unmanaged")
PART_OF = "platform.opendatahub.io/part-of"
_CPU = {"displayName": "CPU", "identifier": "cpu", "resourceType": "CPU",
        "minCount": 1, "defaultCount": 2, "maxCount": 4}  # fmt: skip
_MEMORY = {"displayName": "Memory", "identifier": "memory", "resourceType": "Memory",
           "minCount": "2Gi", "defaultCount": "4Gi", "maxCount": "8Gi"}  # fmt: skip


class DataScience(Controller):
    """One pass: what the operator makes when it starts, the initialization, then the components."""

    watches = (CSVS, DEPLOYMENTS, SUBSCRIPTIONS, INITIALIZATIONS, DATA_SCIENCE_CLUSTERS)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._began = False
        self._trainer = Trainer(around)

    def reconcile(self) -> None:
        """One pass."""
        home = running(self.cache, PACKAGE)
        if home is None:
            self._began = False
            return
        if not self._began:
            refusals.stand(self.api)
            self._initial(home)
            self._began = True
        self.each(INITIALIZATIONS, self._initialize)
        self.each(DATA_SCIENCE_CLUSTERS, self._components)

    def _initial(self, home: str) -> None:
        """What the operator makes by itself when it starts."""
        told = {
            row["name"]: row.get("value")
            for each in self.cache.list(SUBSCRIPTIONS, home)
            if each["spec"]["name"] == PACKAGE
            for row in (each["spec"].get("config") or {}).get("env") or ()
        }
        if str(told.get("DISABLE_DSC_CONFIG")).lower() != "true" and not self.cache.list(INITIALIZATIONS):
            self.api.ensure(INITIALIZATIONS.path(), {
                "apiVersion": INITIALIZATIONS.api_version, "kind": "DSCInitialization",
                "metadata": {"name": "default-dsci"},
                "spec": {
                    "monitoring": {"managementState": "Managed", "namespace": "redhat-ods-monitoring", "metrics": {}},
                    "trustedCABundle": {"managementState": "Managed", "customCABundle": ""},
                },
            })  # fmt: skip

    def _initialize(self, item: Object) -> None:
        meta = item["metadata"]
        others = [each for each in meta.get("finalizers", []) if each != FINALIZER]
        if meta.get("deletionTimestamp"):
            self.patch(INITIALIZATIONS, item, {"metadata": {"finalizers": others}})
            return
        item = self.patch(INITIALIZATIONS, item, {"metadata": {"finalizers": [*others, FINALIZER]}})
        home = str(item["spec"].get("applicationsNamespace") or APPLICATIONS)
        self._space(home)
        self.api.ensure(HARDWARE_PROFILES.path(home), {
            "apiVersion": HARDWARE_PROFILES.api_version, "kind": "HardwareProfile",
            "metadata": {
                "name": "default-profile", "namespace": home,
                "annotations": {"opendatahub.io/managed": "false", "opendatahub.io/display-name": "default-profile"},
                "ownerReferences": self.own(item, INITIALIZATIONS.api_version, "DSCInitialization"),
            },
            "spec": {"identifiers": [_CPU, _MEMORY]},
        })  # fmt: skip
        done, said = "ReconcileCompleted", "Reconcile completed successfully"
        rows = [condition(each, True, done, said) for each in ("ReconcileComplete", "Available", "Upgradeable")]
        rows += [condition(each, False, done, said) for each in ("Progressing", "Degraded")]
        known = item.get("status", {}).get("conditions", [])
        status = {"phase": "Ready", "conditions": merge_conditions(known, rows), "release": self._release()}
        self.set_status(INITIALIZATIONS, item, status)

    def _components(self, item: Object) -> None:
        if item["metadata"].get("deletionTimestamp"):
            self._trainer.end(self.api)
            return
        asked = item["spec"].get("components") or {}
        states = {key: str((asked.get(key) or {}).get("managementState") or "Removed") for key in COMPONENTS}
        if not self.cache.list(INITIALIZATIONS):
            words = "failed to get a valid DataScienceCluster instance, no DSCInitialization found"
            self._report(item, states, [condition("ProvisioningSucceeded", False, "Error", words)])
            return
        owner = self.own(item, DATA_SCIENCE_CLUSTERS.api_version, "DataScienceCluster")
        rows, waiting = [], []
        for key, component in COMPONENTS.items():
            row = self._component(key, component, states[key], owner)
            rows.append(row)
            waiting += [key] if states[key] in ON and row["status"] != "True" else []
        words = f"Some components are not ready: {','.join(waiting)}" if waiting else ""
        rows.append(condition("ProvisioningSucceeded", True, "Provisioned"))
        rows.append(condition("ComponentsReady", not waiting, "NotReady" if waiting else "Ready", words))
        self._report(item, states, rows)

    def _component(self, key: str, component: Component, state: str, owner: list[dict[str, Any]]) -> Object:
        named = f"{component.kind}Ready"
        if state not in ON:
            if key == "trainer":
                self._trainer.end(self.api)
            for each in component.deployments:
                if self.cache.get(DEPLOYMENTS, each, APPLICATIONS):
                    self.api.delete(DEPLOYMENTS.path(APPLICATIONS, each))
            words = f"Component ManagementState is set to {state}"
            return {**condition(named, False, state, words), "severity": "Info"}
        if missing := lacks(self.api, self.cache, key, state):
            return condition(named, False, "Error", missing)
        if component.namespace:
            self._space(component.namespace)
        ready = sum(self._deployed(each, key, owner) for each in component.deployments)
        words = f"{ready}/{len(component.deployments)} deployments ready"
        if ready == len(component.deployments):
            words = self._waits(key, component)
        if not words and key == "trainer" and (missing := self._trainer.lacks(self.api, owner)):
            self.ring()
            words = missing
        if not words:
            return condition(named, True, "Ready")
        return condition(named, False, "DeploymentsNotReady", words)

    def _waits(self, key: str, component: Component) -> str:
        """Why a component whose pods run is not ready: the real program behind one of them does not answer yet."""
        if not component.answers or self.api.get(component.answers) is not None:
            return ""
        plane = self.around.plane
        if plane is not None and not os.access(plane.program(key), os.X_OK):
            return f"the lab has no {key}: run `podwright setup {key}`"
        self._over.wait(0.2)
        self.ring()
        return f"0/{len(component.deployments)} deployments ready"

    def _deployed(self, name: str, key: str, owner: list[dict[str, Any]]) -> bool:
        """Make a Deployment where it is not there; whether all its pods are ready. None of them tolerates a taint."""
        found = self.cache.get(DEPLOYMENTS, name, APPLICATIONS)
        if found is None:
            labels = {"app": name}
            box = {"name": "manager", "image": f"registry.redhat.io/rhoai/odh-{name}-rhel9@sha256:{'0' * 64}"}
            self.api.ensure(DEPLOYMENTS.path(APPLICATIONS), {
                "apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": {
                    "name": name, "namespace": APPLICATIONS, "labels": {**labels, PART_OF: key},
                    "ownerReferences": owner,
                },
                "spec": {
                    "replicas": 1, "selector": {"matchLabels": labels},
                    "template": {
                        "metadata": {"labels": labels},
                        "spec": {
                            "serviceAccountName": "default",
                            "containers": [{**box, "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}}}],
                        },
                    },
                },
            })  # fmt: skip
            return False
        status = found.get("status", {})
        return bool(status.get("replicas", 0)) and status.get("readyReplicas", 0) == status.get("replicas", 0)

    def _report(self, item: Object, states: dict[str, str], rows: list[Object]) -> None:
        unhappy = next(_unhappy(rows), None)
        ready = condition("Ready", unhappy is None, unhappy["reason"] if unhappy else "Ready",
                          unhappy["message"] if unhappy else "")  # fmt: skip
        generation = item["metadata"]["generation"]
        every = [{**row, "observedGeneration": generation} for row in (ready, *rows)]
        self.set_status(DATA_SCIENCE_CLUSTERS, item, {
            "conditions": merge_conditions(item.get("status", {}).get("conditions", []), every),
            "phase": "Not Ready" if unhappy else "Ready", "observedGeneration": generation,
            "release": self._release(),
            "components": {key: {"managementState": state} for key, state in states.items()},
        })  # fmt: skip

    def _space(self, name: str) -> None:
        if self.cache.get(NAMESPACES, name) is None:
            labels = {"opendatahub.io/generated-namespace": "true", "pod-security.kubernetes.io/enforce": "baseline"}
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
            self.api.ensure(NAMESPACES.path(), body)

    def _release(self) -> dict[str, str]:
        csv = next((each["metadata"]["name"] for each in self.cache.list(CSVS)
                    if each["metadata"]["name"].startswith(f"{PACKAGE}.")), "")  # fmt: skip
        return {"name": "OpenShift AI Self-Managed", "version": str(csv).removeprefix(f"{PACKAGE}.")}


def _unhappy(rows: list[Object]) -> Iterator[Object]:
    """Rows of what must hold that do not."""
    for row in rows:
        if row["type"] in ("ProvisioningSucceeded", "ComponentsReady") and row["status"] != "True":
            yield row
