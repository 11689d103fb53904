"""Waits until every replica of a service that KServe runs is of its present form, and serves.

KServe says Ready of a service as long as some of its pods are available (kserve/kserve v0.20.0, pkg/apis/serving/
v1beta1/inference_service_status.go, PropagateRawStatus): of one whose pods are being replaced, and of one whose change
its controller has not seen. The Deployment that it makes tells: its pods' annotation says which form they are of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.openshift.conditions import conditions, is_true
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.waited import Waited
from podwright.components.providers.openshift.waiting import step_patience
from podwright.components.providers.protocol.kind import Context, Values

REQUIRED: Mapping[str, type] = {
    "namespace": str, "service": str, "deployment": str, "mark": dict, "replicas": int, "seconds": int,
}  # fmt: skip


class ServedKind(Waited):
    """``podwright:openshift:Served``: ``{"schema": 1, "namespace", "service", "deployment", "mark", "replicas",
    "seconds"}``."""

    token = "podwright:openshift:Served"
    required = REQUIRED
    optional: Mapping[str, type] = {}

    def called(self, inputs: Values) -> str:
        """One of a service."""
        del inputs
        return "served"

    async def wait(self, inputs: Values, ctx: Context) -> Values:
        """Until all replicas serve; with where KServe says that the service is reached."""
        return await _until_served(inputs, ctx)


async def _until_served(inputs: Values, ctx: Context) -> Values:
    spec = inputs["spec"]
    patience, what = step_patience(ctx, float(spec["seconds"])), ""
    kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
    while True:
        try:
            wrong, url = await lacks(kube, spec)
        except (KubeError, SilentError) as problem:
            wrong, url = str(problem), ""
        if not wrong:
            return {**inputs, "url": url}
        if wrong != what:
            ctx.log(f"waiting for {spec['service']} to serve: {wrong}")
            patience.hurry()
            what = wrong
        await patience.wait(f"service {spec['service']} of {spec['namespace']} ({wrong})")


async def lacks(kube: Kube, spec: Mapping[str, Any]) -> tuple[str, str]:
    """What a service waits for, empty where all its replicas serve; and where KServe says that it is reached."""
    space = f"namespaces/{spec['namespace']}"
    service = await kube.find(f"/apis/serving.kserve.io/v1beta1/{space}/inferenceservices/{spec['service']}")
    deployment = await kube.find(f"/apis/apps/v1/{space}/deployments/{spec['deployment']}")
    complaint = _words(service)
    if deployment is None:
        return complaint or "KServe has not made its Deployment yet", ""
    marks = deployment["spec"]["template"]["metadata"].get("annotations") or {}
    if any(marks.get(key) != value for key, value in spec["mark"].items()):
        return complaint or "KServe has not changed its Deployment yet", ""
    if not _complete(deployment, int(spec["replicas"])):
        counted = _counted(deployment.get("status") or {}, int(spec["replicas"]))
        return "; ".join(filter(None, (counted, _refused(deployment)))), ""
    if not is_true(service, "Ready"):
        return complaint or "KServe has not said that it is ready", ""
    return "", str((service or {}).get("status", {}).get("url") or "")


def _complete(deployment: Mapping[str, Any], wanted: int) -> bool:
    """Whether a Deployment has so many replicas, all of its present form, and all serve."""
    status = deployment.get("status") or {}
    counts = [status.get(key) for key in ("replicas", "updatedReplicas", "availableReplicas")]
    seen = int(status.get("observedGeneration") or 0) >= int(deployment["metadata"]["generation"])
    return seen and [deployment["spec"].get("replicas"), *counts] == [wanted] * 4


def _counted(status: Mapping[str, Any], wanted: int) -> str:
    new, there = (int(status.get(key) or 0) for key in ("updatedReplicas", "availableReplicas"))
    return f"of {wanted} replicas {new} are of its present form, and {there} serve"


def _refused(deployment: Mapping[str, Any]) -> str:
    """Why the API server takes no pod of it, such as a quota; empty where it does."""
    failed = conditions(deployment).get("ReplicaFailure", {})
    return str(failed.get("message") or "") if failed.get("status") == "True" else ""


def _words(service: Mapping[str, Any] | None) -> str:
    """What KServe complains of."""
    if service is None:
        return "there is no InferenceService of that name"
    failed = ((service.get("status") or {}).get("modelStatus") or {}).get("lastFailureInfo") or {}
    rows = [conditions(service).get(each, {}) for each in ("PredictorReady", "IngressReady")]
    found = [str(row.get("message") or row.get("reason") or "") for row in rows if row.get("status") == "False"]
    return "; ".join(filter(None, dict.fromkeys([*found, str(failed.get("message") or "")])))
