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


def _train_job(before: Snapshot, *, made: bool = True, said: str = "") -> Snapshot:
    """The same set, made of a TrainJob; `said` is what Kubeflow Trainer says of that."""
    (found,) = before.of("JobSet")
    meta = {**found["metadata"], "uid": "uid-train-job", "creationTimestamp": "2026-11-27T04:00:00Z"}
    owned = {**found, "metadata": {**found["metadata"], "ownerReferences": [{"uid": "uid-train-job"}]}}
    event = {"involvedObject": {"uid": "uid-train-job"}, "type": "Warning", "message": said,
             "metadata": {"creationTimestamp": "2026-11-27T04:00:01Z"}}  # fmt: skip
    job = {"metadata": meta, "spec": {"runtimeRef": {"name": "second-1a2b3c4d"}}, "status": found["status"]}
    kinds = {kind: tuple(before.of(kind)) for kind in ("Namespace", "ServiceAccount", "Job", "Pod")}
    return Snapshot(
        {**kinds, "TrainJob": (job,), "JobSet": (owned,) if made else (), "Event": (event,) if said else ()}
    )


NOT_MADE = "Kubeflow Trainer has not made its JobSet"
LOST = "TrainJob resources reconciliation failed: specified trainingRuntime does not exist"


@pytest.mark.parametrize(("snapshot", "said"), [
    (_train_job(_set(0, pods=3)), []),
    (_train_job(_set(2, pods=3)), [("Running", AGAIN)]),
    (_train_job(_set(2, failed="exit code 2")),
     [("Failed", "it was given up: jobset failed due to FailJobSet; exit code 2")]),
    (_train_job(_set(0), made=False), [("Absent", f"{NOT_MADE} yet")]),
    (_train_job(_set(0), made=False, said=LOST), [("Absent", f"{NOT_MADE}: {LOST}")]),
])  # fmt: skip
def test_a_train_job_says_what_its_set_does_or_why_there_is_none(
    snapshot: Snapshot, said: list[tuple[str, str]]
) -> None:
    found = diagnose(snapshot, [Expected("TrainJob", "research", "second", 3)])
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


FEWER = (
    "runs with 2 of 3 members: its queue had room for no more when it started, and it gets no more until it starts anew"
)


def _elastic(parallelism: int, pods: int, *, suspended: bool = False) -> Snapshot:
    """A job of three members, of which Kueue starts two at least."""
    meta = {"name": "second", "namespace": "research", "uid": "uid-second",
            "labels": {"kueue.x-k8s.io/queue-name": "training"},
            "annotations": {"kueue.x-k8s.io/job-min-parallelism": "2"}}  # fmt: skip
    spec = {"suspend": suspended, "parallelism": parallelism, "completions": parallelism,
            "template": {"spec": {"serviceAccountName": "training"}}}  # fmt: skip
    made = [{
        "metadata": {"name": f"pod-{index}", "namespace": "elsewhere", "ownerReferences": [{"uid": "uid-second"}]},
        "spec": {}, "status": {"phase": "Running"},
    } for index in range(pods)]  # fmt: skip
    return Snapshot({
        "Namespace": ({"metadata": {"name": "research"}},),
        "ServiceAccount": ({"metadata": {"name": "training", "namespace": "research"}},),
        "Job": ({"metadata": meta, "spec": spec},), "Pod": tuple(made),
    })  # fmt: skip


@pytest.mark.parametrize(("snapshot", "said"), [
    (_elastic(3, 3), []),
    (_elastic(2, 2), [("Running", FEWER)]),
    (_elastic(2, 1), [("Absent", f"1 of 2 pods do not exist: their controller has not made them yet; {FEWER}")]),
    (_elastic(3, 2), [("Absent", "1 of 3 pods do not exist: their controller has not made them yet")]),
    (_elastic(3, 0, suspended=True), [("Absent", "in queue research/training, and Kueue has not seen it")]),
])  # fmt: skip
def test_a_job_that_started_with_fewer_members_is_as_planned_and_says_how_many_run(
    snapshot: Snapshot, said: list[tuple[str, str]]
) -> None:
    found = diagnose(snapshot, [Expected("Job", "research", "second", 3)])
    assert [(each.state, each.reason) for each in found] == said
