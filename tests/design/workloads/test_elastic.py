"""Training jobs that start with fewer members than they have: the whole Job, where it may run, and what its members are
told."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.design.platform.names import GROUP_LABEL
from podwright.components.model import Cluster, advisory
from podwright.components.model.coherence import check
from tests.components.recording import register
from tests.components.test_graph import of
from tests.design import whole
from tests.launchers import torchrun
from tests.model.changes import LAB, Said, both, put
from tests.model.elastic_cases import ELASTIC
from tests.model.queue_cases import QUEUED, TRAIN, TWO_TEAMS

GOLDEN = Path(__file__).with_name("elastic.yaml")
LIMITS = {"kueue.x-k8s.io/job-min-parallelism": "2", "kueue.x-k8s.io/job-completions-equal-parallelism": "true"}


def _stack(*changes: Any) -> Cluster:
    written: Said = copy.deepcopy(LAB)
    both(*changes)(written)
    return Cluster.model_validate(written)


def _job(stack: Cluster) -> dict[str, Any]:
    (found,) = (each for each in whole.workloads(stack) if each["kind"] == "Job")
    return found


def test_a_job_of_two_to_three_members_word_by_word() -> None:
    assert _job(_stack(ELASTIC)) == yaml.safe_load(GOLDEN.read_text())


def test_nothing_but_how_many_there_are_tells_it_from_one_that_starts_whole() -> None:
    fewer, whole_one = _job(_stack(ELASTIC)), _job(_stack(QUEUED, put(f"{TRAIN}/nodes", 3)))
    for key, value in LIMITS.items():
        assert fewer["metadata"]["annotations"].pop(key) == value
    (box,), (other,) = (each["spec"]["template"]["spec"].pop("containers") for each in (fewer, whole_one))
    assert fewer == whole_one
    assert "--nnodes=2:3" in box["command"] and "--nnodes=3" in other["command"]
    added = {each["name"]: each["value"] for each in box.pop("env") if each not in other["env"]}
    assert added == {"PET_RDZV_CONF": "last_call_timeout=60", "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
    assert {key: box[key] for key in box.keys() - {"command"}} == {
        key: other[key] for key in other.keys() - {"command", "env"}
    }


@pytest.mark.parametrize("command", [["torchrun", "t.py"], ["python", "-m", "torch.distributed.run", "t.py"]])
def test_the_launcher_waits_for_two_and_takes_three(command: list[str]) -> None:
    (box,) = _job(_stack(ELASTIC, put(f"{TRAIN}/command", command)))["spec"]["template"]["spec"]["containers"]
    known = {each["name"]: each.get("value") for each in box["env"]}
    words = [word for word in box["command"] if word.startswith("--")]
    words += [f"--nnodes={known['PET_NNODES']}"] if "PET_NNODES" in known else []
    assert torchrun.meeting(torchrun.options([*words, "t.py"]))["members"] == [2, 3]
    assert not {"NNODES", "WORLD_SIZE", "RANK"} & known.keys(), "the launcher alone knows how many there are"


def test_with_checkpoints_members_wait_for_each_other_and_for_those_who_come_last() -> None:
    saving = both(
        put("storage/classes", {"files": {"provisioner": "csi.trident.netapp.io", "shared": True}}),
        put("storage/volumes", {"saved": {"team": "research", "storage_class": "files", "size_gib": 64}}),
        put(f"{TRAIN}/volumes", {"saved": {"path": "/checkpoints"}}),
        put(f"{TRAIN}/checkpoints", {"volume": "saved", "every_steps": 100}),
    )
    (box,) = _job(_stack(ELASTIC, saving))["spec"]["template"]["spec"]["containers"]
    known = {each["name"]: each.get("value") for each in box["env"]}
    assert known["PET_RDZV_CONF"] == "join_timeout=3600,last_call_timeout=60"


def test_kueue_alone_changes_how_many_members_a_job_has_once_it_is_made() -> None:
    (job,) = of(register(_stack(ELASTIC)), "kubernetes:batch/v1:Job")
    assert job.ignored == ("spec.parallelism", "spec.completions")
    (fixed,) = of(register(_stack(QUEUED)), "kubernetes:batch/v1:Job")
    assert fixed.ignored == ()


def test_a_job_goes_where_most_of_its_members_find_a_place() -> None:
    """Five servers of the lab in two leaf groups: no six, and three in the larger one."""
    groups = both(*(put(f"servers/gpu-0{index}/group", 1 if index < 3 else 2) for index in range(1, 6)))
    stack = _stack(QUEUED, put(f"{TRAIN}/nodes", 5), put(f"{TRAIN}/min_nodes", 2), groups)
    assert _job(stack)["spec"]["template"]["spec"]["nodeSelector"][GROUP_LABEL] == "2"


def _said(*changes: Any) -> list[str]:
    stack = _stack(*changes)
    assert list(check(stack)) == []
    return [each for each in advisory.findings(stack) if "never has all" in each]


def test_a_job_that_there_is_never_room_for_whole_is_accepted_and_said() -> None:
    assert _said(ELASTIC) == []
    never = "training job pretrain never has all of its"
    assert _said(TWO_TEAMS, put(f"{TRAIN}/min_nodes", 2)) == [
        f"{never} 3 members: the queue of team vision has room for 2; write nodes: 2 at workloads.training.pretrain, "
        "unless there will be more"
    ]
    (found,) = _said(ELASTIC, put(f"{TRAIN}/nodes", 8), put("openshift/teams/research/gpus", 40))
    assert found.startswith(f"{never} 8 members: ") and "write nodes: " in found
