"""Scaling: what KEDA reads of a service's metrics, with whose right, and how it changes the number of replicas.

After Red Hat's guide to the Custom Metrics Autoscaler
(https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/nodes/automatically-scaling-pods-with-the-custom-metrics-autoscaler-operator:
Thanos Querier's port of tenants, a bound token of a ServiceAccount) and KEDA v2.19.0
(pkg/scalers/prometheus_scaler.go, pkg/fallback/fallback.go). Thanos Querier's port 9092 asks the API server whether an
account may read `pods` of `metrics.k8s.io` in the namespace that a query names, and answers with series of it alone
(openshift/cluster-monitoring-operator, manifests of thanos-querier).
"""

from typing import Any, Final

from podwright.components.design.operators.keda import NAMESPACE
from podwright.components.design.platform.names import INFERENCE, WORKLOAD_LABEL, Manifest
from podwright.components.design.workloads import times
from podwright.components.model import LONGEST_STAY, SHORTEST_STAY, Inference

OPERATOR: Final = "keda-operator"
"""KEDA's own account, in `NAMESPACE`."""
QUERIER: Final = "https://thanos-querier.openshift-monitoring.svc.cluster.local:9092"
WAITING: Final = "vllm:num_requests_waiting"
CACHE: Final = ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")
"""From 0 to 1, by its name and the one that it had before (https://docs.vllm.ai, production metrics)."""
POLL_SECONDS: Final = 30
"""As often as Prometheus reads."""
FAILURES: Final = 3
"""Readings in a row that fail until KEDA keeps what there is instead of doing nothing, and says so."""
LEFT: Final = {"Deployment": ("spec.replicas",)}
"""By kind, what belongs to the autoscaler from the moment it is there."""
_MINUTE: Final = 60


def scaling(name: str, inference: Inference) -> tuple[Manifest, ...]:
    """Account, rights, and KEDA's two objects; nothing where a service does not scale."""
    if inference.scale is None:
        return ()
    labels = {"app.kubernetes.io/name": name, WORKLOAD_LABEL: INFERENCE}
    reader = f"{name}-scaling"
    meta = {"name": reader, "namespace": inference.team, "labels": labels}
    reads = {"apiGroups": ["metrics.k8s.io"], "resources": ["pods"], "verbs": ["get"]}
    # KEDA asks for a token of this account, and of no other one.
    asks = {"apiGroups": [""], "resources": ["serviceaccounts/token"], "resourceNames": [reader], "verbs": ["create"]}
    return (
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta, "automountServiceAccountToken": False},
        *_right(meta, reader, inference.team, reads),
        *_right({**meta, "name": f"{reader}-token"}, OPERATOR, NAMESPACE, asks),
        {
            "apiVersion": "keda.sh/v1alpha1",
            "kind": "TriggerAuthentication",
            "metadata": meta,
            "spec": {"boundServiceAccountToken": [{"parameter": "bearerToken", "serviceAccountName": reader}]},
        },
        {
            "apiVersion": "keda.sh/v1alpha1",
            "kind": "ScaledObject",
            "metadata": {
                **meta,
                "name": name,
                "annotations": {"pulumi.com/waitFor": "condition=Ready"},
            },
            "spec": _spec(name, inference),
        },
    )


def stay(inference: Inference) -> int:
    """Seconds for which fewer replicas must have been enough before one goes."""
    if inference.scale is not None and inference.scale.stay_seconds is not None:
        return inference.scale.stay_seconds
    return min(LONGEST_STAY, max(SHORTEST_STAY, 2 * times.load_seconds(inference)))


def _spec(name: str, inference: Inference) -> dict[str, Any]:
    scale = inference.scale
    assert scale is not None  # asked before
    of = f'{{namespace="{inference.team}",service="{name}"}}'
    cache = " or ".join(f"{each}{of}" for each in CACHE)
    return {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
        "minReplicaCount": inference.replicas,
        "maxReplicaCount": scale.max,
        "pollingInterval": POLL_SECONDS,
        # Without metrics nobody knows what waits: as many go on as there are.
        "fallback": {"failureThreshold": FAILURES, "replicas": inference.replicas, "behavior": "currentReplicas"},
        "advanced": {"horizontalPodAutoscalerConfig": {"behavior": _behavior(stay(inference))}},
        "triggers": [
            _trigger("waiting", f"sum({WAITING}{of})", str(scale.waiting), inference.team, f"{name}-scaling"),
            _trigger("cache", f"sum({cache})", f"{scale.kv_percent / 100:g}", inference.team, f"{name}-scaling"),
        ],
    }


def _behavior(seconds: int) -> dict[str, Any]:
    """Twice as many in a minute, or two more; one less in a minute, after fewer were enough for so long."""
    up = [
        {"type": "Percent", "value": 100, "periodSeconds": _MINUTE},
        {"type": "Pods", "value": 2, "periodSeconds": _MINUTE},
    ]
    down = [{"type": "Pods", "value": 1, "periodSeconds": _MINUTE}]
    return {
        "scaleUp": {"stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": up},
        "scaleDown": {"stabilizationWindowSeconds": seconds, "selectPolicy": "Max", "policies": down},
    }


def _trigger(name: str, query: str, threshold: str, namespace: str, authentication: str) -> dict[str, Any]:
    return {
        "type": "prometheus",
        "name": name,
        "metricType": "AverageValue",
        "authenticationRef": {"name": authentication},
        "metadata": {
            "serverAddress": QUERIER,
            "namespace": namespace,
            "query": query,
            "threshold": threshold,
            "authModes": "bearer",
            # No series is no zero: a service whose metrics are not read is not one where nothing waits.
            "ignoreNullValues": "false",
        },
    }


def _right(meta: dict[str, Any], account: str, home: str, rule: dict[str, Any]) -> tuple[Manifest, Manifest]:
    group = "rbac.authorization.k8s.io"
    role = {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": meta, "rules": [rule]}
    binding = {
        "apiVersion": f"{group}/v1",
        "kind": "RoleBinding",
        "metadata": meta,
        "roleRef": {"apiGroup": group, "kind": "Role", "name": meta["name"]},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": home}],
    }
    return role, binding
