"""What watches a service's second version: an account that reads the router's counters, and the watch itself.

The account is in openshift-monitoring: members of a team may ask for tokens of every account in their namespace, and
this one reads metrics of the whole cluster (ClusterRole cluster-monitoring-view; port 9092 of Thanos Querier, which is
for single namespaces, has no series of the router: their own namespace is openshift-ingress).
"""

from collections.abc import Mapping
from typing import Any, Final

from podwright.components.design.compute import digest
from podwright.components.design.platform.names import INFERENCE, WORKLOAD_LABEL, Manifest
from podwright.components.model import Inference, second

NAMESPACE: Final = "openshift-monitoring"
VIEW: Final = "cluster-monitoring-view"
_GROUP: Final = "rbac.authorization.k8s.io"


def reader(name: str, inference: Inference) -> tuple[Manifest, ...]:
    """Account and right; nothing where no second version is watched."""
    if inference.canary is None or inference.canary.watch is None:
        return ()
    labels = {"app.kubernetes.io/name": name, WORKLOAD_LABEL: INFERENCE}
    account = _account(name)
    return (
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": account, "namespace": NAMESPACE, "labels": labels},
            "automountServiceAccountToken": False,
        },
        {
            "apiVersion": f"{_GROUP}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": account, "labels": labels},
            "roleRef": {"apiGroup": _GROUP, "kind": "ClusterRole", "name": VIEW},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": NAMESPACE}],
        },
    )


def watched(name: str, inference: Inference, deployment: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """`spec` of the watch, with the second version's Deployment; None where nobody watches."""
    other = second(name, inference)
    if other is None or deployment is None or inference.canary is None or inference.canary.watch is None:
        return None
    limits = inference.canary.watch.model_dump()
    return {
        "schema": 1,
        "namespace": inference.team,
        "route": name,
        "service": name,
        "second": other[0],
        "version": digest(deployment["spec"]["template"]),
        "percent": inference.canary.percent,
        "account": _account(name),
        "watch": {"seconds": 60 * limits.pop("minutes"), **limits},
    }


def _account(name: str) -> str:
    """A service has its name to itself in a stack; a team's name and a service's, joined, two of them may have."""
    return f"podwright-canary-{name}"
