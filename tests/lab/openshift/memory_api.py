"""A few objects in memory, where the rules of an API server that a stand-in relies on hold: uid, generation, merges."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from podwright.lab.openshift.cache import Kind

Object = dict[str, Any]


class MemoryApi:
    """What `Controller` asks of its API and cache, and, awaited, what a provider asks of `Kube`."""

    def __init__(self) -> None:
        self.objects: dict[str, Object] = {}
        self.writes: list[tuple[str, str]] = []
        self._made = 0

    def put(self, path: str, item: Mapping[str, Any]) -> Object:
        """Make an object at `path`."""
        self._made += 1
        made = copy.deepcopy(dict(item))
        made["metadata"] = {**made["metadata"], "uid": f"u{self._made}", "generation": 1,
                            "creationTimestamp": f"2026-11-25T00:00:{self._made % 60:02d}Z"}  # fmt: skip
        self.objects[path] = made
        return copy.deepcopy(made)

    def get(self, path: str) -> Object | None:
        """A copy of what is at `path`."""
        found = self.objects.get(path)
        return copy.deepcopy(found) if found is not None else None

    def create(self, path: str, item: Mapping[str, Any]) -> Object:
        """POST."""
        self.writes.append(("POST", f"{path}/{item['metadata']['name']}"))
        return self.put(f"{path}/{item['metadata']['name']}", item)

    ensure = create

    def merge(self, path: str, change: Mapping[str, Any], subresource: str = "") -> Object:
        """A merge patch; another spec is another generation."""
        if not subresource:
            self.writes.append(("PATCH", path))
        found = self.objects[path]
        before = copy.deepcopy(found.get("spec"))
        _merge(found, change)
        if found.get("spec") != before:
            found["metadata"]["generation"] += 1
        return copy.deepcopy(found)

    def delete(self, path: str) -> None:
        """DELETE; gone already is fine."""
        self.writes.append(("DELETE", path))
        self.objects.pop(path, None)

    def listed(self, kind: Kind, namespace: str | None = None) -> list[Object]:
        """Objects of a kind."""
        beginning = f"{kind.path(namespace)}/"
        return [copy.deepcopy(item) for path, item in sorted(self.objects.items()) if path.startswith(beginning)]


class MemoryCache:
    """The stand-ins' cache over it, always up to date."""

    def __init__(self, api: MemoryApi) -> None:
        self._api = api

    def list(self, kind: Kind, namespace: str | None = None) -> list[Object]:
        """Objects of a kind."""
        if namespace is None and kind.plural in ("pods", "persistentvolumeclaims"):
            return [each for path, each in sorted(self._api.objects.items()) if f"/{kind.plural}/" in path]
        return self._api.listed(kind, namespace)

    def get(self, kind: Kind, name: str, namespace: str = "") -> Object | None:
        """One object."""
        return self._api.get(kind.path(namespace or None, name))

    def put(self, kind: Kind, item: Object) -> None:
        """Known already."""

    replace = put


def _merge(into: Object, change: Mapping[str, Any]) -> None:
    for key, value in change.items():
        if value is None:
            into.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = copy.deepcopy(dict(value) if isinstance(value, Mapping) else value)
