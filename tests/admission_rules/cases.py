"""Single objects of the policy cases, each with what the pack finds in it, completed to what an API server takes.

A case has what a rule reads. The rest (images, selectors, names) is what the API server demands of any such object.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from podwright.policies.rules import RULES
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import NotApplicable, Rule, StackRule
from tests.policies.test_rules import CASES

Object = dict[str, Any]
IMAGE: Final = f"registry.example.com/x@sha256:{'a' * 64}"
PLURALS: Final = {
    "ConfigMap": "configmaps", "CronJob": "cronjobs", "DaemonSet": "daemonsets", "Deployment": "deployments",
    "HorizontalPodAutoscaler": "horizontalpodautoscalers", "Ingress": "ingresses", "Job": "jobs",
    "LimitRange": "limitranges", "NetworkPolicy": "networkpolicies", "Pod": "pods",
    "PodDisruptionBudget": "poddisruptionbudgets", "ResourceQuota": "resourcequotas", "Route": "routes",
    "ScaledObject": "scaledobjects", "StatefulSet": "statefulsets",
}  # fmt: skip
_BY_ID: Final = {rule.id: rule for rule in RULES}
_LATER: Final = (
    "InferenceService", "ServingRuntime", "ClusterServingRuntime", "TrainingRuntime", "ClusterTrainingRuntime",
    "TrainJob", "JobSet", "Robot",
)  # fmt: skip
"""Kinds that admission rules are not asked about: the Deployment that KServe makes of one is, the set and its Jobs that
Kubeflow Trainer makes of the others are, and whatever pods a kind makes that nobody listed."""
_QUOTA: Final = Resource(
    "kubernetes:core/v1:ResourceQuota", "gpus", "quota", {"metadata": {"name": "gpus", "namespace": "team"}}
)
"""What a namespace of a team has; the API server is asked about namespaces of teams alone."""
_TEMPLATED: Final = ("DaemonSet", "Deployment", "StatefulSet", "Job")


@dataclass(frozen=True)
class Case:
    """An object of a rule's cases, and whether the pack finds something in it."""

    rule: str
    number: int
    wrong: bool
    body: Object

    @property
    def kind(self) -> str:
        """Its kind."""
        return str(self.body["kind"])


def cases(rule: str) -> Iterator[Case]:
    """Every object of a rule's cases by itself."""
    found = CASES[rule]
    groups = [*found["passes"], *(each["resources"] for each in found["fails"]), *found["does_not_apply"]]
    for number, each in enumerate(one for group in groups for one in group):
        if each["type"].rpartition(":")[2] in _LATER:
            continue
        body = whole(each, f"case-{number}")
        # Both gates judge the same object: a container without an image, say, is given one.
        yield Case(rule, number, wrong(rule, {**each, "props": body}), body)


def wrong(rule: str, case: Mapping[str, Any]) -> bool:
    """Whether the pack finds something in an object that is alone."""
    asked, resource = _BY_ID[rule], Resource(case["type"], case["name"], "urn", case["props"])
    try:
        if isinstance(asked, StackRule):
            return bool(asked.check([_QUOTA, _in_team(resource)]))
        assert isinstance(asked, Rule)
        return bool(list(asked.check(resource)))
    except NotApplicable:
        return False


def _in_team(resource: Resource) -> Resource:
    meta = {**resource.props["metadata"], "namespace": "team"}
    return replace(resource, props={**resource.props, "metadata": meta})


def whole(case: Mapping[str, Any], name: str) -> Object:
    """A resource as an object that an API server takes."""
    _, version, kind = case["type"].split(":")
    body: Object = {"apiVersion": version.removeprefix("core/"), "kind": kind, **copy.deepcopy(dict(case["props"]))}
    body["metadata"] = {**body.get("metadata", {}), "name": name}
    body["metadata"].pop("namespace", None)
    spec = body.setdefault("spec", {}) if kind != "ConfigMap" else {}
    if kind == "Pod":
        _complete(spec)
    elif kind in _TEMPLATED:
        _controller(kind, spec)
    elif kind == "CronJob":
        spec.setdefault("schedule", "0 1 * * *")
        _controller("Job", spec["jobTemplate"].setdefault("spec", {}))
    _others(kind, spec)
    return body


def _controller(kind: str, spec: Object) -> None:
    template = spec.setdefault("template", {})
    meta = template.setdefault("metadata", {})
    if kind != "Job":
        meta.setdefault("labels", {})["app"] = "x"
        spec["selector"] = {"matchLabels": {"app": "x"}}
    if kind == "StatefulSet":
        spec["serviceName"] = "x"
        for each in spec.get("volumeClaimTemplates", ()):
            each["spec"] = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    if kind == "Job":
        for key in [key for key, value in spec.items() if value is None]:
            del spec[key]
        if "backoffLimitPerIndex" in spec:
            spec |= {"completionMode": "Indexed", "completions": spec.get("parallelism", 1)}
    pod = template.setdefault("spec", {})
    if kind == "Job":
        pod["restartPolicy"] = "Never"
    _complete(pod)


def _complete(pod: Object) -> None:
    # With a token in it, what a case lists would be a change of its volumes and mounts.
    pod["automountServiceAccountToken"] = False
    boxes = pod.setdefault("containers", [{"name": "x"}])
    for box in [*boxes, *pod.get("initContainers", ())]:
        box.setdefault("image", IMAGE)
        asked = box.get("resources", {})
        # Extended resources cannot be asked for without a limit.
        box["resources"] = {**asked, "limits": {**asked.get("requests", {}), **asked.get("limits", {})}}
        for probe in ("livenessProbe", "startupProbe"):
            if probe in box:
                box[probe]["httpGet"] = {"path": "/health", "port": 8000}
    for each in pod.get("tolerations", ()):
        if not each.get("key"):
            each["operator"] = "Exists"


def _others(kind: str, spec: Object) -> None:
    if kind == "PodDisruptionBudget":
        spec["selector"] = {"matchLabels": {"app": "x"}}
    elif kind == "NetworkPolicy":
        spec.setdefault("podSelector", {})
        spec["policyTypes"] = ["Ingress", "Egress"]
    elif kind == "Ingress":
        spec["defaultBackend"] = {"service": {"name": "x", "port": {"number": 80}}}
    elif kind == "Route":
        spec["to"] = {"kind": "Service", "name": "x", "weight": 100}
    elif kind == "HorizontalPodAutoscaler":
        spec |= {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"}, "maxReplicas": 4}
        for each in spec.get("metrics", ()):
            each[each["type"].lower()]["target"] = {"type": "AverageValue", "averageValue": "4"}


def pod_of(case: Case) -> Object | None:
    """The pod that the controller of a case's kind makes of its template."""
    owners = {"DaemonSet": "apps/v1", "Job": "batch/v1", "StatefulSet": "apps/v1", "Deployment": "apps/v1"}
    if case.kind not in owners:
        return None
    template = case.body["spec"]["template"]
    # A Deployment's pods are made by its ReplicaSet.
    kind = "ReplicaSet" if case.kind == "Deployment" else case.kind
    owner = {"apiVersion": owners[case.kind], "kind": kind, "name": "x", "uid": "x", "controller": True}
    meta = {**template["metadata"], "name": case.body["metadata"]["name"], "ownerReferences": [owner]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": template["spec"]}
