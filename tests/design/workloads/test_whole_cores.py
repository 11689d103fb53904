"""On pools whose kubelets give no half of a core, no Guaranteed pod of a plan asks for one: it would never start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from podwright.components.design.platform.names import POOL_LABEL
from podwright.components.model import Cluster, effective, load
from tests.design import whole
from tools.goldens import EXAMPLES, examples, stack_file

STACKS = sorted({*map(stack_file, examples()), *EXAMPLES.glob("*/Pulumi.*.yaml")})
"""Each example, and the files beside it that stand on it."""
_stack = cache(load)


def pods(found: Any) -> Iterator[Mapping[str, Any]]:
    """Specs of all pods in an object, whatever it is of."""
    if isinstance(found, Mapping):
        if isinstance(found.get("containers"), list):
            yield found
        for each in found.values():
            yield from pods(each)
    elif isinstance(found, list | tuple):
        for each in found:
            yield from pods(each)


def own_processors(pod: Mapping[str, Any]) -> list[str]:
    """Processors of each container of a pod that is Guaranteed: requests of all containers equal their limits.

    https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/#guaranteed
    """
    boxes = [each.get("resources") or {} for each in pod["containers"]]
    for each in boxes:
        asked, limits = each.get("requests") or {}, each.get("limits") or {}
        if any(name not in limits or asked.get(name, limits[name]) != limits[name] for name in ("cpu", "memory")):
            return []
    return [str(each["limits"]["cpu"]) for each in boxes]


def whole_cores(cluster: Cluster) -> set[str]:
    """Pools with `single-numa-node`, on one of whose servers a core has two threads."""
    found = set()
    for name, server in cluster.servers.items():
        pool, smt = cluster.pools.get(server.pool or ""), effective(name, server, cluster.compute.roles).settings.smt
        if pool and pool.numa and pool.numa.policy == "single-numa-node" and (smt is None or smt.enabled):
            found.add(str(server.pool))
    return found


@pytest.mark.parametrize("path", STACKS, ids=lambda path: path.stem.removeprefix("Pulumi."))
def test_no_guaranteed_pod_asks_for_half_a_core(path: Path) -> None:
    cluster = _stack(path)
    strict = whole_cores(cluster)
    halves = [
        (each["kind"], each["metadata"]["name"], amount)
        for each in whole.workloads(cluster)
        for pod in pods(each)
        if (pod.get("nodeSelector") or {}).get(POOL_LABEL) in strict
        for amount in own_processors(pod)
        if amount.isdigit() and int(amount) % 2
    ]
    assert halves == []


def test_some_example_has_such_a_pool_with_a_store_on_it() -> None:
    """Or nothing of this would be looked at."""
    cluster = _stack(EXAMPLES / "platform/Pulumi.store.yaml")
    stores = [each.rendezvous_store for each in cluster.workloads.training.values() if each.rendezvous_store]
    assert {each.pool for each in stores} & whole_cores(cluster)
