"""Serving: a Deployment on GPUs or MIG slices, probed as long as its model loads, drained before it goes.

Of kind kserve KServe makes the Deployment; the pods, the service in front of them and their budget are the same."""

from collections.abc import Mapping
from math import ceil
from typing import Any, Final

from podwright.components.design.hardware import GPUS
from podwright.components.design.platform.names import (
    INFERENCE,
    WORKLOAD_LABEL,
    Manifest,
    mig_resource,
    priority_class,
    share,
    tolerations,
)
from podwright.components.design.workloads import (
    claims,
    engines,
    home,
    huge_pages,
    kserve,
    secret_variables,
    spreading,
    times,
)
from podwright.components.design.workloads.placement import serving
from podwright.components.model import Inference, Server, Sharing

SCALED: Final = "podwright.io/replicas"
"""Annotation of a Deployment whose replicas an autoscaler changes. It goes with `scale`, which makes the Deployment a
change of that plan: with it the file's `replicas` are written again."""


def service(
    name: str, inference: Inference, servers: Mapping[str, Server], sharing: Sharing | None = None
) -> tuple[Manifest, Manifest, Manifest]:
    """Deployment or InferenceService, service and disruption budget; `servers` and `sharing` are those of its pool."""
    labels = {"app.kubernetes.io/name": name, WORKLOAD_LABEL: INFERENCE}
    meta = {"name": name, "namespace": inference.team, "labels": labels}
    deadline = times.deadline(inference)
    run = engines.started(name, inference, sharing)
    notes = {"pulumi.com/timeoutSeconds": str(deadline), **({SCALED: "autoscaler"} if inference.scale else {})}
    pod = _pod(run, inference, labels, servers, sharing)
    deployment: Manifest = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {**meta, "annotations": notes},
        "spec": {
            "replicas": inference.replicas,
            "selector": {"matchLabels": labels},
            "strategy": kserve.strategy(),
            "progressDeadlineSeconds": deadline,
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }
    if inference.kind == "kserve":
        deployment = kserve.inference_service(meta, inference, pod)
    ports = [("http", 80), *run.ports.items()]
    front = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": meta,
        "spec": {
            "type": "ClusterIP",
            "selector": labels,
            "ports": [{"name": each, "port": port, "targetPort": each, "protocol": "TCP"} for each, port in ports],
        },
    }
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": meta,
        "spec": {
            "maxUnavailable": 1,
            # A replica that never became ready must not hold up a drain.
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
            "selector": {"matchLabels": labels},
        },
    }
    return deployment, front, budget


def gpu_resource(inference: Inference, sharing: Sharing | None = None) -> str:
    """What a replica asks the device plugin for."""
    whole = mig_resource(inference.slice) if inference.slice else "nvidia.com/gpu"
    return share(whole) if sharing else whole


def _home_gib(inference: Inference, servers: Mapping[str, Server]) -> int:
    """Size of HOME: caches, and a model that is downloaded into it, which its GPUs have to hold too."""
    if inference.home_gib is not None:
        return inference.home_gib
    if not engines.downloads(inference):
        return home.CACHES_GIB
    most = max((GPUS[each.gpus].mib for each in servers.values() if each.gpus in GPUS), default=0)
    return home.CACHES_GIB + ceil(inference.gpus * most / 1024)


def _pod(
    run: engines.Started,
    inference: Inference,
    labels: dict[str, str],
    servers: Mapping[str, Server],
    sharing: Sharing | None,
) -> dict[str, Any]:
    return {
        **({"imagePullSecrets": [{"name": each} for each in run.pull_secrets]} if run.pull_secrets else {}),
        "serviceAccountName": INFERENCE,
        "automountServiceAccountToken": False,
        "priorityClassName": priority_class(INFERENCE),
        "nodeSelector": serving(servers, inference.pool).selector,
        "tolerations": [*tolerations(inference.pool), *spreading.tolerations(inference)],
        "topologySpreadConstraints": spreading.constraints(inference, labels),
        "terminationGracePeriodSeconds": times.DRAIN_SECONDS + times.FINISH_SECONDS,
        "securityContext": {
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
            **claims.context(inference.volumes),
        },
        "containers": [_container(run, inference, sharing)],
        "volumes": [
            *huge_pages.volumes(max(1, inference.memory_gib // 4), inference.hugepages_gib),
            home.volume(_home_gib(inference, servers)),
            *claims.volumes(inference.volumes),
        ],
    }


def _container(run: engines.Started, inference: Inference, sharing: Sharing | None) -> dict[str, Any]:
    amounts = {
        "cpu": str(inference.cpus),
        "memory": f"{inference.memory_gib}Gi",
        gpu_resource(inference, sharing): str(inference.gpus),
        **huge_pages.amounts(inference.hugepages_gib),
    }
    live, ready = ({"httpGet": {"path": path, "port": "http"}} for path in (run.live, run.ready))
    ports = {"http": inference.port, **run.ports}
    return {
        "name": "serve",
        "image": inference.image,
        "env": [*run.env, *secret_variables.env(inference.secrets)],
        **({"args": run.args} if run.args else {}),
        "ports": [{"name": each, "containerPort": port, "protocol": "TCP"} for each, port in ports.items()],
        "resources": {"requests": {**amounts, **home.requests(inference.home_gib)}, "limits": dict(amounts)},
        "startupProbe": {**ready, "periodSeconds": times.PROBE_SECONDS, "failureThreshold": times.probes(inference)},
        "readinessProbe": {**ready, "periodSeconds": 5, "failureThreshold": 2, "timeoutSeconds": 3},
        "livenessProbe": {**live, "periodSeconds": times.PROBE_SECONDS, "failureThreshold": 3, "timeoutSeconds": 5},
        **({"terminationMessagePolicy": "FallbackToLogsOnError"} if run.explains else {}),
        "lifecycle": {"preStop": {"sleep": {"seconds": times.DRAIN_SECONDS}}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [
            *huge_pages.mounts(inference.hugepages_gib),
            home.mount(),
            *claims.mounts(inference.volumes),
        ],
    }
