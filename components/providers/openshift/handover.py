"""What others gave to a node that another machine takes the place of: read, kept in the cluster, given to the next.

It lies in a ConfigMap from before the node is deleted until the next one of that name has it: a run that is killed in
between loses nothing, and whoever runs next, on whichever machine, goes on. `kube-system` is in every cluster
(https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/#initial-namespaces).
"""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError
from podwright.components.providers.openshift.unregistered import is_unregistered
from podwright.components.providers.openshift.waiting import NODES, Patience
from podwright.components.providers.protocol.kind import Context

OF_THE_NODE = "node.kubernetes.io/"
"""Taints that Kubernetes itself puts on a node that is away."""
RECORDS = "/api/v1/namespaces/kube-system/configmaps"
RECORD_LABEL = "podwright.io/replaced-node"
PASSING = {409, 429, 500, 502, 503, 504}
"""Refusals that end by themselves: somebody wrote in between, or the API server is busy or on its way up."""
Node = Mapping[str, Any]


@dataclass(frozen=True)
class Had:
    """What a node had of others: `applied` server-side, by whom, and its taints.

    Taints are one value to the API server: with the first that the node controller adds, who applied them is forgotten.
    """

    applied: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    taints: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Record:
    """What the node with this UID had, for the next of its name."""

    node: str
    uid: str
    had: Had


def had(node: Node) -> Had:
    """Labels, annotations and taints of a node that are neither its kubelet's nor the node controller's."""
    found = []
    for entry in node["metadata"].get("managedFields") or []:
        if entry.get("operation") == "Apply" and not entry.get("subresource"):
            fields = _owned(entry.get("fieldsV1") or {}, node)
            found.append((str(entry["manager"]), {"metadata": fields["metadata"]} if fields.get("metadata") else {}))
    taints = (node.get("spec") or {}).get("taints") or []
    return Had(tuple(found), tuple(each for each in taints if not str(each.get("key")).startswith(OF_THE_NODE)))


def _owned(fields: Mapping[str, Any], value: Any) -> Any:
    """The part of a value that a set of managed fields names (structured-merge-diff's keys `f:`)."""
    inner = {key.removeprefix("f:"): each for key, each in fields.items() if key.startswith("f:")}
    if not inner or not isinstance(value, Mapping):
        return value
    return {key: _owned(each, value[key]) for key, each in inner.items() if key in value}


async def keep(kube: Kube, node: Node) -> None:
    """Write down what a node has of others, before it is deleted.

    A node whose own predecessor's are still to be given to it stands for both: it may have been deleted and come back
    between two runs that were killed.
    """
    name, uid, now = str(node["metadata"]["name"]), str(node["metadata"].get("uid")), had(node)
    earlier = next((each for each in await records(kube) if each.node == name and each.uid != uid), None)
    if earlier is not None:
        applied = {**dict(earlier.had.applied), **dict(now.applied)}
        now = Had(tuple(applied.items()), _united(now.taints, earlier.had.taints))
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": _name(name), "labels": {RECORD_LABEL: ""}},
        "data": {"node": name, "uid": uid, "had": json.dumps({"applied": now.applied, "taints": now.taints})},
    }
    await kube.apply(_path(name), body, "podwright")


async def records(kube: Kube) -> list[Record]:
    """What is kept for nodes that are still to come, or that have come and are still to be given it."""
    found = await kube.items(f"{RECORDS}?labelSelector={urllib.parse.quote(RECORD_LABEL)}")
    return [_record(each["data"]) for each in found]


async def bare(kube: Kube, nodes: Sequence[Node]) -> set[str]:
    """Names of nodes that are there and still lack what the one before them had."""
    uids = {str(node["metadata"]["name"]): node["metadata"].get("uid") for node in nodes}
    return {each.node for each in await records(kube) if uids.get(each.node, each.uid) != each.uid}


def _record(data: Mapping[str, str]) -> Record:
    known = json.loads(data["had"])
    applied = tuple((str(manager), fields) for manager, fields in known["applied"])
    return Record(data["node"], data["uid"], Had(applied, tuple(known["taints"])))


async def restore(kube: Kube, names: Sequence[str], ctx: Context, patience: Patience) -> None:
    """Give each node, as soon as it is there, what others had given to the one before it; `names` are the cluster's.

    Raises KubeError for a refusal that does not end by itself, ProviderError when time is up.
    """
    for record in await records(kube):
        while record.node in names:
            try:
                if await _given(kube, record):
                    break
                what = f"the node {record.node} to register"
            except KubeError as refused:
                if refused.status not in PASSING:
                    raise
                patience.hurry()
                what = f"the node {record.node} to take its labels and taints ({refused.message})"
            except SilentError as silent:
                what = f"the cluster's API ({silent})"
            ctx.log(f"waiting for {what}")
            await patience.wait(what)
        await kube.remove(_path(record.node))


async def _given(kube: Kube, record: Record) -> bool:
    """Whether the node has what its predecessor had; written where it lacks some of it. False while it is not there."""
    path = f"{NODES}/{urllib.parse.quote(record.node)}"
    node = await kube.find(path)
    if node is None or node["metadata"].get("deletionTimestamp") or is_unregistered(node):
        return False
    if node["metadata"].get("uid") == record.uid:
        return True  # it was never deleted, and has what it had
    now = (node.get("spec") or {}).get("taints") or []
    if any(each not in now for each in record.had.taints):
        # With what was read: taints that came in between are not lost, the write is refused, and this is done again.
        version = {"resourceVersion": node["metadata"]["resourceVersion"]}
        await kube.merge(path, {"metadata": version, "spec": {"taints": list(_united(now, record.had.taints))}})
    known = {manager for manager, _ in had(node).applied}
    for manager, fields in record.had.applied:
        if manager not in known:
            meta = {**(fields.get("metadata") or {}), "name": record.node}
            await kube.apply(path, {"apiVersion": "v1", "kind": "Node", "metadata": meta}, manager)
    return True


def _united(first: Sequence[Mapping[str, Any]], more: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    return (*first, *(each for each in more if each not in first))


def _name(node: str) -> str:
    return f"podwright-replaced-{node}"


def _path(node: str) -> str:
    return f"{RECORDS}/{urllib.parse.quote(_name(node))}"
