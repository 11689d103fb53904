"""A replica that runs and takes no requests is not as planned, and is named with what keeps it from being ready."""

from typing import Any

import pytest

from podwright.components.providers.status.diagnosis import diagnose
from podwright.components.providers.status.snapshot import Object, Snapshot
from podwright.components.providers.status.verdict import AS_PLANNED, NOT_READY, Expected, Verdict

CHAT = Expected("Deployment", "chat", "chat", 1)
UNREADY = {
    "type": "Ready", "status": "False", "reason": "ContainersNotReady",
    "message": "containers with unready status: [serve]", "lastTransitionTime": "2026-11-28T10:00:00Z",
}  # fmt: skip
WORDS = "containers with unready status: [serve], since 2026-11-28T10:00:00Z"
TIMED_OUT = {
    "type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded",
    "message": 'ReplicaSet "chat-1" has timed out progressing.',
}  # fmt: skip
RUNNING = {"running": {"startedAt": "2026-11-28T10:00:00Z"}}


def _pod(name: str, maker: str, ready: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    status = {"phase": "Running", "conditions": [ready] if ready else [], **more}
    meta = {"name": name, "namespace": "chat", "uid": name, "ownerReferences": [{"uid": maker}]}
    return {"metadata": meta, "spec": {"nodeName": "inf-01", "containers": []}, "status": status}


def _diagnose(
    *pods: dict[str, Any], status: dict[str, Any] | None = None, replicas: int = 1, node: str = "True"
) -> list[Verdict]:
    """Of the Deployment chat in its first ReplicaSet, and of one that nobody planned."""
    meta = {"name": "chat", "namespace": "chat", "uid": "chat"}
    owner = {"metadata": meta, "spec": {"replicas": replicas}, "status": status or {}}
    makers = [
        {"metadata": {**meta, "name": uid, "uid": uid, "ownerReferences": [{"uid": by}]}, "spec": {}}
        for uid, by in (("chat-1", "chat"), ("other-1", "other"))
    ]
    row = {"metadata": {"name": "inf-01"}, "status": {"conditions": [{"type": "Ready", "status": node}]}}
    kinds: dict[str, tuple[Object, ...]] = {"Namespace": ({"metadata": {"name": "chat"}},), "Deployment": (owner,)}
    kinds |= {"ReplicaSet": tuple(makers), "Pod": pods, "Node": (row,)}
    return diagnose(Snapshot(kinds), [CHAT])


def test_a_replica_that_runs_and_is_not_ready_is_not_as_planned() -> None:
    (found,) = _diagnose(_pod("chat-1-a", "chat-1", UNREADY))
    assert (found.state, found.node, found.reason) == (NOT_READY, "inf-01", f"{WORDS}; 0 of 1 replicas are ready")
    assert NOT_READY not in AS_PLANNED


def test_a_model_that_loads_is_called_that() -> None:
    row = {"name": "serve", "started": False, "ready": False, "state": RUNNING}
    (found,) = _diagnose(_pod("chat-1-a", "chat-1", UNREADY, containerStatuses=[row]))
    loads = "container serve has not passed its startup probe: its model is still loading"
    assert found.reason == f"{WORDS}; {loads}; 0 of 1 replicas are ready"


@pytest.mark.parametrize("row", [
    {"name": "serve", "started": True, "ready": False, "state": RUNNING},
    {"name": "serve", "started": False, "ready": False, "state": {"terminated": {"exitCode": 1}}},
])  # fmt: skip
def test_an_engine_that_hangs_or_ended_loads_no_model(row: dict[str, Any]) -> None:
    (found,) = _diagnose(_pod("chat-1-a", "chat-1", UNREADY, containerStatuses=[row]))
    assert (found.state, found.reason) == (NOT_READY, f"{WORDS}; 0 of 1 replicas are ready")


def test_a_deployment_that_was_given_up_says_so() -> None:
    (found,) = _diagnose(_pod("chat-1-a", "chat-1", UNREADY), status={"conditions": [TIMED_OUT]})
    assert 'ReplicaSet "chat-1" has timed out progressing; 0 of 1 replicas are ready' in found.reason
    going = {**TIMED_OUT, "status": "True", "message": "it is progressing"}
    (found,) = _diagnose(_pod("chat-1-a", "chat-1", UNREADY), status={"conditions": [going]})
    assert found.reason == f"{WORDS}; 0 of 1 replicas are ready"


def test_an_update_with_enough_ready_replicas_names_the_one_that_is_not() -> None:
    ready = {"type": "Ready", "status": "True"}
    pods = [_pod(f"chat-1-{name}", "chat-1", ready) for name in "abc"]
    found = _diagnose(*pods, _pod("chat-1-d", "chat-1", UNREADY), status={"readyReplicas": 3}, replicas=2)
    assert [each.state for each in found] == ["Running", "Running", "Running", NOT_READY]
    assert found[-1].reason == f"{WORDS}; 2 of 2 replicas are ready"


def test_a_replica_on_a_silent_node_is_not_ready_for_that() -> None:
    (found,) = _diagnose(_pod("chat-1-a", "chat-1", {"type": "Ready", "status": "False"}), node="Unknown")
    assert found.reason == "its node inf-01 is not Ready; 0 of 1 replicas are ready"
    (found,) = _diagnose(_pod("chat-1-a", "chat-1", {"type": "Ready", "status": "False"}))
    assert found.reason == "it is not ready, and nobody says why; 0 of 1 replicas are ready"


def test_pods_that_go_or_that_nobody_asked_for_are_left_out() -> None:
    going = _pod("chat-1-b", "chat-1", UNREADY)
    going["metadata"]["deletionTimestamp"] = "2026-11-28T10:00:00Z"
    pods = [_pod("chat-1-a", "chat-1", {"type": "Ready", "status": "True"}), going, _pod("other", "other-1", UNREADY)]
    assert {each.state for each in _diagnose(*pods, _pod("notebook-0", "a-set", UNREADY))} == {"Running"}


def test_a_member_of_a_training_job_gets_no_requests() -> None:
    job = {"metadata": {"name": "tune", "namespace": "chat", "uid": "tune"}, "spec": {}}
    kinds = {"Namespace": ({"metadata": {"name": "chat"}},), "Job": (job,), "Pod": (_pod("tune-0", "tune", UNREADY),)}
    (found,) = diagnose(Snapshot(kinds), [Expected("Job", "chat", "tune", 1)])
    assert found.state == "Running"
