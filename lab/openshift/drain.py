"""Cordon and drain, as `oc adm drain --ignore-daemonsets` and the operators built on it do."""

from __future__ import annotations

from podwright.lab.openshift.api import Api, ApiError, Object
from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.kinds import NODES, PODS


def cordon(api: Api, node: Object, manager: str, off: bool = False) -> None:
    """Mark the node unschedulable, or schedulable again with `off`, as `manager`."""
    # What the caller knows of the node may be a moment old: say it anyway, saying it twice changes nothing.
    path = NODES.path(None, node["metadata"]["name"])
    api.merge(path, {"spec": {"unschedulable": None if off else True}}, manager=manager)


def limit(value: int | str, count: int) -> int:
    """maxUnavailable as a number of nodes; a percentage rounds down, and at least one node may go."""
    if isinstance(value, str) and value.endswith("%"):
        return max(1, count * int(value[:-1]) // 100)
    return max(1, int(value))


def evictable(cache: Cache, node: str) -> list[Object]:
    """Pods that a drain has to move: not a DaemonSet's, not finished."""
    found = []
    for pod in cache.list(PODS):
        if pod["spec"].get("nodeName") != node or pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            continue
        if not any(owner["kind"] == "DaemonSet" for owner in pod["metadata"].get("ownerReferences", [])):
            found.append(pod)
    return found


def evict(api: Api, cache: Cache, node: str) -> list[str]:
    """Ask for every pod's eviction; returns what still stands in the way, e.g. a disruption budget."""
    return evict_some(api, evictable(cache, node))


def evict_some(api: Api, pods: list[Object]) -> list[str]:
    """Ask for the eviction of these pods; a sentence for each that is not gone yet."""
    waiting = []
    for pod in pods:
        meta = pod["metadata"]
        if "deletionTimestamp" in meta:
            waiting.append(f"{meta['namespace']}/{meta['name']} is terminating")
            continue
        try:
            api.request("POST", f"{PODS.path(meta['namespace'], meta['name'])}/eviction", {
                "apiVersion": "policy/v1", "kind": "Eviction",
                "metadata": {"name": meta["name"], "namespace": meta["namespace"]},
            })  # fmt: skip
            waiting.append(f"{meta['namespace']}/{meta['name']} is being evicted")
        except ApiError as problem:
            if problem.code != 404:
                waiting.append(f"{meta['namespace']}/{meta['name']}: {problem}")
    return waiting
