"""What becomes of a training job on a cluster whose job controller is the real one."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from podwright.components.providers.openshift.conditions import is_true
from tests.design import whole
from tests.lab.openshift.rack import Rack
from tests.model.changes import LAB, put
from tests.model.test_sections import cluster as stack

pytestmark = pytest.mark.rough
SHAPE = {"workers": ("", "")}


def _job(name: str, **changes: Any) -> dict[str, Any]:
    """The planned job of two members, on any node and by any account, with no restart of a member."""
    planned = whole.workloads(stack(LAB, put("workloads/training/pretrain/nodes", 2)))
    job: dict[str, Any] = copy.deepcopy(next(each for each in planned if each["kind"] == "Job"))
    job["metadata"] = {"name": name, "namespace": "default"}
    job["spec"] |= {"backoffLimitPerIndex": 0} | changes
    template = job["spec"]["template"]
    template["metadata"] = {"labels": {"gang": name}}
    for key in ("serviceAccountName", "priorityClassName", "nodeSelector", "affinity", "volumes"):
        template["spec"].pop(key, None)
    (box,) = template["spec"]["containers"]
    for key in ("resources", "volumeMounts"):
        box.pop(key, None)
    box["securityContext"]["capabilities"].pop("add", None)
    job["spec"] = {key: value for key, value in job["spec"].items() if value is not None}
    return job


def _phases(cluster: Rack, name: str) -> dict[str, str]:
    """By member, what its pod is in."""
    found = cluster.items("pods", "-n", "default", "-l", f"gang={name}")
    return {pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"]: pod["status"]["phase"]
            for pod in found if "deletionTimestamp" not in pod["metadata"]}  # fmt: skip


def _fail(cluster: Rack, name: str, member: str) -> None:
    chosen = f"gang={name},batch.kubernetes.io/job-completion-index={member}"
    (pod,) = cluster.items("pods", "-n", "default", "-l", chosen)
    status = '{"status": {"phase": "Failed", "reason": "Error"}}'
    cluster.kubectl("patch", "pod", pod["metadata"]["name"], "-n", "default", "--subresource=status", "--type=merge",
                    "-p", status)  # fmt: skip


def _failed(cluster: Rack, name: str) -> str | None:
    """Members that had failed when the job was given up; None while it goes on."""
    status = cluster.get("job", name, "-n", "default")["status"]
    return str(status["failedIndexes"]) if is_true({"status": status}, "Failed") else None


def test_when_a_member_has_failed_for_good_the_others_give_their_servers_back(cluster: Rack) -> None:
    cluster.apply(_job("whole"), _job("alone", maxFailedIndexes=None))
    both = {"0": "Running", "1": "Running"}
    cluster.wait("both run", lambda: [_phases(cluster, name) for name in ("whole", "alone")] == [both, both], 60)
    for name in ("whole", "alone"):
        _fail(cluster, name, "0")
    cluster.wait("the gang is given up", lambda: _failed(cluster, "whole") == "0", 60)
    assert "Running" not in _phases(cluster, "whole").values()
    assert _phases(cluster, "alone")["1"] == "Running", "without the limit a member waits for one that is gone"
    assert _failed(cluster, "alone") is None
