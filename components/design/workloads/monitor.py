"""A service's metrics for OpenShift's monitoring of user projects: what reads them, and its way in.

Prometheus of user projects is in a namespace of its own, beside the cluster's
(https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/monitoring/configuring-user-workload-monitoring).
"""

from typing import Any, Final

from podwright.components.design.platform.names import INFERENCE, NAMESPACE_NAME, WORKLOAD_LABEL, Manifest
from podwright.components.design.workloads import engines, kserve
from podwright.components.model import Inference

NAMESPACE: Final = "openshift-user-workload-monitoring"
INTERVAL: Final = "30s"
"""Prometheus's own of OpenShift."""


def monitor(name: str, inference: Inference) -> tuple[Manifest, ...]:
    """Network policy and ServiceMonitor; nothing where the metrics are not to be read."""
    if not inference.metrics:
        return ()
    run = engines.started(name, inference, None)
    labels = {"app.kubernetes.io/name": name, WORKLOAD_LABEL: INFERENCE}
    meta = {"namespace": inference.team, "labels": labels}
    # A number: of a name OVN-Kubernetes makes every port.
    port = run.ports.get(run.metrics_port, inference.port)
    reader = {"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: NAMESPACE}}}
    return (
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": {"name": f"{name}-metrics", **meta},
            "spec": {
                "podSelector": {"matchLabels": labels},
                "policyTypes": ["Ingress"],
                "ingress": [{"from": [reader], "ports": [{"protocol": "TCP", "port": port}]}],
            },
        },
        {
            "apiVersion": "monitoring.coreos.com/v1",
            "kind": "ServiceMonitor",
            "metadata": {"name": name, **meta},
            "spec": {
                "selector": {"matchLabels": labels, **_apart(inference)},
                "endpoints": [{"port": run.metrics_port, "path": run.metrics, "interval": INTERVAL}],
            },
        },
    )


def _apart(inference: Inference) -> dict[str, Any]:
    """KServe's Service in front of the same pods has the same labels: what both led to would be counted twice."""
    if inference.kind != "kserve":
        return {}
    return {"matchExpressions": [{"key": kserve.OWNED, "operator": "DoesNotExist"}]}
