"""Sets by lot are stack files that `podwright check` accepts, and what the reference is shown of them is the file's."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from podwright.components.model import Cluster, nominal
from podwright.components.model.coherence import queues
from tests.queue_sets.drawn import SERVERS, Drawn
from tests.queue_sets.observed import Moment
from tests.queue_sets.reference import Gang

SEEDS = range(12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_set_is_a_file_that_is_accepted(seed: int) -> None:
    drawn = Drawn(f"{seed}/drawn")
    stack = Cluster.model_validate(drawn.file)
    assert [each.message for check in queues.CLUSTER for each in check(stack)] == []
    own = {(team, pool): count for team, each in nominal(stack).items() for pool, count in each.items()}
    assert own == {key: each.nominal for key, each in drawn.quotas.items()}
    assert SERVERS[0] <= sum(drawn.counts.values()) <= SERVERS[1]
    assert [*Drawn(f"{seed}/drawn").events(9)] == [*drawn.events(9)], "the same seed is the same set"


def test_sets_differ_in_all_that_decides() -> None:
    sets = [Drawn(f"{seed}/drawn") for seed in SEEDS]
    sections = [each.file["openshift"]["queues"] for each in sets]
    for key in ("borrow", "fair_sharing"):
        assert {each[key] for each in sections} == {True, False}, key
    assert {len(each["pools"]) for each in sections} == {1, 2}
    rows = [row for each in sections for row in each["teams"].values()]
    assert {key for row in rows for key in row} == {"nominal", "lend", "borrow", "weight"}


class _Seen(Moment):
    """A moment without a server."""

    def __init__(self, workload: dict[str, Any]) -> None:
        self.flavors = {"training-rack-host": "training"}
        self.nodes, self.workloads, self.pods = [], [workload], []
        self.at = datetime(2026, 11, 28, 12, tzinfo=UTC)

    def gang(self) -> Gang:
        """The one gang."""
        return self._gang(self.workloads[0])


def _workload(slices: list[dict[str, Any]]) -> dict[str, Any]:
    box = {"name": "main", "resources": {"requests": {"nvidia.com/gpu": "8", "openshift.io/rail0": "1", "cpu": "8"}}}
    template = {"spec": {"nodeSelector": {"podwright.io/pool": "training"}, "containers": [box]}}
    topology = {"levels": ["kubernetes.io/hostname"], "slices": slices}
    given = {"name": "main", "flavors": {"nvidia.com/gpu": "training-rack-host"}, "topologyAssignment": topology}
    pods = {
        "name": "main",
        "count": 3,
        "template": template,
        "topologyRequest": {"required": "podwright.io/leaf-group"},
    }
    owner = {"kind": "Job", "name": "job-001"}
    return {
        "metadata": {"name": "job-job-001", "namespace": "vision", "ownerReferences": [owner]},
        "spec": {"podSets": [pods], "priority": 100},
        "status": {"admission": {"podSetAssignments": [given]}},
    }


@pytest.mark.parametrize(
    ("slices", "placed"),
    [
        (
            [{"domainCount": 3, "podCounts": {"universal": 1},
              "valuesPerLevel": [{"individual": {"prefix": "gpu-", "roots": ["01", "02", "05"]}}]}],
            Counter({"gpu-01": 1, "gpu-02": 1, "gpu-05": 1}),
        ),
        (
            [{"domainCount": 1, "podCounts": {"universal": 1}, "valuesPerLevel": [{"universal": "gpu-09"}]},
             {"domainCount": 1, "podCounts": {"individual": [2]},
              "valuesPerLevel": [{"individual": {"roots": ["gpu-10"]}}]}],
            Counter({"gpu-09": 1, "gpu-10": 2}),
        ),
    ],
)  # fmt: skip
def test_a_workload_is_read_as_kueue_writes_it(slices: list[dict[str, Any]], placed: Counter[str]) -> None:
    gang = _Seen(_workload(slices)).gang()
    assert gang.placed == placed
    assert (gang.team, gang.pool, gang.members, gang.gpus, gang.priority) == ("vision", "training", 3, 24, 100)
    assert gang.asks == {"nvidia.com/gpu": 8, "openshift.io/rail0": 1}, "what is never short is not counted"
    assert gang.together == "podwright.io/leaf-group"


def _member(number: int, phase: str, **meta: str) -> dict[str, Any]:
    labels = {"app.kubernetes.io/name": "job-001"}
    return {
        "metadata": {"name": f"job-001-{number}", "namespace": "vision", "labels": labels, **meta},
        "status": {"phase": phase, "conditions": [{"type": "Ready", "status": "True"}]},
    }


def test_a_member_that_went_with_its_node_runs_no_more() -> None:
    """Its condition Ready stays as kubelet left it, and it stays itself while its job is suspended."""
    found = _workload([])
    found["status"]["conditions"] = [{"type": "Admitted", "status": "True"}]
    seen = _Seen(found)
    seen.pods = [_member(0, "Running"), _member(1, "Running"), _member(2, "Succeeded")]
    assert list(seen.partial()) == []
    for gone in (_member(1, "Failed"), _member(1, "Running", deletionTimestamp="12:00:00")):
        seen.pods = [_member(0, "Running"), gone, _member(2, "Succeeded")]
        assert list(seen.partial()) == ["job-001"]
    seen.pods = [_member(0, "Running"), _member(1, "Failed"), _member(2, "Succeeded"), _member(3, "Pending")]
    assert seen.going("vision", "job-001") == ["job-001-0", "job-001-3"]
    assert seen.going("chat", "job-001") == []


def test_how_often_a_gang_was_stopped_for_others_is_counted() -> None:
    found = _workload([])
    assert _Seen(found).stops() == {"job-001": 0}
    rows = [
        {"reason": "Preempted", "underlyingCause": "InClusterQueue", "count": 2},
        {"reason": "Preempted", "underlyingCause": "InCohortReclamation", "count": 1},
        {"reason": "PodsReadyTimeout", "underlyingCause": "WaitForStart", "count": 4},
    ]
    found["status"]["schedulingStats"] = {"evictions": rows}
    assert _Seen(found).stops() == {"job-001": 3}
    assert "stopped 3 times for others" in next(_Seen(found).about("job-001"))


def test_a_gang_asks_for_the_members_that_have_not_ended() -> None:
    found = _workload([])
    found["status"] = {"reclaimablePods": [{"name": "main", "count": 1}]}
    assert (_Seen(found).gang().members, _Seen(found).gang().gpus) == (2, 16)


def test_what_a_failure_shows_of_a_gang() -> None:
    found = _workload([])
    found["status"]["conditions"] = [{"type": "Admitted", "status": "False", "reason": "NoRoom", "message": "no room"}]
    seen = _Seen(found)
    labels = {"app.kubernetes.io/name": "job-001"}
    waits = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated", "message": "gated"}
    pod = {
        "metadata": {"name": "job-001-0", "namespace": "vision", "labels": labels, "creationTimestamp": "12:00:00"},
        "spec": {"schedulingGates": [{"name": "kueue.x-k8s.io/topology"}]},
        "status": {"phase": "Pending", "conditions": [waits]},
    }
    seen.workloads, seen.pods = [found], [pod]
    workload, member = seen.about("job-001")
    assert "Admitted False NoRoom None no room" in workload
    assert "on None, Pending" in member and "kueue.x-k8s.io/topology" in member and "SchedulingGated" in member
    assert list(seen.about("job-002")) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_each_set_loses_a_server_however_few_its_events(seed: int) -> None:
    events = [event for event, _ in Drawn(f"{seed}/drawn").events(2)]
    assert len(events) == 3 and "lose" in events
