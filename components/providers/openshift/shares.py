"""Weights of a Route's two Services, written as the one who applies the Route writes them.

They are the stack's own fields. Written by another manager they would stay that one's: a later plan without the second
Service could not take it out of the Route any more (Kubernetes' server-side apply keeps what somebody else owns).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.protocol.kind import ProviderError

_MANAGER = "pulumi.com/patchFieldManager"
"""Annotation of who applies an object (`components/manifests.py`)."""
_DEPLOYMENTS: Final = "/apis/apps/v1/namespaces"
_MADE_SECONDS: Final = 2.0
"""Time from the making of an object to the first entry of who applied it, at most."""


class SharesError(ProviderError):
    """The Route has not the weights that were written."""


def weights(percent: int) -> tuple[int, int]:
    """Weights of the first and the second version for so many requests of a hundred (`components/model/canary.py`)."""
    return 100 - percent, percent


def path_of(spec: Mapping[str, Any]) -> str:
    """Where the Route is."""
    return f"/apis/route.openshift.io/v1/namespaces/{spec['namespace']}/routes/{spec['route']}"


async def read(kube: Kube, spec: Mapping[str, Any]) -> tuple[int, int]:
    """Weights of the first and the second version, as the Route has them; without the second Service its is 0."""
    found = await kube.find(path_of(spec))
    if found is None:
        raise ProviderError(f"there is no Route {spec['route']} in {spec['namespace']}")
    rows = [found["spec"]["to"], *(found["spec"].get("alternateBackends") or [])]
    have = {row["name"]: int(row.get("weight", 1)) for row in rows}
    return have.get(spec["service"], 0), have.get(spec["second"], 0)


async def since_the_route_is(kube: Kube, spec: Mapping[str, Any]) -> bool:
    """Whether the share is as old as the Route: there was no Route before the second version, and its applied fields
    have not changed since it was made. Nobody has a former share to come back to then."""
    route = await kube.find(path_of(spec))
    second = await kube.find(f"{_DEPLOYMENTS}/{spec['namespace']}/deployments/{spec['second']}")
    if route is None or second is None:
        return False
    made = _time(route["metadata"]["creationTimestamp"])
    written = [_time(row["time"]) for row in _entries(route) if row.get("time")]
    unchanged = all((each - made).total_seconds() <= _MADE_SECONDS for each in written)
    return bool(written) and unchanged and made >= _time(second["metadata"]["creationTimestamp"])


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _entries(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What managers have applied of an object itself, not of its status."""
    rows = found["metadata"].get("managedFields") or ()
    return [row for row in rows if row.get("operation") == "Apply" and not row.get("subresource")]


async def write(kube: Kube, spec: Mapping[str, Any], weights: tuple[int, int]) -> None:
    """Write weights and read them back. Raises SharesError where the Route has others then."""
    found = await kube.get(path_of(spec))
    manager = str((found["metadata"].get("annotations") or {}).get(_MANAGER) or "podwright")
    fields = applied(found, manager)
    first = {"kind": "Service", "name": spec["service"], "weight": weights[0]}
    second = {"kind": "Service", "name": spec["second"], "weight": weights[1]}
    fields["spec"] = {**(fields.get("spec") or {}), "to": first, "alternateBackends": [second]}
    fields["metadata"] = {**(fields.get("metadata") or {}), "name": spec["route"], "namespace": spec["namespace"]}
    whole = {"apiVersion": "route.openshift.io/v1", "kind": "Route", **fields}
    await kube.apply(path_of(spec), whole, manager)
    have = await read(kube, spec)
    if have != weights:
        raise SharesError(
            f"Route {spec['route']} of {spec['namespace']} has the weights {have[0]} and {have[1]}, and was given "
            f"{weights[0]} and {weights[1]}: look at who else writes it (kubectl get route {spec['route']} -n "
            f"{spec['namespace']} -o yaml --show-managed-fields)"
        )


def applied(found: Mapping[str, Any], manager: str) -> dict[str, Any]:
    """What a manager has applied of an object, with the values that it has; empty where it has applied nothing."""
    for row in _entries(found):
        if row.get("manager") == manager:
            taken = _taken(row.get("fieldsV1") or {}, found)
            return taken if isinstance(taken, dict) else {}
    return {}


def _taken(fields: Mapping[str, Any], value: Any) -> Any:
    """The part of a value that a tree of `f:`, `k:` and `v:` names; a leaf is the whole of it."""
    if not any(key != "." for key in fields):
        return value
    if isinstance(value, Mapping):
        inner = ((key[2:], part) for key, part in fields.items() if key.startswith("f:"))
        return {name: _taken(part, value[name]) for name, part in inner if name in value}
    if isinstance(value, list):
        rows = [(json.loads(key[2:]), part) for key, part in fields.items() if key.startswith("k:")]
        found = [
            _taken(part, item)
            for keys, part in rows
            for item in value
            if isinstance(item, Mapping) and keys.items() <= item.items()
        ]
        return found if rows else value
    return value
