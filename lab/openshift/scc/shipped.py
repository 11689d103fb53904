"""The SecurityContextConstraints that OpenShift ships, the roles that allow their use, and who has them from the start.

Roles and bindings: openshift/cluster-kube-apiserver-operator, bindata/bootkube/scc-manifests. The operator's own SCCs
have such a role each; every authenticated user may use `restricted-v2`, and `restricted-v3` since 4.20.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from podwright.lab import reading
from podwright.lab.openshift.api import Api, Object, path_of

GROUP = "security.openshift.io"
API_VERSION = f"{GROUP}/v1"
PLURAL = "securitycontextconstraints"
RBAC = "rbac.authorization.k8s.io"
STANDARD = frozenset({
    "anyuid", "hostaccess", "hostmount-anyuid", "hostnetwork", "hostnetwork-v2", "nonroot", "nonroot-v2", "privileged",
    "restricted", "restricted-v2",
})  # fmt: skip
"""Without one of these the plugin judges nothing (openshift/apiserver-library-go, sccadmission/admission.go)."""
OTHERS = ("machine-api-termination-handler", "node-exporter")
"""Those of other operators: their accounts use them by name or by roles of their own."""
AUTHENTICATED = ("restricted-v2", "restricted-v3")
VOLUMES = (
    "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected", "secret",
)  # fmt: skip
HOST = ("HostDirVolumePlugin", "HostIPC", "HostNetwork", "HostPID", "HostPorts", "PrivilegedContainer")


@cache
def constraints() -> tuple[Object, ...]:
    """Every SecurityContextConstraints of a new cluster, as its API server returns it."""
    text = Path(__file__).with_name("shipped.yaml").read_text(encoding="utf-8")
    return tuple(_constraint(name, row) for name, row in reading.read(text).items())


def _constraint(name: str, row: dict[str, Any]) -> Object:
    user: dict[str, Any] = {"type": row.get("user", "MustRunAsRange")}
    groups: dict[str, dict[str, Any]] = {
        key: {"type": row.get(key, "RunAsAny")} for key in ("fs_group", "supplemental")
    }
    if bounds := row.get("range"):
        user |= {"uidRangeMin": bounds[0], "uidRangeMax": bounds[1]}
        ranges = {"type": "MustRunAs", "ranges": [{"min": bounds[0], "max": bounds[1]}]}
        groups = dict.fromkeys(groups, ranges)
    found = {
        "apiVersion": API_VERSION, "kind": "SecurityContextConstraints", "metadata": {"name": name},
        "priority": row.get("priority"),
        **{f"allow{flag}": flag in row.get("host", ()) for flag in HOST},
        "allowPrivilegeEscalation": row.get("escalates", False),
        "allowedCapabilities": row.get("add"), "defaultAddCapabilities": None,
        "requiredDropCapabilities": row.get("drop"), "readOnlyRootFilesystem": False,
        "runAsUser": user, "seLinuxContext": row.get("selinux", {"type": "MustRunAs"}),
        "fsGroup": groups["fs_group"], "supplementalGroups": groups["supplemental"],
        "volumes": sorted([*row.get("volumes", VOLUMES), *row.get("more_volumes", ())]),
        "users": row.get("users", []), "groups": row.get("groups_of", []),
    }  # fmt: skip
    if row.get("seccomp"):
        found["seccompProfiles"] = row["seccomp"]
    if row.get("sysctls"):
        found["allowedUnsafeSysctls"] = row["sysctls"]
    if bounds:
        # Both SCCs with a range of their own are for pods in a user namespace.
        found["userNamespaceLevel"] = "RequirePodLevel"
    return found


def access() -> Iterator[Object]:
    """The ClusterRoles and ClusterRoleBindings that come with them."""
    for name in [each["metadata"]["name"] for each in constraints()]:
        if name not in OTHERS:
            yield {
                "apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": role(name)},
                "rules": [{"apiGroups": [GROUP], "resources": [PLURAL], "resourceNames": [name], "verbs": ["use"]}],
            }  # fmt: skip
    for name in AUTHENTICATED:
        yield {
            "apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": role(name)},
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role(name)},
            "subjects": [{"apiGroup": RBAC, "kind": "Group", "name": "system:authenticated"}],
        }  # fmt: skip


def role(name: str) -> str:
    """The ClusterRole that allows to use an SCC."""
    return f"system:openshift:scc:{name}"


def furnish(api: Api) -> None:
    """Create what is missing. A site that changed one keeps its change: the operator only creates them."""
    for each in constraints():
        api.ensure(path_of(API_VERSION, PLURAL), each)
    for each in access():
        api.ensure(path_of(f"{RBAC}/v1", f"{each['kind'].lower()}s"), each)
