"""Pods that hold a GPU resource which is about to go and which nobody else can give them.

A disruption budget asks to wait until such a pod runs elsewhere. Where its node is laid out anew and no other node has
one to spare, that never comes: the stack file took the resource away, and waiting would only end in a time limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.waiting import NODES, is_ready

_DEVICES = "nvidia.com/"


class Homeless:
    """Judges the pods of one node that will offer only `stay` of NVIDIA's resources afterwards."""

    def __init__(self, kube: Kube, node: str, stay: frozenset[str]) -> None:
        self._kube = kube
        self._node = node
        self._stay = stay

    async def why(self, pods: Sequence[Mapping[str, Any]]) -> list[str]:
        """Why no budget can hold each of these pods, in words; empty where waiting may help."""
        lost = [{name: n for name, n in _asked(pod).items() if name not in self._stay} for pod in pods]
        spare = await self._spare() if any(lost) else Counter()
        return [self._words(next((name for name, n in sorted(each.items()) if spare[name] < n), "")) for each in lost]

    def _words(self, name: str) -> str:
        return f"asks for {name}, which {self._node} is about to give up and no other node has to spare" if name else ""

    async def _spare(self) -> Counter[str]:
        """The most of each resource that one other node could still hand out."""
        pods = await self._kube.items("/api/v1/pods")
        taken: dict[str, Counter[str]] = {}
        for pod in pods:
            if (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed"):
                taken.setdefault(str(pod["spec"].get("nodeName") or ""), Counter()).update(_asked(pod))
        most: Counter[str] = Counter()
        for node in await self._kube.items(NODES):
            name = node["metadata"]["name"]
            if name == self._node or node["spec"].get("unschedulable") or not is_ready(node):
                continue
            offered = (node.get("status") or {}).get("allocatable") or {}
            used = taken.get(name, Counter())
            free = {each: int(offered[each]) - used[each] for each in offered if each.startswith(_DEVICES)}
            most |= Counter({each: count for each, count in free.items() if count > 0})
        return most


def _asked(pod: Mapping[str, Any]) -> Counter[str]:
    found: Counter[str] = Counter()
    for container in pod["spec"].get("containers") or ():
        limits = (container.get("resources") or {}).get("limits") or {}
        found.update({name: int(count) for name, count in limits.items() if name.startswith(_DEVICES)})
    return found
