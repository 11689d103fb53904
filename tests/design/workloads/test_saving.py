"""A job with checkpoints: its pods know where, its launcher waits and starts again, a pod that has to go can save."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.lab.openshift.scripts import variables
from tests.design import whole
from tests.model.changes import PROD, both, put
from tests.model.saving_cases import CLAIM, MOUNTED, TRAIN, saving
from tests.model.test_sections import cluster as stack

INDEX = "batch.kubernetes.io/job-completion-index"


def planned(*changes: Any) -> dict[str, Any]:
    (job,) = (each for each in whole.workloads(stack(PROD, both(*changes))) if each["kind"] == "Job")
    assert isinstance(job, dict)
    return job


def environment(job: dict[str, Any], member: int = 0) -> dict[str, str]:
    (box,) = job["spec"]["template"]["spec"]["containers"]
    meta = {"name": f"pretrain-{member}", "namespace": "research", "annotations": {INDEX: str(member)}}
    return variables.environment({"metadata": meta, "spec": {}}, box)


def test_pods_know_where_and_how_often_they_save() -> None:
    known = environment(planned(saving(path="first", every_steps=500, every_seconds=600, keep=2, save_seconds=90)))
    assert {name: value for name, value in known.items() if name.startswith(("CHECKPOINT", "PYTORCH"))} == {
        "CHECKPOINT_DIR": "/checkpoints/first",
        "CHECKPOINT_EVERY_SECONDS": "600",
        "CHECKPOINT_EVERY_STEPS": "500",
        "CHECKPOINT_KEEP": "2",
        "CHECKPOINT_SAVE_SECONDS": "90",
        "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
    }
    plain = environment(planned(saving()))
    assert plain["CHECKPOINT_DIR"] == "/checkpoints"
    assert "CHECKPOINT_EVERY_STEPS" not in plain


def test_a_command_may_name_the_folder_without_a_shell() -> None:
    job = planned(saving(path="first"), put(f"{TRAIN}/command", ["torchrun", "t.py", "--to=$(CHECKPOINT_DIR)"]))
    (box,) = job["spec"]["template"]["spec"]["containers"]
    assert variables.expanded(box["command"][-1], environment(job)) == "--to=/checkpoints/first"


@pytest.mark.parametrize(("save_seconds", "shutdown", "grace"), [(60, 90, 300), (240, 270, 300), (900, 930, 960)])
def test_a_pod_that_has_to_go_can_save_first(save_seconds: int, shutdown: int, grace: int) -> None:
    """The launcher kills its processes before kubelet kills the launcher, and both only after a save."""
    job = planned(saving(save_seconds=save_seconds))
    assert job["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == grace
    assert environment(job)["PET_SHUTDOWN_TIMEOUT"] == str(shutdown)
    assert save_seconds < shutdown < grace


@pytest.mark.parametrize("command", [["torchrun", "t.py"], ["bash", "-c", "torchrun t.py"]])
def test_members_wait_for_one_that_is_away_and_start_again(command: list[str]) -> None:
    job = planned(saving(), put(f"{TRAIN}/command", command))
    known = environment(job)
    (box,) = job["spec"]["template"]["spec"]["containers"]
    given = {**known, **{word.partition("=")[0]: word.partition("=")[2] for word in box["command"]}}
    assert known["PET_RDZV_CONF"] == "join_timeout=3600"
    assert known["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] == "1"
    assert given.get("--max-restarts", known.get("PET_MAX_RESTARTS")) == "20"
    assert job["spec"]["backoffLimitPerIndex"] == 10
    # Member 0 finds this name in its own /etc/hosts; of any shorter one DNS may have the pod before.
    endpoint = "pretrain-0.pretrain.research.svc.cluster.local:29500"
    assert given.get("--rdzv-endpoint", known.get("PET_RDZV_ENDPOINT")) == endpoint


def test_numbers_of_the_file_count_more() -> None:
    keys = {"restarts": 0, "replacements": 2}
    job = planned(saving(), *(put(f"{TRAIN}/{key}", value) for key, value in keys.items()))
    (box,) = job["spec"]["template"]["spec"]["containers"]
    assert "--max-restarts=0" in box["command"]
    assert job["spec"]["backoffLimitPerIndex"] == 2


def test_a_rendezvous_of_its_own_gets_nothing_but_where_to_save() -> None:
    known = environment(planned(saving(), put(f"{TRAIN}/rendezvous", "own")))
    assert known["CHECKPOINT_DIR"] == "/checkpoints"
    assert not [name for name in known if name.startswith(("PET_", "MASTER_"))]


def test_a_job_without_checkpoints_is_as_it_was() -> None:
    """A job's pods cannot change: one that runs would start anew."""
    job = planned(MOUNTED)
    (box,) = job["spec"]["template"]["spec"]["containers"]
    assert not [row for row in box["env"] if row["name"].startswith(("CHECKPOINT", "PET_", "PYTORCH"))]
    assert job["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == 300
    assert job["spec"]["backoffLimitPerIndex"] == 3
    assert "--rdzv-endpoint=pretrain-0.pretrain.research.svc:29500" in box["command"]
    assert CLAIM in [each["persistentVolumeClaim"]["claimName"] for each in job["spec"]["template"]["spec"]["volumes"]
                     if "persistentVolumeClaim" in each]  # fmt: skip
