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
