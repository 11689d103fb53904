"""Members that run on another node than Kueue counts them on are named with what to do; whoever is in place is not."""

from typing import Any

import pytest

from podwright.components.providers.status import upkeep
from podwright.components.providers.status.placed import assigned, troubles
from podwright.components.providers.status.snapshot import Snapshot


def node(number: int, host: str = "") -> dict[str, Any]:
    return {"metadata": {"name": f"gpu-{number}", "labels": {"kubernetes.io/hostname": host or f"gpu-{number}"}}}


def pod(member: int, on: int | None, phase: str = "Running", **meta: Any) -> dict[str, Any]:
    own = {
        "name": f"second-{member}-x",
        "namespace": "research",
        "annotations": {"kueue.x-k8s.io/workload": "job-second"},
    }
    spec = {} if on is None else {"nodeName": f"gpu-{on}"}
    return {"metadata": own | meta, "spec": spec, "status": {"phase": phase}}


def workload(*parts: dict[str, Any], level: str = "kubernetes.io/hostname") -> dict[str, Any]:
    placed = {"levels": ["podwright.io/rack", level], "slices": [{"valuesPerLevel": [{}, each]} for each in parts]}
    rows = [{"name": "main", "topologyAssignment": placed}] if parts else [{"name": "main"}]
    meta = {"name": "job-second", "namespace": "research"}
    return {"metadata": meta, "status": {"admission": {"podSetAssignments": rows}}}


TWO_AND_FIVE = {"individual": {"prefix": "gpu-", "roots": ["2", "5"], "suffix": ""}}


def shown(*pods: dict[str, Any], of: dict[str, Any] | None = None, nodes: tuple[Any, ...] = ()) -> list[str]:
    found = {"Workload": (of or workload(TWO_AND_FIVE),), "Pod": pods}
    return list(troubles(Snapshot({**found, "Node": nodes or tuple(map(node, range(2, 6)))})))


def test_a_member_on_another_node_is_named_with_both_and_with_what_to_do() -> None:
    (words,) = shown(pod(0, 3), pod(1, 5))
    assert words.startswith(
        "pod research/second-0-x runs on gpu-3, and Kueue counts it on gpu-2: a job that it puts on "
    )
    assert "`oc patch workload -n research job-second --type=merge" in words
    found = {"Workload": (workload(TWO_AND_FIVE),), "Pod": (pod(0, 3), pod(1, 5)), "Node": (node(3),)}
    assert list(upkeep.troubles(Snapshot(found))) == [words], "podwright status shows it"


@pytest.mark.parametrize(
    "pods",
    [
        (pod(0, 2), pod(1, 5)),
        (pod(0, 2), pod(1, None, "Pending")),
        (pod(0, 3, "Failed"), pod(0, 2), pod(1, 5)),
        (pod(0, 3, deletionTimestamp="now"), pod(1, 5)),
        (pod(0, 3, annotations={}), pod(1, 5)),
        (pod(0, 3, namespace="vision"), pod(1, 5)),
    ],
    ids=["in place", "not bound yet", "ended", "going", "not Kueue's", "another namespace's"],
)
def test_whoever_is_in_place_or_is_no_member_is_not_named(pods: tuple[dict[str, Any], ...]) -> None:
    assert shown(*pods) == []


def test_a_node_is_known_by_its_label_whatever_its_name() -> None:
    apart = workload({"universal": "host-of-2"})
    assert shown(pod(0, 2), of=apart, nodes=(node(2, "host-of-2"),)) == []
    assert len(shown(pod(0, 3), of=apart, nodes=(node(2, "host-of-2"), node(3)))) == 1


def test_what_is_placed_by_rack_alone_or_not_admitted_is_not_compared() -> None:
    assert shown(pod(0, 3), of=workload(TWO_AND_FIVE, level="podwright.io/rack")) == []
    assert shown(pod(0, 3), of=workload()) == []
    assert list(assigned({"metadata": {}, "status": {}})) == []
