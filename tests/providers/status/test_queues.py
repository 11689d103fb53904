"""What is shown of a job that waits in a queue, in Kueue's own words."""

from typing import Any

import pytest

from podwright.components.providers.status.diagnosis import diagnose
from podwright.components.providers.status.snapshot import Snapshot
from podwright.components.providers.status.verdict import AS_PLANNED, Expected

SHORT = (
    "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor "
    "training-group-rack-host, 8 more needed"
)
INACTIVE = "ClusterQueue research is inactive"


def _set(restarts: int, *, pods: int = 0, failed: str = "") -> Snapshot:
    """A set of three members; `failed` are the words of its Job."""
    meta = {"name": "second", "namespace": "research", "uid": "uid-second"}
    rows = [{"type": "Failed", "status": "True", "message": "jobset failed due to FailJobSet"}] if failed else []
    status = {"restarts": restarts, "restartsCountTowardsMax": restarts - 1, "conditions": rows}
    job = {
        "metadata": {"name": "second-member-0", "namespace": "research", "uid": "uid-job",
                     "ownerReferences": [{"uid": "uid-second"}]},
        "spec": {"template": {"spec": {"serviceAccountName": "training"}}},
        "status": {"conditions": [{"type": "Failed", "status": "True", "message": failed}] if failed else []},
    }  # fmt: skip
    made = [{
        "metadata": {"name": f"pod-{index}", "namespace": "elsewhere", "ownerReferences": [{"uid": "uid-job"}]},
        "spec": {}, "status": {"phase": "Running"},
    } for index in range(pods)]  # fmt: skip
    return Snapshot({
        "Namespace": ({"metadata": {"name": "research"}},),
        "ServiceAccount": ({"metadata": {"name": "training", "namespace": "research"}},),
        "JobSet": ({"metadata": meta, "spec": {"failurePolicy": {"maxRestarts": 3}, "replicatedJobs": []},
                    "status": status},),
        "Job": (job,), "Pod": tuple(made),
    })  # fmt: skip


AGAIN = "all members were made again 2 times, 1 of 3 for errors"


@pytest.mark.parametrize(("snapshot", "said"), [
    (_set(0, pods=3), []),
    (_set(2, pods=3), [("Running", AGAIN)]),
    (_set(2, pods=1), [("Absent", f"2 of 3 pods do not exist: their controller has not made them yet; {AGAIN}")]),
    (_set(2, failed="exit code 2"), [("Failed", "it was given up: jobset failed due to FailJobSet; exit code 2")]),
])  # fmt: skip
def test_a_set_says_how_often_its_members_were_made_again_and_why_it_has_ended(
    snapshot: Snapshot, said: list[tuple[str, str]]
) -> None:
    found = diagnose(snapshot, [Expected("JobSet", "research", "second", 3)])
    assert [(each.state, each.reason) for each in found] == said


def _objects(reason: str, message: str, *, suspended: bool = True, seen: bool = True) -> Snapshot:
    labels = {"kueue.x-k8s.io/queue-name": "training"}
    meta = {"name": "second", "namespace": "research", "uid": "uid-second"}
    pod: dict[str, Any] = {"spec": {"serviceAccountName": "training"}}
    row = {"type": "QuotaReserved", "status": "False", "reason": reason, "message": message}
    workload = {
        "metadata": {"name": "job-second", "namespace": "research", "ownerReferences": [{"uid": "uid-second"}]},
        "status": {"conditions": [row]},
    }
    return Snapshot({
        "Namespace": ({"metadata": {"name": "research"}},),
        "ServiceAccount": ({"metadata": {"name": "training", "namespace": "research"}},),
        "Job": ({"metadata": {**meta, "labels": labels}, "spec": {"suspend": suspended, "template": pod}},),
        "Workload": (workload,) if seen else (),
    })  # fmt: skip


@pytest.mark.parametrize(("snapshot", "state", "words"), [
    (_objects("Pending", SHORT), "Waits", f"waits in queue research/training: {SHORT}"),
    (_objects("WaitingForQuota", SHORT), "Waits", f"waits in queue research/training: {SHORT}"),
    (_objects("Misconfigured", INACTIVE), "Absent", f"queue research/training cannot admit it: {INACTIVE}"),
    (_objects("Inadmissible", INACTIVE), "Absent", f"queue research/training cannot admit it: {INACTIVE}"),
    (_objects("", "", seen=False), "Absent", "in queue research/training, and Kueue has not seen it"),
    (_objects("", "", suspended=False), "Absent", "3 of 3 pods do not exist: their controller has not made them yet"),
])  # fmt: skip
def test_a_job_that_waits_is_as_planned_and_one_that_no_queue_admits_is_not(
    snapshot: Snapshot, state: str, words: str
) -> None:
    (found,) = diagnose(snapshot, [Expected("Job", "research", "second", 3)])
    assert (found.state, found.reason) == (state, words)
    assert (found.state in AS_PLANNED) == (state == "Waits")
