"""What a host that lost its power does to the pods on it: at once, and when it is back."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from podwright.lab.openshift import heartbeats
from podwright.lab.openshift.api import Api, ApiError
from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.controlplane import POWERED_LABEL
from podwright.lab.openshift.hosted import runs
from podwright.lab.openshift.kinds import NODES, PODS
from podwright.lab.openshift.processes import Processes

DEPLOYMENT: dict[str, Any] = {
    "metadata": {"namespace": "queues", "name": "kueue"}, "spec": {"selector": {"matchLabels": {"app": "kueue"}}},
    "status": {"availableReplicas": 1},
}  # fmt: skip


def _known(pods: dict[str, str], **nodes: bool) -> Cache:
    """A cache with nodes by whether they answer, and running pods by their node."""
    items = {
        NODES: [{"metadata": {"name": name, "labels": {POWERED_LABEL: "true"} if answers else {}}}
                for name, answers in nodes.items()],
        PODS: [{"metadata": {"name": name, "labels": {"app": "kueue"}}, "spec": {"nodeName": node},
                "status": {"phase": "Running"}} for name, node in pods.items()],
    }  # fmt: skip
    found = SimpleNamespace(list=lambda kind, namespace=None: items[kind], get=lambda *_: None)
    return cast("Cache", found)


@pytest.mark.parametrize(("pods", "nodes", "expected"), [
    ({"a": "one"}, {"one": True, "two": True}, True),
    ({"a": "one"}, {"one": False, "two": True}, False),
    ({"a": "one"}, {"one": True, "two": False}, True),
    ({"a": "one", "b": "two"}, {"one": False, "two": True}, True),
])  # fmt: skip
def test_a_program_runs_where_one_of_its_pods_is_on_a_host_that_answers(
    pods: dict[str, str], nodes: dict[str, bool], expected: bool
) -> None:
    assert runs(_known(pods, **nodes), DEPLOYMENT) == expected


def test_a_program_does_not_run_before_its_deployment_is_available() -> None:
    assert not runs(_known({"a": "one"}, one=True), {**DEPLOYMENT, "status": {}})
    assert not runs(_known({"a": "one"}, one=True), None)


class _Pods:
    """Pods of a node; what is written of their status is kept."""

    def __init__(self, *pods: dict[str, Any], gone: str = "") -> None:
        self.pods, self.gone = pods, gone
        self.written: dict[str, Any] = {}

    def request(self, method: str, path: str) -> dict[str, Any]:
        assert method == "GET" and path == f"{PODS.path()}?fieldSelector=spec.nodeName%3Dgpu-1"
        return {"items": list(self.pods)}

    def merge(self, path: str, change: dict[str, Any], subresource: str) -> None:
        assert subresource == "status"
        name = path.rpartition("/")[2]
        if name == self.gone:
            raise ApiError(404, "NotFound", "gone")
        self.written[name] = change["status"]


def _pod(name: str, policy: str, phase: str = "Running", **meta: str) -> dict[str, Any]:
    rows = [{"type": "Ready", "status": "True"}, {"type": "Initialized", "status": "True"}]
    box = {"name": "train", "image": "x", "ready": True, "state": {"running": {}}}
    return {
        "metadata": {"namespace": "research", "name": name, **meta}, "spec": {"restartPolicy": policy},
        "status": {"phase": phase, "conditions": rows, "containerStatuses": [box]},
    }  # fmt: skip


def test_pods_that_are_never_started_again_have_failed_when_their_host_is_back() -> None:
    """Training jobs' are; those of services start again."""
    pods = _Pods(
        _pod("member", "Never"), _pod("replica", "Always"), _pod("ended", "Never", "Succeeded"),
        _pod("going", "Never", deletionTimestamp="2026-11-27T17:00:00Z"), _pod("gone", "Never"), gone="gone",
    )  # fmt: skip
    heartbeats.restarted(cast("Api", pods), "gpu-1")
    assert list(pods.written) == ["member"]
    status = pods.written["member"]
    assert status["phase"] == "Failed"
    (box,) = status["containerStatuses"]
    assert box["state"]["terminated"]["exitCode"] == 137 and not box["ready"]
    assert {row["type"]: row["status"] for row in status["conditions"]} == {"Ready": "False", "Initialized": "True"}


def test_programs_may_end_and_start_while_somebody_looks_which_run(tmp_path: Path) -> None:
    programs = Processes(tmp_path, lambda *_: None)

    class Child:
        """While it is asked, another program starts."""

        pid = 7

        def poll(self) -> None:
            programs._running.setdefault("other", cast("Any", self))

    programs._running["one"] = cast("Any", Child())
    assert programs.pids() == {"one": 7}
    assert set(programs.pids()) == {"one", "other"}
