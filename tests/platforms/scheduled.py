"""The real kube-scheduler on nodes of a platform: the plan's pods, made by the real controllers, and where they went.

Nodes are objects alone, with what `nodes` works out of the file; nothing runs on them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial

from podwright.lab.openshift.api import APPLY, Api, path_of
from tests.platforms.nodes import Node
from tests.platforms.placing import IN_MIB, groups
from tests.platforms.planned import Object
from tests.waiting import until

_BESIDE = {
    "Namespace": "namespaces", "ServiceAccount": "serviceaccounts", "Role": "roles", "RoleBinding": "rolebindings",
    "SecurityContextConstraints": "securitycontextconstraints", "PriorityClass": "priorityclasses",
    "ResourceQuota": "resourcequotas", "StorageClass": "storageclasses",
}  # fmt: skip
"""Kinds that pods need to be admitted, and the paths that they are served at."""
_CLAIMS = "persistentvolumeclaims"
_VOLUMES = "persistentvolumes"
_WORK = {"Job": "jobs", "Deployment": "deployments"}
SECONDS = 15
"""How long a pod may wait for the scheduler to look at it again."""


def waiting(api: Api, found: list[Object], nodes: list[Node], seconds: float = SECONDS) -> list[str]:
    """Pods that found no node, with the scheduler's words, and workloads whose pods the API server refused, with its
    own: of everything that runs at once, with each job in turn that waits in a queue until it has the nodes to itself.
    A pod may wait so many seconds. Whatever was made is taken away again."""
    work = {group.name: group for group in groups([each for each in found if each["kind"] in _WORK])}
    queued = [{name} for name, group in work.items() if group.waits]
    try:
        for node in nodes:
            join(api, node)
        for each in [one for kind in _BESIDE for one in found if one["kind"] == kind]:
            _apply(api, each)
        for each in _claims(found):
            _bind(api, each)
        beside = set(work).difference(*queued)
        rounds = [beside | each for each in queued] or [beside]
        return [why for names in rounds for why in _round(api, [one for one in found if _name(one) in names], seconds)]
    finally:
        _clear(api, found, nodes)


def _name(found: Object) -> str:
    return f"{found['kind']} {found['metadata']['name']}"


def _round(api: Api, work: list[Object], seconds: float) -> list[str]:
    """The same of these workloads by themselves."""
    began = datetime.now(UTC)
    wanted = sum(group.count for group in groups(work))
    spaces = {each["metadata"]["namespace"] for each in work}
    try:
        for each in work:
            _apply(api, each)
        until(
            lambda: len(list(_pods(api, spaces))) == wanted or _refused(api, spaces, began),
            60,
            f"{wanted} pods",
            pause=0.1,
        )
        until(lambda: _settled(api, spaces, seconds), 60, "the scheduler's answers", pause=0.2)
        left = [f"{each['metadata']['name']}: {_why(each)}" for each in _pods(api, spaces) if not _bound(each)]
        return left + _refused(api, spaces, began)
    finally:
        _end(api, work, spaces)


def _claims(found: list[Object]) -> list[Object]:
    return [each for each in found if each["kind"] == "PersistentVolumeClaim"]


def _bind(api: Api, claim: Object) -> None:
    """A claim with its volume, as the class's driver makes it: one that every node reaches."""
    meta, spec = claim["metadata"], claim["spec"]
    volume = {
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": meta["name"]},
        "spec": {
            "capacity": {"storage": spec["resources"]["requests"]["storage"]}, "accessModes": spec["accessModes"],
            "storageClassName": spec["storageClassName"], "persistentVolumeReclaimPolicy": "Retain",
            "claimRef": {"namespace": meta["namespace"], "name": meta["name"]},
            "csi": {"driver": "csi.trident.netapp.io", "volumeHandle": meta["name"]},
        },
    }  # fmt: skip
    api.create(path_of("v1", _VOLUMES), volume)
    api.create(path_of("v1", _CLAIMS, meta["namespace"]), claim)


def join(api: Api, node: Node) -> None:
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
    return f"{count}m" if name == "cpu" else f"{count}Mi" if name in IN_MIB else str(count)


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


def _refused(api: Api, spaces: set[str], began: datetime) -> list[str]:
    """Workloads of this round whose controller could make a pod no more, with the API server's words. A controller
    that did not know yet that its workload was ended may say so of the round before."""
    found = []
    for space in sorted(spaces):
        own = {
            each["metadata"]["uid"]
            for version, plural in (("batch/v1", "jobs"), ("apps/v1", "replicasets"))
            for each in (api.get(path_of(version, plural, space)) or {"items": []})["items"]
            if _made(each) >= began.replace(microsecond=0)
        }
        path = f"{path_of('v1', 'events', space)}?fieldSelector=reason%3DFailedCreate"
        for each in (api.get(path) or {"items": []})["items"]:
            if each["involvedObject"]["uid"] in own:
                found.append(f"{each['involvedObject']['name']}: {each['message']}")
    return found


def _settled(api: Api, spaces: set[str], seconds: float) -> bool:
    """Whether every pod has a node, or has none after so long: a refusal may be of a moment in which nodes came."""
    now = datetime.now(UTC)
    return all(_bound(each) or (now - _made(each)).total_seconds() > seconds for each in _pods(api, spaces))


def _made(pod: Object) -> datetime:
    return datetime.fromisoformat(pod["metadata"]["creationTimestamp"])


def _end(api: Api, work: list[Object], spaces: set[str]) -> None:
    for each in work:
        meta = each["metadata"]
        path = path_of(each["apiVersion"], _WORK[each["kind"]], meta["namespace"], meta["name"])
        api.delete(f"{path}?propagationPolicy=Background")
    until(lambda: _emptied(api, spaces), 60, "no pod is left", pause=0.1)
    # What is made next is counted beside what the quota still has of these.
    until(lambda: all(_unused(api, each) for each in spaces), 60, "quotas count nothing", pause=0.1)


def _emptied(api: Api, spaces: set[str]) -> bool:
    """Whether no pod is left; those that are end at once. One that a controller has made since the last look may have
    been ended by the garbage collector, with its time to stop, which no kubelet is there to see through."""
    left = [each for space in spaces for each in (api.get(path_of("v1", "pods", space)) or {"items": []})["items"]]
    for each in left:
        meta = each["metadata"]
        api.delete(f"{path_of('v1', 'pods', meta['namespace'], meta['name'])}?gracePeriodSeconds=0")
    return not left


def _unused(api: Api, space: str) -> bool:
    quotas = (api.get(path_of("v1", "resourcequotas", space)) or {"items": []})["items"]
    return all(amount == "0" for each in quotas for amount in each.get("status", {}).get("used", {}).values())


def _is_gone(api: Api, path: str) -> bool:
    return api.get(path) is None


def _clear(api: Api, found: list[Object], nodes: list[Node]) -> None:
    """Everything that another platform would have by the same name."""
    for each in _claims(found):
        meta = each["metadata"]
        for path in (
            path_of("v1", _CLAIMS, meta["namespace"], meta["name"]),
            path_of("v1", _VOLUMES, None, meta["name"]),
        ):
            api.delete(path)
            until(partial(_is_gone, api, path), 60, f"{path} is gone", pause=0.1)
    for each in found:
        if each["kind"] in ("ResourceQuota", "StorageClass"):
            meta = each["metadata"]
            api.delete(path_of(each["apiVersion"], _BESIDE[each["kind"]], meta.get("namespace"), meta["name"]))
    for node in nodes:
        api.delete(path_of("v1", "nodes", None, node.name))
