"""A service's endpoint picker: an account that reads, its configuration, one pod, and how the gateway speaks to it.

After kubernetes-sigs/gateway-api-inference-extension v1.5.0, config/charts/inferencepool and config/charts/epplib:
arguments, rights, probes, plugins and their weights.
"""

import json
from typing import Any, Final

from podwright.components.design.platform.names import (
    INFERENCE,
    POOL_LABEL,
    WORKLOAD_LABEL,
    Manifest,
    priority_class,
    tolerations,
)
from podwright.components.design.workloads import times
from podwright.components.model import Inference, InferenceGateway
from podwright.components.model.gateway import PICKER

EXT_PROC, HEALTH = 9002, 9003
"""Ports of the picker: Envoy's external processing over gRPC, and gRPC health."""
WEIGHTS: Final = {"queue-scorer": 2, "kv-cache-utilization-scorer": 2, "prefix-cache-scorer": 3}
"""Upstream's own: a cache that knows a prompt's beginning counts most, and gives way where it is full or many wait."""
GROUP: Final = "inference.networking.k8s.io"
CONFIG: Final = "plugins.yaml"
_RBAC: Final = "rbac.authorization.k8s.io"


def labels_of(name: str) -> dict[str, str]:
    """Labels of a service's pods, or of its picker's."""
    return {"app.kubernetes.io/name": name, WORKLOAD_LABEL: INFERENCE}


def meta_of(name: str, owner: str, inference: Inference) -> dict[str, Any]:
    """Metadata of an object; it is the picker's of service `owner`."""
    return {"name": name, "namespace": inference.team, "labels": labels_of(owner + PICKER)}


def plugins() -> str:
    """The picker's configuration, as JSON, which is YAML: what it reads of vLLM's metrics, and what counts how much."""
    given: dict[str, Any] = {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": [
            *({"type": each} for each in WEIGHTS),
            {"type": "metrics-data-source", "parameters": {"scheme": "http", "path": "/metrics"}},
            {"type": "core-metrics-extractor"},
        ],
        "schedulingProfiles": [
            {"name": "default", "plugins": [{"pluginRef": each, "weight": weight} for each, weight in WEIGHTS.items()]}
        ],
    }
    return json.dumps(given, indent=1) + "\n"


def rights(name: str, inference: Inference) -> tuple[Manifest, ...]:
    """An account that reads pods and pools of its namespace, and changes nothing.

    The kinds of x-k8s.io are alpha and not written here; where somebody has installed them a picker that may not read
    them never starts.
    """
    meta, reads = meta_of(name + PICKER, name, inference), ["get", "list", "watch"]
    rules = [
        {"apiGroups": [""], "resources": ["pods"], "verbs": reads},
        {"apiGroups": [GROUP], "resources": ["inferencepools"], "verbs": reads},
        {
            "apiGroups": ["inference.networking.x-k8s.io"],
            "resources": ["inferenceobjectives", "inferencemodelrewrites"],
            "verbs": reads,
        },
    ]
    return (
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta, "automountServiceAccountToken": False},
        {"apiVersion": f"{_RBAC}/v1", "kind": "Role", "metadata": meta, "rules": rules},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": meta,
            "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": meta["name"]},
            "subjects": [{"kind": "ServiceAccount", "name": meta["name"], "namespace": inference.team}],
        },
    )


def picker(name: str, inference: Inference, gateway: InferenceGateway) -> tuple[Manifest, ...]:
    """ConfigMap, Deployment, Service, and how the gateway speaks to it.

    One pod: which prompts a cache knows is in its memory, and two would each know half. While it moves the gateway
    gives requests to replicas by turns (failureMode). Its certificate is its own and new at every start, which nobody
    can check: that it is the picker is said by the network policy.
    """
    meta = meta_of(name + PICKER, name, inference)
    labels = meta["labels"]
    return (
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {CONFIG: plugins()}},
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": meta,
            "spec": {
                "replicas": 1,
                "strategy": {"type": "Recreate"},
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": _pod(name, inference, gateway)},
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": meta,
            "spec": {
                "type": "ClusterIP",
                "selector": labels,
                "ports": [
                    # HTTP/2, which Istio takes from here.
                    {"name": "grpc", "port": EXT_PROC, "targetPort": "grpc", "protocol": "TCP", "appProtocol": "grpc"}
                ],
            },
        },
        {
            "apiVersion": "networking.istio.io/v1",
            "kind": "DestinationRule",
            "metadata": meta,
            "spec": {
                "host": f"{meta['name']}.{inference.team}.svc.cluster.local",
                "trafficPolicy": {"tls": {"mode": "SIMPLE", "insecureSkipVerify": True}},
            },
        },
    )


def _pod(name: str, inference: Inference, gateway: InferenceGateway) -> dict[str, Any]:
    """On the nodes of its service's pool: it is gone when they are."""
    probe = {"grpc": {"port": HEALTH, "service": "inference-extension"}}
    return {
        "serviceAccountName": name + PICKER,
        # It reads pods and its pool from the API server.
        "automountServiceAccountToken": True,
        "priorityClassName": priority_class(INFERENCE),
        "nodeSelector": {POOL_LABEL: inference.pool},
        "tolerations": tolerations(inference.pool),
        # As long as the longest answer of a replica that goes: until then the gateway speaks to this pod.
        "terminationGracePeriodSeconds": times.DRAIN_SECONDS + times.FINISH_SECONDS,
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": "picker",
                "image": gateway.picker_image,
                "args": [
                    f"--pool-name={name}",
                    f"--pool-namespace={inference.team}",
                    f"--pool-group={GROUP}",
                    f"--config-file=/config/{CONFIG}",
                    "--zap-encoder=json",
                    "--enable-pprof=false",
                    "--tracing=false",
                ],
                "env": [
                    {"name": "NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
                    {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                ],
                "ports": [
                    {"name": "grpc", "containerPort": EXT_PROC, "protocol": "TCP"},
                    {"name": "health", "containerPort": HEALTH, "protocol": "TCP"},
                ],
                # A quarter of what upstream sizes for high rates (config/charts/inferencepool/values.yaml).
                "resources": {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"memory": "4Gi"}},
                "livenessProbe": {**probe, "initialDelaySeconds": 5, "periodSeconds": 10},
                "readinessProbe": {**probe, "periodSeconds": 2},
                "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
                "volumeMounts": [{"name": "config", "mountPath": "/config", "readOnly": True}],
            }
        ],
        "volumes": [{"name": "config", "configMap": {"name": name + PICKER}}],
    }
