"""A job that Kubernetes has ended is named with the reason, not as one whose pods are still to come."""

import pytest

from podwright.components.providers.status.diagnosis import diagnose
from podwright.components.providers.status.snapshot import Snapshot
from podwright.components.providers.status.verdict import Expected


@pytest.mark.parametrize(("failed", "words"), [
    ("1", "it was given up: Job has failed indexes (members that failed: 1)"),
    (None, "it was given up: Job has failed indexes"),
])  # fmt: skip
def test_a_job_that_was_given_up_says_why(failed: str | None, words: str) -> None:
    row = {"type": "Failed", "status": "True", "reason": "FailedIndexes", "message": "Job has failed indexes"}
    status = {"conditions": [row], **({"failedIndexes": failed} if failed else {})}
    job = {
        "metadata": {"name": "pretrain", "namespace": "research", "uid": "u"},
        "spec": {"template": {"spec": {}}}, "status": status,
    }  # fmt: skip
    snapshot = Snapshot({"Namespace": ({"metadata": {"name": "research"}},), "Job": (job,)})
    (found,) = diagnose(snapshot, [Expected("Job", "research", "pretrain", 3)])
    assert (found.state, found.reason) == ("Failed", words)
