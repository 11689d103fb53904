"""The real scheduler places every pod of platforms that nobody wrote, and names those that there is no room for."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from podwright.components import model
from podwright.lab.openshift.api import Api
from tests.platforms import scheduled
from tests.platforms.drawn import drawn
from tests.platforms.nodes import Node, nodes
from tests.platforms.planned import Object, objects, of_kind

pytestmark = pytest.mark.rough
SEED = os.environ.get("PODWRIGHT_SCHEDULED_SEED", "")
COUNT = 20 if SEED else 4


def _platforms() -> Iterator[tuple[str, dict[str, Any], list[Object]]]:
    """Platforms with work, by seed."""
    for number in count():
        seed = f"{SEED}/scheduled/{number}"
        file = json.loads(json.dumps(drawn(seed)))
        try:
            cluster = model.load(file)
        except model.SpecErrors:
            continue
        if cluster.workloads.training or cluster.workloads.inference:
            yield seed, file, objects(cluster)


def test_every_pod_of_a_platform_is_placed(api: Api) -> None:
    for (seed, file, found), _ in zip(_platforms(), range(COUNT), strict=False):
        assert scheduled.waiting(api, found, nodes(file, found)) == [], seed


def test_a_pod_without_room_is_named(api: Api) -> None:
    """The same with each device taken away."""
    _, file, found = next(each for each in _platforms() if of_kind(each[2], "Job"))

    def less(node: Node) -> Node:
        free = {name: 0 if name.startswith("nvidia.com/") else count for name, count in node.free.items()}
        return Node(node.name, node.labels, node.taints, type(node.free)(free))

    waiting = scheduled.waiting(api, found, [less(each) for each in nodes(file, found)])
    assert waiting
    assert all("Insufficient nvidia.com/" in each for each in waiting)
