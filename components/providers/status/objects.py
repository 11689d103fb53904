"""Objects of the cluster beside what the stack made of them: one by one, by the API server's own arithmetic.

The planned fields are applied as a dry run and the answer is compared with the live object: defaults, quantities and
the order of lists are then the server's, and what others have put beside our fields is in both. Nothing is written.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podwright.components.providers.openshift.kube import Kube, KubeError

Object = Mapping[str, Any]
MANAGER = "podwright-status"
LANES = 8
"""Requests at a time; the client keeps as many connections."""
ATTEMPTS = 3
"""Times an object is compared that somebody else writes between its reading and the dry run."""
_NOTES = "pulumi.com/"
"""Annotations that are for the engine's plugin, which does not write all of them."""
_SERVERS = ("managedFields", "resourceVersion", "generation")


async def off_plan(kube: Kube, planned: Sequence[Object]) -> list[str]:
    """A sentence for each object that is not there, or is otherwise than planned. Raises SilentError, KubeError."""
    plurals = await _plurals(kube, {str(each["apiVersion"]) for each in planned})
    lanes = asyncio.Semaphore(LANES)

    async def one(each: Object) -> str:
        async with lanes:
            return await _compared(kube, each, plurals)

    return [found for found in await asyncio.gather(*map(one, planned)) if found]


async def _plurals(kube: Kube, versions: Iterable[str]) -> dict[tuple[str, str], tuple[str, bool]]:
    """(path of a kind's collection, whether it is in namespaces) by API version and kind."""

    async def one(version: str) -> dict[tuple[str, str], tuple[str, bool]]:
        base = f"/apis/{version}" if "/" in version else f"/api/{version}"
        served = (await kube.find(base) or {}).get("resources") or []
        return {
            (version, row["kind"]): (f"{base}|{row['name']}", bool(row["namespaced"]))
            for row in served
            if "/" not in row["name"]
        }

    found = await asyncio.gather(*map(one, versions))
    return {key: value for each in found for key, value in each.items()}


async def _compared(kube: Kube, planned: Object, plurals: Mapping[tuple[str, str], tuple[str, bool]]) -> str:
    meta = planned["metadata"]
    kind, name, space = str(planned["kind"]), str(meta["name"]), str(meta.get("namespace") or "")
    title = f"{kind} {f'{space}/' if space else ''}{name}"
    if (served := plurals.get((str(planned["apiVersion"]), kind))) is None:
        return f"{title} is not there: the cluster knows no {kind}"
    base, _, plural = served[0].partition("|")
    inside = f"namespaces/{space or 'default'}/" if served[1] else ""
    path = f"{base}/{inside}{plural}/{name}"
    for _ in range(ATTEMPTS):
        live = await kube.find(path)
        if live is None:
            return f"{title} is not there"
        try:
            answer = await kube.apply(path, _fields(planned), MANAGER, dry=True)
        except KubeError as refused:
            return f"{title} is not as planned: {refused.message}"
        off = sorted(_different(_content(live), _content(answer)))
        if not off or live["metadata"]["resourceVersion"] == answer["metadata"]["resourceVersion"]:
            break
    return f"{title} is not as planned: {', '.join(off[:3])}{' and more' if len(off) > 3 else ''}" if off else ""


def _fields(planned: Object) -> dict[str, Any]:
    meta = copy.deepcopy(dict(planned["metadata"]))
    notes = {key: each for key, each in (meta.pop("annotations", None) or {}).items() if not key.startswith(_NOTES)}
    rest = {key: each for key, each in planned.items() if not key.startswith("__")}
    return {**rest, "metadata": {**meta, **({"annotations": notes} if notes else {})}}


def _content(thing: Object) -> dict[str, Any]:
    """An object without what the server counts, and without its status, which is nobody's plan."""
    meta = {key: each for key, each in thing["metadata"].items() if key not in _SERVERS}
    return {**{key: each for key, each in thing.items() if key != "status"}, "metadata": meta}


def _different(live: Any, planned: Any, path: str = "") -> Iterable[str]:
    """Paths of fields that the planned ones would change."""
    if isinstance(live, Mapping) and isinstance(planned, Mapping):
        for key in {**live, **planned}:
            yield from _different(live.get(key), planned.get(key), f"{path}.{key}" if path else str(key))
    elif live != planned:
        yield path
