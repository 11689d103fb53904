"""Who may `use` which SCC: by the SCC's own users and groups, and by RBAC, from a copy that watches keep.

https://github.com/openshift/apiserver-library-go/blob/main/pkg/securitycontextconstraints/sccmatching/matcher.go. The
real plugin asks the API server's authorizer, which answers from such a copy as well.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from podwright.lab.openshift.api import Api, Object
from podwright.lab.openshift.cache import Cache, Kind
from podwright.lab.openshift.scc.shipped import GROUP, PLURAL, RBAC

ROLES = Kind(f"{RBAC}/v1", "roles")
CLUSTER_ROLES = Kind(f"{RBAC}/v1", "clusterroles")
BINDINGS = Kind(f"{RBAC}/v1", "rolebindings")
CLUSTER_BINDINGS = Kind(f"{RBAC}/v1", "clusterrolebindings")
WATCHED = (ROLES, CLUSTER_ROLES, BINDINGS, CLUSTER_BINDINGS)
EVERY = "*"
ANYWHERE = ""
MASTERS = "system:masters"


@dataclass(frozen=True)
class Subject:
    """Somebody who asks: a user or an account."""

    name: str
    groups: tuple[str, ...] = ()

    @classmethod
    def account(cls, namespace: str, name: str) -> Subject:
        """A pod's account. The plugin does not count it among `system:authenticated`."""
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")
        return cls(f"system:serviceaccount:{namespace}:{name}", groups)


class Grants:
    """Answers from the cache; the index of rights is made anew after a change."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._stale = threading.Event()
        self._stale.set()
        self._lock = threading.Lock()
        self._rights: dict[tuple[str, str], list[tuple[str, frozenset[str]]]] = {}
        for kind in WATCHED:
            cache.listen(kind, self._stale.set)

    def may_use(self, subject: Subject, scc: Object, namespace: str) -> bool:
        """Whether the subject may use the SCC for a pod of this namespace."""
        if subject.name in (scc.get("users") or ()) or set(subject.groups) & set(scc.get("groups") or ()):
            return True
        if MASTERS in subject.groups:
            return True
        rights = self._index()
        keys = [("User", subject.name), *(("Group", group) for group in subject.groups)]
        name = scc["metadata"]["name"]
        return any(
            where in (ANYWHERE, namespace) and not names.isdisjoint((name, EVERY))
            for key in keys
            for where, names in rights.get(key, ())
        )

    def read(self, api: Api, namespace: str) -> None:
        """Read what holds in a namespace now: the watches of a busy machine are behind."""
        for kind, where in ((ROLES, namespace), (BINDINGS, namespace), (CLUSTER_ROLES, None), (CLUSTER_BINDINGS, None)):
            for each in api.request("GET", kind.path(where))["items"]:
                self._cache.replace(kind, each)
        self._stale.set()

    def _index(self) -> dict[tuple[str, str], list[tuple[str, frozenset[str]]]]:
        with self._lock:
            if self._stale.is_set():
                self._stale.clear()
                self._rights = self._built()
            return self._rights

    def _built(self) -> dict[tuple[str, str], list[tuple[str, frozenset[str]]]]:
        roles = {
            (kind, each["metadata"].get("namespace", ANYWHERE), each["metadata"]["name"]): names
            for kind, items in (("ClusterRole", self._cache.list(CLUSTER_ROLES)), ("Role", self._cache.list(ROLES)))
            for each in items
            if (names := usable(each.get("rules") or ()))
        }
        found: dict[tuple[str, str], list[tuple[str, frozenset[str]]]] = {}
        for binding in [*self._cache.list(CLUSTER_BINDINGS), *self._cache.list(BINDINGS)]:
            namespace = binding["metadata"].get("namespace", ANYWHERE)
            role = binding["roleRef"]
            space = namespace if role["kind"] == "Role" else ANYWHERE
            given = roles.get((role["kind"], space, role["name"]), frozenset())
            for subject in (binding.get("subjects") or ()) if given else ():
                found.setdefault(_key(subject, namespace), []).append((namespace, given))
        return found


def usable(rules: Iterable[Object]) -> frozenset[str]:
    """Names of the SCCs that a role's rules allow to use; a star is every one."""
    return frozenset(name for rule in rules for name in _names(rule))


def _names(rule: Object) -> Iterator[str]:
    wanted = (("verbs", "use"), ("apiGroups", GROUP), ("resources", PLURAL))
    if all({EVERY, word} & set(rule.get(key) or ()) for key, word in wanted):
        yield from rule.get("resourceNames") or (EVERY,)


def _key(subject: Object, namespace: str) -> tuple[str, str]:
    if subject["kind"] == "ServiceAccount":
        return "User", f"system:serviceaccount:{subject.get('namespace') or namespace}:{subject['name']}"
    return str(subject["kind"]), str(subject["name"])
