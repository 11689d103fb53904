"""Every object of a cluster of the kinds that somebody asks for, whoever made it, with what the API server serves.

Which kinds there are is asked of the server itself (https://kubernetes.io/docs/concepts/overview/kubernetes-api/).
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.providers.openshift.kube import Kube, KubeError
from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.status.snapshot import (
    COLLECTIONS,
    LANES,
    Object,
    in_words,
    objects,
    outside_others,
)


@dataclass(frozen=True)
class Everything:
    """Objects as the API server shows them, each with its apiVersion and kind, and groups that it could not list."""

    objects: tuple[Object, ...]
    unread: tuple[str, ...] = ()


def token(version: str, kind: str) -> str:
    """A kind as Pulumi's provider names it: kubernetes:batch/v1:Job."""
    return f"kubernetes:{version if '/' in version else f'core/{version}'}:{kind}"


async def take(
    kubeconfig: str, patience: float, asked: Callable[[str], bool], of_teams: Callable[[str], bool]
) -> Everything:
    """Read what `asked` is true for, by the token of its kind; what `of_teams` is true for outside OpenShift's
    namespaces alone. `patience` in seconds for each request.

    Raises ValueError, in one sentence, where the API server does not answer or refuses the kubeconfig.
    """
    try:
        with in_words(kubeconfig):
            return await _taken(Kube(kubeconfig, patience), asked, of_teams)
    except ProviderError as sentence:
        raise ValueError(str(sentence)) from None


async def _taken(kube: Kube, asked: Callable[[str], bool], of_teams: Callable[[str], bool]) -> Everything:
    outside = outside_others(await objects(kube, COLLECTIONS["Namespace"]))
    kinds, unread = await _kinds(kube)
    lanes = asyncio.Semaphore(LANES)

    async def listed(version: str, row: Mapping[str, Any]) -> list[Object]:
        kind = str(row["kind"])
        fields = outside if row["namespaced"] and of_teams(token(version, kind)) else ""
        async with lanes:
            found = await objects(kube, f"{_root(version)}/{row['name']}", fields)
        return [{**each, "apiVersion": version, "kind": kind} for each in found]

    wanted = [(version, row) for version, row in kinds if asked(token(version, str(row["kind"])))]
    found = await asyncio.gather(*(listed(*each) for each in wanted))
    return Everything(tuple(each for some in found for each in some), tuple(unread))


async def _kinds(kube: Kube) -> tuple[list[tuple[str, Mapping[str, Any]]], list[str]]:
    """Kinds that can be listed, each in the first version of its group that has it, the preferred one before others,
    and versions whose own server is away."""
    groups = (await kube.request("GET", "/apis"))["groups"]
    versions = ["v1", *(version for each in groups for version in _versions(each))]
    served = await asyncio.gather(*(_served(kube, each) for each in versions))
    found: dict[tuple[str, str], tuple[str, Mapping[str, Any]]] = {}
    for version, rows in zip(versions, served, strict=True):
        for row in filter(_listable, rows or ()):
            found.setdefault((version.rpartition("/")[0], str(row["kind"])), (version, row))
    return list(found.values()), [version for version, rows in zip(versions, served, strict=True) if rows is None]


def _versions(group: Mapping[str, Any]) -> list[str]:
    preferred = str(group["preferredVersion"]["groupVersion"])
    return list(dict.fromkeys((preferred, *(str(each["groupVersion"]) for each in group["versions"]))))


async def _served(kube: Kube, version: str) -> list[Mapping[str, Any]] | None:
    """Kinds of a version; None where the server that has them, not the API server itself, does not answer."""
    try:
        rows: list[Mapping[str, Any]] = (await kube.request("GET", _root(version)))["resources"]
    except KubeError as refused:
        if refused.status != 503:
            raise
        return None
    return rows


def _listable(row: Mapping[str, Any]) -> bool:
    return "/" not in row["name"] and "list" in row["verbs"]


def _root(version: str) -> str:
    return f"/apis/{version}" if "/" in version else f"/api/{version}"
