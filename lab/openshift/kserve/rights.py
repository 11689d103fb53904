"""What KServe's account may do.

After kserve/kserve v0.20.0, config/rbac/role.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.data_science.components import APPLICATIONS

NAME = "kserve-controller-manager"
ACCOUNT = f"system:serviceaccount:{APPLICATIONS}:{NAME}"
GROUPS = ("system:serviceaccounts", f"system:serviceaccounts:{APPLICATIONS}", "system:authenticated")
RBAC = "rbac.authorization.k8s.io"
_READ = ["get", "list", "watch"]
_KEEP = [*_READ, "create", "update", "patch", "delete"]
_SAID = ["get", "patch", "update"]
_KINDS = ("clusterservingruntimes", "inferencegraphs", "inferenceservices", "servingruntimes", "trainedmodels")
_RULES: tuple[tuple[str, list[str], list[str]], ...] = (
    ("", ["configmaps"], ["create", "get", "update"]),
    ("", ["events", "services"], _KEEP),
    ("", ["namespaces", "pods"], _READ),
    ("", ["secrets", "serviceaccounts"], ["get"]),
    ("admissionregistration.k8s.io", ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"], _KEEP),
    ("apps", ["deployments"], _KEEP),
    ("autoscaling", ["horizontalpodautoscalers"], _KEEP),
    ("gateway.networking.k8s.io", ["httproutes"], _KEEP),
    ("keda.sh", ["scaledobjects", "scaledobjects/finalizers"], _KEEP),
    ("networking.istio.io", ["virtualservices", "virtualservices/finalizers"], _KEEP),
    ("networking.k8s.io", ["ingresses"], _KEEP),
    ("opentelemetry.io", ["opentelemetrycollectors", "opentelemetrycollectors/finalizers"], _KEEP),
    ("serving.knative.dev", ["services", "services/finalizers"], _KEEP),
    ("serving.kserve.io", [*_KINDS, *(f"{each}/finalizers" for each in _KINDS), "clusterstoragecontainers"], _KEEP),
    ("serving.kserve.io", [f"{each}/status" for each in _KINDS], _SAID),
    ("serving.kserve.io", ["localmodelcaches", "localmodelnamespacecaches"], _READ),
)


def objects() -> Iterator[tuple[str, Object]]:
    """Account and rights, each with the path of its collection."""
    meta = {"name": NAME, "namespace": APPLICATIONS}
    yield f"/api/v1/namespaces/{APPLICATIONS}/serviceaccounts", _made("v1", "ServiceAccount", **meta)
    rules = [{"apiGroups": [group], "resources": names, "verbs": verbs} for group, names, verbs in _RULES]
    path, role = f"/apis/{RBAC}/v1", "kserve-manager-role"
    yield f"{path}/clusterroles", {**_made(f"{RBAC}/v1", "ClusterRole", name=role), "rules": rules}
    yield (
        f"{path}/clusterrolebindings",
        {
            **_made(f"{RBAC}/v1", "ClusterRoleBinding", name="kserve-manager-rolebinding"),
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
            "subjects": [{"kind": "ServiceAccount", **meta}],
        },
    )


def _made(api_version: str, kind: str, **meta: str) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": meta}
