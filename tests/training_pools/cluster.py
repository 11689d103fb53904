"""An API server of the lab with the planned admission policies, and everybody who may make pods there.

Each user has a client certificate: a tenant with `edit`, the administrator, controllers by the names that they have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from podwright.lab.openshift.api import MERGE, Api, ApiError, path_of
from tests.lab.openshift.rack import Rack
from tests.platforms.planned import Object
from tests.training_pools import facts, spelled
from tests.waiting import until

WORDS: Final = ("training pool", "priority class", "leave runtimeClassName out")
"""What a refusal of these policies says; other refusals are none of theirs."""
NODE: Final = "gpu-05"
RUNTIME: Final[Object] = {
    "apiVersion": "node.k8s.io/v1",
    "kind": "RuntimeClass",
    "metadata": {"name": "tolerating"},
    "handler": "runc",
    "scheduling": {"tolerations": [{"key": "podwright.io/pool", "operator": "Exists", "effect": "NoSchedule"}]},
}
"""The API server adds its tolerations to every pod that names it."""
NVIDIA: Final[list[Object]] = [
    {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name}, "handler": name}
    for name in ("nvidia", "nvidia-cdi", "nvidia-legacy")
]
"""What the GPU operator makes with CDI, which it has on by itself (NVIDIA/gpu-operator v26.7.0)."""
_LONGEST: Final = 64
"""Characters of a certificate's common name, which a user's name is (RFC 5280, ub-common-name)."""
_TENANTS: Final = "tenants"
_RBAC: Final = "rbac.authorization.k8s.io"
_SCC: Final = "system:openshift:scc:privileged"
_PLANNED: Final = (
    ("PriorityClass", "priorityclasses"),
    ("ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
    ("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"),
)


class Cluster:
    """What it is asked is answered by the server's own words, empty where it takes a pod."""

    def __init__(self, rack: Rack, users: dict[str, Api], namespaces: set[str]) -> None:
        """`users` gets the connection of each but the administrator, for whoever ends them."""
        plane, api = rack.side.cluster.plane, rack.side.cluster.api
        assert plane is not None and api is not None
        self._plane, self.api = plane, api
        self._users = users
        for kind, plural in _PLANNED:
            for each in facts.of_kinds(kind):
                if "no-takeover" not in each["metadata"]["name"]:
                    api.ensure(path_of(each["apiVersion"], plural), each)
        self._bind("tenants-edit", "edit", _TENANTS)
        self._bind("accounts-edit", "edit", "system:serviceaccounts")
        # No SCC refuses what a policy lets pass, and no missing right to bind.
        self._bind("anything", _SCC, "system:authenticated")
        for each in (RUNTIME, *NVIDIA):
            api.ensure(path_of(each["apiVersion"], "runtimeclasses"), each)
        rules = [
            {"apiGroups": [""], "resources": ["pods/binding"], "verbs": ["create"]},
            {"apiGroups": [""], "resources": ["pods/ephemeralcontainers"], "verbs": ["patch"]},
        ]
        role = {"apiVersion": f"{_RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": "binds"}, "rules": rules}
        api.ensure(path_of(f"{_RBAC}/v1", "clusterroles"), role)
        self._bind("tenants-bind", "binds", _TENANTS)
        for space in sorted(namespaces):
            made = {each["metadata"]["name"]: each for each in (facts.LOGS, *facts.REQUESTED)}
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}}
            api.ensure(path_of("v1", "namespaces"), made.get(space, body))
        self._node = api.create(
            path_of("v1", "nodes"), {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}}
        )
        until(lambda: all(map(self._has_account, namespaces)), 60, "accounts of namespaces", pause=0.1)
        probe = next(row for row in spelled.rows() if row.name == "own toleration alone")
        until(lambda: bool(self.made(*next(spelled.made(probe)))), 60, "the policies are in force", pause=0.2)

    def _bind(self, name: str, role: str, group: str) -> None:
        subject = {"apiGroup": _RBAC, "kind": "Group", "name": group}
        body = {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name},
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": role},
            "subjects": [subject],
        }
        self.api.ensure(path_of(f"{_RBAC}/v1", "clusterrolebindings"), body)

    def _has_account(self, space: str) -> bool:
        return self.api.get(path_of("v1", "serviceaccounts", space, "default")) is not None

    def of(self, user: str) -> Api:
        """A user's own connection."""
        if user == spelled.ADMIN:
            return self.api
        if user not in self._users and len(user) > _LONGEST:
            self._users[user] = Api(self._plane.access("lab", "system:masters"), impersonate=user)
        if user not in self._users:
            groups = ["system:nodes"] if user.startswith("system:node:") else [_TENANTS]
            groups += ["system:serviceaccounts"] if user.startswith("system:serviceaccount:") else []
            self._users[user] = Api(self._plane.access(user, *groups))
        return self._users[user]

    def _answer(self, user: str, method: str, path: str, body: Object, content: str = "application/json") -> str:
        try:
            self.of(user).request(method, f"{path}?dryRun=All", json.dumps(body).encode(), content=content)
        except ApiError as problem:
            return str(problem)
        return ""

    def made(self, pod: Object, user: str) -> str:
        """A user makes a pod."""
        return self._answer(user, "POST", path_of("v1", "pods", pod["metadata"]["namespace"]), pod)

    def mirrored(self, pod: Object) -> str:
        """The kubelet of NODE makes a pod that it reads from a file."""
        owner = {"apiVersion": "v1", "kind": "Node", "name": NODE, "uid": self._node["metadata"]["uid"]}
        meta = {**pod["metadata"], "ownerReferences": [{**owner, "controller": True}]}
        return self.made({**pod, "metadata": meta}, f"system:node:{NODE}")

    @contextmanager
    def existing(self, pod: Object, plural: str = "pods") -> Iterator[str]:
        """A pod that waits for a node, or what makes pods, and its path."""
        where = path_of(pod["apiVersion"], plural, pod["metadata"]["namespace"])
        self.api.ensure(where, pod)
        path = f"{where}/{pod['metadata']['name']}"
        try:
            yield path
        finally:
            self.api.delete(f"{path}?gracePeriodSeconds=0")

    def bound(self, pod: Object, node: str, user: str) -> str:
        """A user binds an existing pod to a node."""
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod["metadata"]["name"]}, "target": target}
        with self.existing(pod) as path:
            return self._answer(user, "POST", f"{path}/binding", body)

    def debugged(self, pod: Object, user: str) -> str:
        """A user adds an ephemeral container to an existing pod, as `kubectl debug` does."""
        added = [{"name": "debug", "image": "registry.example.com/tools:1"}]
        with self.existing(pod) as path:
            content = "application/strategic-merge-patch+json"
            body = {"spec": {"ephemeralContainers": added}}
            return self._answer(user, "PATCH", f"{path}/ephemeralcontainers", body, content)

    def tolerating(self, pod: Object, added: list[Object], user: str) -> str:
        """A user gives an existing pod more tolerations."""
        with self.existing(pod) as path:
            known = (self.api.get(path) or {"spec": {}})["spec"].get("tolerations", [])
            return self._answer(user, "PATCH", path, {"spec": {"tolerations": [*known, *added]}}, MERGE)


@contextmanager
def running(folder: Path, namespaces: set[str]) -> Iterator[Cluster]:
    """A control plane of its own, without workers."""
    rack = Rack(folder, workers=())
    users: dict[str, Api] = {}
    try:
        rack.install()
        yield Cluster(rack, users, namespaces)
    finally:
        for each in users.values():
            each.close()
        rack.close()
