"""Serving: a Deployment on GPUs or MIG slices, probed as long as its model loads, drained before it goes."""

from collections.abc import Mapping
from math import ceil
from typing import Any

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
from podwright.components.design.workloads import claims, home, huge_pages
from podwright.components.design.workloads.placement import serving
from podwright.components.model import Inference, Server, Sharing
from podwright.components.model.mounts import on_disk

PROBE_SECONDS = 10
DRAIN_SECONDS = 15
"""Time a terminating replica goes on serving until no endpoint points at it."""
FINISH_SECONDS = 120
"""Time requests in flight have to end after that."""


def service(
    name: str, inference: Inference, servers: Mapping[str, Server], sharing: Sharing | None = None
) -> tuple[Manifest, Manifest, Manifest]:
    """Deployment, service and disruption budget; `servers` and `sharing` are those of its pool."""
    labels = {"app.kubernetes.io/name": name, WORKLOAD_LABEL: INFERENCE}
    meta = {"name": name, "namespace": inference.team, "labels": labels}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {**meta, "annotations": {"pulumi.com/timeoutSeconds": str(inference.load_seconds + 600)}},
        "spec": {
            "replicas": inference.replicas,
            "selector": {"matchLabels": labels},
            # GPUs are scarce: a new replica takes the place of an old one instead of standing beside it.
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}},
            "progressDeadlineSeconds": inference.load_seconds + 600,
            "template": {"metadata": {"labels": labels}, "spec": _pod(name, inference, labels, servers, sharing)},
        },
    }
    front = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": meta,
        "spec": {
            "type": "ClusterIP",
            "selector": labels,
            "ports": [{"name": "http", "port": 80, "targetPort": "http", "protocol": "TCP"}],
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


def memory_share(sharing: Sharing) -> str:
    """Part of a GPU's memory that a server of models may take: 0.9 of its share, as vLLM takes 0.9 of a GPU by itself.

    It reads the whole GPU's memory whatever its share is, and the figure is of each server by itself
    (https://docs.vllm.ai/en/latest/configuration/engine_args.html, --gpu-memory-utilization).
    """
    return f"{900 // sharing.replicas / 1000:.3f}"


def _home_gib(inference: Inference, servers: Mapping[str, Server]) -> int:
    """Size of HOME: caches, and a model that is downloaded into it, which its GPUs have to hold too."""
    if inference.home_gib is not None:
        return inference.home_gib
    if on_disk(inference.model):
        return home.CACHES_GIB
    most = max((GPUS[each.gpus].mib for each in servers.values() if each.gpus in GPUS), default=0)
    return home.CACHES_GIB + ceil(inference.gpus * most / 1024)


def _pod(
    name: str, inference: Inference, labels: dict[str, str], servers: Mapping[str, Server], sharing: Sharing | None
) -> dict[str, Any]:
    return {
        "serviceAccountName": INFERENCE,
        "automountServiceAccountToken": False,
        "priorityClassName": priority_class(INFERENCE),
        "nodeSelector": serving(servers, inference.pool).selector,
        "tolerations": tolerations(inference.pool),
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": labels},
            }
        ],
        "terminationGracePeriodSeconds": DRAIN_SECONDS + FINISH_SECONDS,
        "securityContext": {
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
            **claims.context(inference.volumes),
        },
        "containers": [_container(name, inference, sharing)],
        "volumes": [
            *huge_pages.volumes(max(1, inference.memory_gib // 4), inference.hugepages_gib),
            home.volume(_home_gib(inference, servers)),
            *claims.volumes(inference.volumes),
        ],
    }


def _container(name: str, inference: Inference, sharing: Sharing | None) -> dict[str, Any]:
    amounts = {
        "cpu": str(inference.cpus),
        "memory": f"{inference.memory_gib}Gi",
        gpu_resource(inference, sharing): str(inference.gpus),
        **huge_pages.amounts(inference.hugepages_gib),
    }
    health = {"httpGet": {"path": "/health", "port": "http"}}
    # A slice is one device to the server; only whole GPUs split a model.
    parallel = 1 if inference.slice else inference.gpus
    local = on_disk(inference.model)
    # Of a path clients would have to know where this service has it: the name outlives a move of the model.
    served = inference.served_name or (name if local else None)
    args = ["--model", inference.model, *(["--served-model-name", served] if served else [])]
    args += ["--port", str(inference.port), "--tensor-parallel-size", str(parallel)]
    if inference.sizing is not None:
        # What the memory was reckoned for: longer requests are refused, and more than so many wait.
        args += ["--max-model-len", str(inference.sizing.context)]
        args += ["--max-num-seqs", str(inference.sizing.concurrency)]
    return {
        "name": "serve",
        "image": inference.image,
        "env": home.variables(serves=True, offline=local),
        "args": [*args, *(["--gpu-memory-utilization", memory_share(sharing)] if sharing else [])],
        "ports": [{"name": "http", "containerPort": inference.port, "protocol": "TCP"}],
        "resources": {"requests": {**amounts, **home.requests(inference.home_gib)}, "limits": dict(amounts)},
        "startupProbe": {
            **health,
            "periodSeconds": PROBE_SECONDS,
            "failureThreshold": ceil(inference.load_seconds / PROBE_SECONDS),
        },
        "readinessProbe": {**health, "periodSeconds": 5, "failureThreshold": 2, "timeoutSeconds": 3},
        "livenessProbe": {**health, "periodSeconds": PROBE_SECONDS, "failureThreshold": 3, "timeoutSeconds": 5},
        "lifecycle": {"preStop": {"sleep": {"seconds": DRAIN_SECONDS}}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [
            *huge_pages.mounts(inference.hugepages_gib),
            home.mount(),
            *claims.mounts(inference.volumes),
        ],
    }
