"""A node that was made before its kubelet is written by others too: what they wrote is read before the next try."""

from __future__ import annotations

from typing import Any, cast

import pytest

from podwright.components.providers.openshift import unregistered
from podwright.components.providers.openshift.kube import Kube, KubeError

TRAINING = {"key": "podwright.io/pool", "value": "training", "effect": "NoSchedule"}
NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}


class Node:
    """An API server with one node, which the node life-cycle controller writes before each of the first merges."""

    def __init__(self, conflicts: int) -> None:
        self.conflicts, self.version = conflicts, 1
        self.taints: list[dict[str, Any]] = []

    async def find(self, _path: str) -> dict[str, Any]:
        meta = {"annotations": {unregistered.MADE: ""}, "resourceVersion": str(self.version)}
        return {"metadata": meta, "spec": {"taints": list(self.taints)}, "status": {}}

    async def merge(self, path: str, change: dict[str, Any]) -> None:
        if self.conflicts:
            self.conflicts, self.version, self.taints = self.conflicts - 1, self.version + 1, [NOT_READY]
        if change["metadata"]["resourceVersion"] != str(self.version):
            raise KubeError(409, {"reason": "Conflict"}, f"PATCH {path}")
        self.taints = change["spec"]["taints"]


@pytest.mark.asyncio
async def test_what_somebody_else_wrote_since_stays_and_the_taint_comes() -> None:
    node = Node(conflicts=2)
    assert await unregistered.made(cast("Kube", node), "gpu-01", [TRAINING])
    assert node.taints == [NOT_READY, TRAINING]


@pytest.mark.asyncio
async def test_a_node_that_is_written_all_the_time_ends_in_the_servers_words() -> None:
    with pytest.raises(KubeError) as caught:
        await unregistered.made(cast("Kube", Node(conflicts=unregistered.TRIES)), "gpu-01", [TRAINING])
    assert caught.value.status == 409
