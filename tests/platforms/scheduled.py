"""The real kube-scheduler on nodes of a platform: the plan's pods, made by the real controllers, and where they went.

Nodes are objects alone, with what `nodes` works out of the file; nothing runs on them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from podwright.lab.openshift.api import APPLY, Api, path_of
from tests.platforms.nodes import Node
from tests.platforms.placing import groups
from tests.platforms.planned import Object
from tests.waiting import until

_BESIDE = {
    "Namespace": "namespaces", "ServiceAccount": "serviceaccounts", "Role": "roles", "RoleBinding": "rolebindings",
    "SecurityContextConstraints": "securitycontextconstraints", "PriorityClass": "priorityclasses",
    "ResourceQuota": "resourcequotas",
}  # fmt: skip
"""Kinds that pods need to be admitted, and the paths that they are served at."""
_WORK = {"Job": "jobs", "Deployment": "deployments"}
SECONDS = 15
"""How long a pod may wait for the scheduler to look at it again."""
_MIB = ("memory", "hugepages-1Gi")


def waiting(api: Api, found: list[Object], nodes: list[Node]) -> list[str]:
    """Pods that found no node, with the scheduler's words. Whatever was made is taken away again."""
    work = [each for each in found if each["kind"] in _WORK]
    wanted = sum(group.count for group in groups(work))
    spaces = {each["metadata"]["namespace"] for each in work}
    try:
        for node in nodes:
            _join(api, node)
        for each in [*(one for kind in _BESIDE for one in found if one["kind"] == kind), *work]:
            _apply(api, each)
        until(lambda: len(list(_pods(api, spaces))) == wanted, 60, f"{wanted} pods", pause=0.1)
        until(lambda: _settled(api, spaces), 60, "the scheduler's answers", pause=0.2)
        return [f"{each['metadata']['name']}: {_why(each)}" for each in _pods(api, spaces) if not _bound(each)]
    finally:
        _clear(api, work, spaces, nodes)


def _join(api: Api, node: Node) -> None:
    """A node as its kubelet keeps it: ready, with its devices."""
    body = {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": node.name, "labels": node.labels},
        "spec": {"taints": node.taints},
    }  # fmt: skip
    api.create(path_of("v1", "nodes"), body)
    free = {name: _quantity(name, count) for name, count in node.free.items()}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": ""}
    status = {"capacity": free, "allocatable": free, "conditions": [ready]}
    api.merge(path_of("v1", "nodes", None, node.name), {"status": status}, "status")


def _quantity(name: str, count: int) -> str:
    return f"{count}m" if name == "cpu" else f"{count}Mi" if name in _MIB else str(count)


def _apply(api: Api, found: Object) -> None:
    plural = {**_BESIDE, **_WORK}[found["kind"]]
    meta = found["metadata"]
    path = path_of(found["apiVersion"], plural, meta.get("namespace"), meta["name"])
    api.request("PATCH", f"{path}?fieldManager=podwright&force=true", json.dumps(found).encode(), content=APPLY)


def _pods(api: Api, spaces: set[str]) -> Iterator[Object]:
    for space in sorted(spaces):
        listed = (api.get(path_of("v1", "pods", space)) or {"items": []})["items"]
        yield from (each for each in listed if "deletionTimestamp" not in each["metadata"])


def _bound(pod: Object) -> bool:
    return bool(pod["spec"].get("nodeName"))


def _why(pod: Object) -> str:
    rows = pod.get("status", {}).get("conditions", [])
    return next((str(each.get("message", "")) for each in rows if each["type"] == "PodScheduled"), "")


def _settled(api: Api, spaces: set[str]) -> bool:
    """Whether every pod has a node, or has none after SECONDS: a refusal may be of a moment in which nodes came."""
    now = datetime.now(UTC)
    return all(_bound(each) or (now - _made(each)).total_seconds() > SECONDS for each in _pods(api, spaces))


def _made(pod: Object) -> datetime:
    return datetime.fromisoformat(pod["metadata"]["creationTimestamp"])


def _clear(api: Api, work: list[Object], spaces: set[str], nodes: list[Node]) -> None:
    for each in work:
        meta = each["metadata"]
        path = path_of(each["apiVersion"], _WORK[each["kind"]], meta["namespace"], meta["name"])
        api.delete(f"{path}?propagationPolicy=Background")
    for space in spaces:
        for each in (api.get(path_of("v1", "pods", space)) or {"items": []})["items"]:
            api.delete(f"{path_of('v1', 'pods', space, each['metadata']['name'])}?gracePeriodSeconds=0")
        api.delete(path_of("v1", "resourcequotas", space, "gpus"))
    for node in nodes:
        api.delete(path_of("v1", "nodes", None, node.name))
    until(lambda: not list(_pods(api, spaces)), 60, "no pod is left", pause=0.1)
