"""The accounts of operators' daemons, with the right that the operators give them: pods of the host, SCC `privileged`.

NVIDIA's operators bring a Role that allows to `use` it for every daemon (NVIDIA/gpu-operator, assets/state-driver;
Mellanox/network-operator, manifests/state-ofed-driver); here a binding to OpenShift's own ClusterRole does that.
"""

from __future__ import annotations

from typing import Any

from podwright.lab.openshift.api import Api, path_of
from podwright.lab.openshift.scc.shipped import RBAC, role


def ensure(api: Api, namespace: str, name: str, owner: list[dict[str, Any]], scc: str = "privileged") -> None:
    """An account called `name` whose pods may have this SCC; it goes with its owner."""
    meta = {"name": name, "namespace": namespace, "ownerReferences": owner}
    api.ensure(path_of("v1", "serviceaccounts", namespace), {
        "apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta,
    })  # fmt: skip
    api.ensure(path_of(f"{RBAC}/v1", "rolebindings", namespace), {
        "apiVersion": f"{RBAC}/v1", "kind": "RoleBinding", "metadata": meta,
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role(scc)},
        "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}],
    })  # fmt: skip
