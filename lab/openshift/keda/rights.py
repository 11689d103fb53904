"""What KEDA's account may do, and where its programs are found.

After kedacore/keda v2.19.0, config/rbac/role.yaml and config/metrics-server: it reads every object and every scale, and
makes autoscalers. It makes tokens of no account by itself: that right is the reader's to give.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from podwright.lab.openshift.api import Object

NAMESPACE, OPERATOR, SERVER = "openshift-keda", "keda-operator", "keda-metrics-apiserver"
ACCOUNT = f"system:serviceaccount:{NAMESPACE}:{OPERATOR}"
GROUPS = ("system:serviceaccounts", f"system:serviceaccounts:{NAMESPACE}", "system:authenticated")
RBAC = "rbac.authorization.k8s.io"
_READ, _KEEP = ["get", "list", "watch"], ["get", "list", "watch", "create", "update", "patch", "delete"]
_RULES: tuple[tuple[str, list[str], list[str]], ...] = (
    ("", ["configmaps", "configmaps/status", "pods", "secrets", "services"], _READ),
    ("", ["events"], ["create", "patch"]),
    ("", ["limitranges", "serviceaccounts"], ["list", "watch"]),
    ("*", ["*"], ["get"]),
    ("*", ["*/scale"], ["get", "list", "patch", "update", "watch"]),
    ("apps", ["deployments", "statefulsets"], ["list", "watch"]),
    ("autoscaling", ["horizontalpodautoscalers"], _KEEP),
    ("batch", ["jobs"], _KEEP),
    ("coordination.k8s.io", ["leases"], _KEEP),
    ("eventing.keda.sh", ["*"], ["get", "list", "patch", "update", "watch"]),
    ("keda.sh", ["*"], ["get", "list", "patch", "update", "watch"]),
)


def objects() -> Iterator[tuple[str, Object]]:
    """Account, rights and the service of the metrics server, each with the path of its collection."""
    core = f"/api/v1/namespaces/{NAMESPACE}"
    yield f"{core}/serviceaccounts", _made("v1", "ServiceAccount", OPERATOR, NAMESPACE)
    place = {"type": "ExternalName", "externalName": "localhost"}
    yield f"{core}/services", {**_made("v1", "Service", SERVER, NAMESPACE), "spec": place}
    rules = [{"apiGroups": [group], "resources": names, "verbs": verbs} for group, names, verbs in _RULES]
    path = f"/apis/{RBAC}/v1"
    yield f"{path}/clusterroles", {**_made(f"{RBAC}/v1", "ClusterRole", OPERATOR), "rules": rules}
    yield f"{path}/clusterrolebindings", _binding("ClusterRoleBinding", OPERATOR, "ClusterRole", OPERATOR)
    asks = _binding("ClusterRoleBinding", "keda-system-auth-delegator", "ClusterRole", "system:auth-delegator")
    yield f"{path}/clusterrolebindings", asks
    reads = _binding("RoleBinding", "keda-auth-reader", "Role", "extension-apiserver-authentication-reader")
    reads["metadata"]["namespace"] = "kube-system"
    yield f"{path}/namespaces/kube-system/rolebindings", reads


def service(authority: str, port: int) -> Object:
    """Where the API server asks for external metrics."""
    return {
        **_made("apiregistration.k8s.io/v1", "APIService", "v1beta1.external.metrics.k8s.io"),
        "spec": {
            "group": "external.metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": 100,
            "versionPriority": 100, "caBundle": authority,
            "service": {"name": SERVER, "namespace": NAMESPACE, "port": port},
        },
    }  # fmt: skip


def _made(api_version: str, kind: str, name: str, namespace: str = "") -> Object:
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **place}}


def _binding(kind: str, name: str, role: str, of: str) -> dict[str, Any]:
    return {
        **_made(f"{RBAC}/v1", kind, name), "roleRef": {"apiGroup": RBAC, "kind": role, "name": of},
        "subjects": [{"kind": "ServiceAccount", "name": OPERATOR, "namespace": NAMESPACE}],
    }  # fmt: skip
