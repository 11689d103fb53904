"""OpenShift's own routers, image registry and monitoring: pods that go where three objects place them.

After openshift/cluster-ingress-operator (pkg/operator/controller/ingress/deployment.go: on bare metal routers have the
host's network and its ports 80, 443 and 1936, no two on a node, nobody in excess while they are replaced),
openshift/cluster-image-registry-operator (pkg/resource/podtemplatespec.go) and openshift/cluster-monitoring-operator
(pkg/manifests: `config.yaml` is read strictly, and what cannot be read changes nothing and makes the operator
Degraded). A fresh cluster on bare metal has its registry `Removed`. Only worlds with `cluster.own_workloads` have these
pods: on others nobody's scheduling is in doubt, and each costs a moment of every test.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.controller import Controller, condition, merge_conditions
from podwright.lab.openshift.kinds import CLUSTER_OPERATORS, CLUSTER_VERSIONS, CONFIG_MAPS, DEPLOYMENTS, PODS
from podwright.lab.openshift.scc import accounts

KEY = "own_workloads"
INGRESS_CONTROLLERS = Kind("operator.openshift.io/v1", "ingresscontrollers")
REGISTRIES = Kind("imageregistry.operator.openshift.io/v1", "configs")
STATEFUL_SETS = Kind("apps/v1", "statefulsets")
MARK = "lab.podwright.io/spec"
ROUTER = "ingresscontroller.operator.openshift.io/deployment-ingresscontroller"
LINUX = {"kubernetes.io/os": "linux"}
PARTS = {
    "alertmanagerMain": {"alertmanager-main": 2},
    "kubeStateMetrics": {"kube-state-metrics": 1},
    "metricsServer": {"metrics-server": 2},
    "monitoringPlugin": {"monitoring-plugin": 2},
    "openshiftStateMetrics": {"openshift-state-metrics": 1},
    "prometheusK8s": {"prometheus-k8s": 2},
    "prometheusOperator": {"prometheus-operator": 1, "prometheus-operator-admission-webhook": 2},
    "telemeterClient": {"telemeter-client": 1},
    "thanosQuerier": {"thanos-querier": 2},
}
"""Pods of each part of the monitoring stack, by the key that places them."""
ORDERED = ("alertmanager-main", "prometheus-k8s")
"""StatefulSets, whose pods share no node."""
KEYS = frozenset({*PARTS, "enableUserWorkload", "http", "nodeExporter", "prometheusOperatorAdmissionWebhook"})
"""Keys of `config.yaml`."""


class OwnWorkloads(Controller):
    """Keeps the three operators' Deployments and StatefulSets, and says what the operators would say."""

    watches = (CONFIG_MAPS, INGRESS_CONTROLLERS, REGISTRIES, DEPLOYMENTS, STATEFUL_SETS, PODS, CLUSTER_OPERATORS,
               CLUSTER_VERSIONS)  # fmt: skip

    def reconcile(self) -> None:
        """One pass; none where the world has none of these pods."""
        if not self.world.cluster.get(KEY):
            return
        for item in self.cache.list(INGRESS_CONTROLLERS):
            self._route(item)
        for item in self.cache.list(REGISTRIES):
            self._registry(item)
        self._monitoring()

    def _route(self, item: Object) -> None:
        name, spec = item["metadata"]["name"], item.get("spec", {})
        placed = spec.get("nodePlacement") or {}
        selector = (placed.get("nodeSelector") or {}).get("matchLabels")
        worker = {**LINUX, "node-role.kubernetes.io/worker": ""}
        pod = _pod("router", worker if selector is None else selector, placed.get("tolerations"))
        if self.cache.get(DEPLOYMENTS, f"router-{name}", "openshift-ingress") is None:
            # As assets/router/cluster-role.yaml of the operator lets the account of routers have it.
            accounts.ensure(self.api, "openshift-ingress", "router", [], "hostnetwork")
        pod |= {"hostNetwork": True, "serviceAccountName": "router"}
        ports = [{"containerPort": each, "hostPort": each, "protocol": "TCP"} for each in (80, 443, 1936)]
        pod["containers"][0]["ports"] = ports
        rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": 0}}
        more = {"replicas": spec.get("replicas", 2), "strategy": rolling}
        self._keep(DEPLOYMENTS, "openshift-ingress", f"router-{name}", {ROUTER: name}, pod, more)
        found = self.cache.get(DEPLOYMENTS, f"router-{name}", "openshift-ingress") or {}
        waiting = [*self._unscheduled("openshift-ingress", ROUTER, name)]
        rows = [
            condition("Available", bool(found.get("status", {}).get("availableReplicas")), "DeploymentAvailable"),
            condition("PodsScheduled", not waiting, "PodsNotScheduled" if waiting else "", "; ".join(waiting)),
            condition("Degraded", bool(waiting), "DegradedConditions" if waiting else "NotDegraded"),
        ]
        self.set_status(INGRESS_CONTROLLERS, item, {
            "availableReplicas": found.get("status", {}).get("availableReplicas", 0),
            "selector": f"{ROUTER}={name}", "observedGeneration": item["metadata"]["generation"],
            "endpointPublishingStrategy": {"type": "HostNetwork"},
            "conditions": merge_conditions(item.get("status", {}).get("conditions", []), rows),
        })  # fmt: skip
        self._report("ingress", "IngressDegraded", "; ".join(waiting))

    def _registry(self, item: Object) -> None:
        spec = item["spec"]
        if spec.get("managementState") != "Managed":
            return
        pod = _pod("registry", spec.get("nodeSelector") or LINUX, spec.get("tolerations"))
        labels = {"docker-registry": "default"}
        more = {"replicas": spec.get("replicas", 1)}
        self._keep(DEPLOYMENTS, "openshift-image-registry", "image-registry", labels, pod, more)

    def _monitoring(self) -> None:
        found = self.cache.get(CONFIG_MAPS, "cluster-monitoring-config", "openshift-monitoring")
        settings, problem = _settings(found)
        self._report("monitoring", "InvalidConfiguration", problem)
        for key, pods in PARTS.items() if not problem else ():
            for name, replicas in pods.items():
                placed = settings.get(key) or {}
                labels = {"app.kubernetes.io/name": name}
                pod = _pod(name, placed.get("nodeSelector") or LINUX, placed.get("tolerations"))
                more: dict[str, Any] = {"replicas": replicas}
                if name in ORDERED:
                    term = {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}
                    pod["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
                    more |= {"serviceName": name, "podManagementPolicy": "Parallel"}
                kind = STATEFUL_SETS if name in ORDERED else DEPLOYMENTS
                self._keep(kind, "openshift-monitoring", name, labels, pod, more)

    def _keep(
        self, kind: Kind, namespace: str, name: str, labels: Mapping[str, str], pod: dict[str, Any], more: Any
    ) -> None:  # fmt: skip
        """Create the object, or write all of its pod anew where what it should be has changed."""
        spec = {**more, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}
        mark = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:16]
        found = self.cache.get(kind, name, namespace)
        if found is None:
            self.api.ensure(kind.path(namespace), {
                "apiVersion": kind.api_version, "kind": "StatefulSet" if kind is STATEFUL_SETS else "Deployment",
                "metadata": {"name": name, "namespace": namespace, "annotations": {MARK: mark}}, "spec": spec,
            })  # fmt: skip
        elif found["metadata"].get("annotations", {}).get(MARK) != mark:
            # A merge keeps labels of a selector that it does not name: they go by name.
            before = found["spec"]["template"]["spec"].get("nodeSelector") or {}
            pod["nodeSelector"] = {**dict.fromkeys(before), **pod["nodeSelector"]}
            change = {"metadata": {"annotations": {MARK: mark}}, "spec": spec}
            self.cache.replace(kind, self.api.merge(kind.path(namespace, name), change))

    def _unscheduled(self, namespace: str, key: str, value: str) -> Iterator[str]:
        for pod in self.cache.list(PODS, namespace):
            rows = pod.get("status", {}).get("conditions", [])
            waits = any(row["type"] == "PodScheduled" and row["status"] == "False" for row in rows)
            if waits and pod["metadata"].get("labels", {}).get(key) == value:
                yield f'Pod "{pod["metadata"]["name"]}" cannot be scheduled'

    def _report(self, name: str, reason: str, problem: str) -> None:
        """The operator's own ClusterOperator, of the release that the cluster is on when it is made."""
        operator = self.cache.get(CLUSTER_OPERATORS, name)
        if operator is None:
            version = self.cache.get(CLUSTER_VERSIONS, "version")
            if not (version or {}).get("status", {}).get("history"):
                return
            body = {"apiVersion": CLUSTER_OPERATORS.api_version, "kind": "ClusterOperator", "metadata": {"name": name}}
            release = (version or {})["status"]["desired"]["version"]
            operator = self.api.create(CLUSTER_OPERATORS.path(), {**body, "spec": {}})
            self.set_status(CLUSTER_OPERATORS, operator, {"versions": [{"name": "operator", "version": release}]})
            self.cache.put(CLUSTER_OPERATORS, operator)
        rows = [
            condition("Available", True, "AsExpected"),
            condition("Progressing", False, "AsExpected"),
            condition("Degraded", bool(problem), reason if problem else "AsExpected", problem),
        ]
        known = operator.get("status", {}).get("conditions", [])
        self.set_status(CLUSTER_OPERATORS, operator, {"conditions": merge_conditions(known, rows)})


def _pod(name: str, selector: Mapping[str, str], tolerations: Any) -> dict[str, Any]:
    return {
        "nodeSelector": dict(selector), "tolerations": list(tolerations or ()), "affinity": None,
        "priorityClassName": "system-cluster-critical",
        "containers": [{
            "name": name, "image": f"quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:{'0' * 64}",
            "resources": {"requests": {"cpu": "5m", "memory": "64Mi"}},
        }],
    }  # fmt: skip


def _settings(found: Object | None) -> tuple[Mapping[str, Any], str]:
    """What `config.yaml` says, and why it cannot be read; nothing where nobody has made the ConfigMap."""
    if found is None:
        return {}, ""
    text = (found.get("data") or {}).get("config.yaml")
    if text is None:
        return {}, '"config.yaml" key not found in the configmap'
    failed = 'failed to parse data at key "config.yaml": error unmarshaling: '
    try:
        read = yaml.safe_load(text) or {}
    except yaml.YAMLError as problem:
        return {}, f"{failed}{problem}"
    unknown = sorted(set(read) - KEYS) if isinstance(read, dict) else [str(read)]
    return ({}, f'{failed}unknown field "{unknown[0]}"') if unknown else (read, "")
