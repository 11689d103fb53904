"""Members of a training job meet, whatever starts their processes: planned commands run, with their planned variables,
under stand-ins of the launchers that print what they would do."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from podwright.lab.openshift.scripts import variables
from tests.design import whole
from tests.launchers import accelerate, torchrun
from tests.model.changes import LAB, both, put
from tests.model.test_sections import cluster as stack

INDEX = "batch.kubernetes.io/job-completion-index"
JOB = "workloads/training/pretrain"
ENDPOINT = "pretrain-0.pretrain.research.svc:29500"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PATH with the launchers as programs, in which torch.distributed.run is a module too."""
    folder = tmp_path_factory.mktemp("programs")
    package = folder / "torch" / "distributed"
    package.mkdir(parents=True)
    (package / "run.py").write_text(Path(torchrun.__file__).read_text())
    own = (("torchrun", f"{torchrun.__file__} "), ("accelerate", f"{accelerate.__file__} "))
    for name, file in own:
        shift = "shift\n" if name == "accelerate" else ""
        (folder / name).write_text(f'#!/bin/sh\n{shift}exec {sys.executable} {file}"$@"\n')
        (folder / name).chmod(0o755)
    (folder / "python").symlink_to(sys.executable)
    return folder


def container(**changes: Any) -> dict[str, Any]:
    """The planned container of the lab's job of two members."""
    said = stack(LAB, both(*(put(f"{JOB}/{key}", value) for key, value in changes.items())))
    (job,) = (each for each in whole.workloads(said) if each["kind"] == "Job")
    (found,) = job["spec"]["template"]["spec"]["containers"]
    assert isinstance(found, dict)
    return found


def environment(box: dict[str, Any], member: int) -> dict[str, str]:
    pod = {"metadata": {"name": f"pretrain-{member}", "namespace": "research", "annotations": {INDEX: str(member)}}}
    return variables.environment({**pod, "spec": {}}, box)


def met(programs: Path, command: list[str], **changes: Any) -> list[dict[str, Any]]:
    """What each of the two members prints."""
    box = container(command=command, **changes)
    found = []
    for member in (0, 1):
        own = environment(box, member)
        words = [variables.expanded(word, own) for word in box["command"]]
        words[0] = words[0].replace("/opt/conda/bin", str(programs))
        known = {"PATH": f"{programs}:/usr/bin:/bin", "PYTHONPATH": str(programs), **own}
        ran = subprocess.run(words, env=known, capture_output=True, text=True, check=True)
        found.append(json.loads(ran.stdout))
    return found


TORCH = [
    ["torchrun", "train.py", "--lr", "1"],
    ["/opt/conda/bin/torchrun", "train.py", "--lr", "1"],
    ["python", "-m", "torch.distributed.run", "train.py", "--lr", "1"],
    ["bash", "-c", "torchrun train.py --lr 1"],
    ["sh", "-c", "cd / && exec torchrun --max-restarts 0 train.py --lr 1"],
    # As LLaMA-Factory starts it: the rest is still torch's own environment.
    ["sh", "-c", "torchrun --nnodes $NNODES --node_rank $NODE_RANK --nproc_per_node $NPROC_PER_NODE "
     "--master_addr $MASTER_ADDR --master_port $MASTER_PORT train.py --lr 1"],
]  # fmt: skip


@pytest.mark.parametrize("command", TORCH, ids=shlex.join)
def test_torchrun_meets_wherever_it_stands_in_a_command(programs: Path, command: list[str]) -> None:
    one, two = met(programs, command)
    assert one == two == {
        "members": [2, 2], "processes": 8, "backend": "c10d", "endpoint": ENDPOINT, "id": "research-pretrain",
        "restarts": 0, "member": None, "program": ["train.py", "--lr", "1"],
    }  # fmt: skip


@pytest.mark.parametrize("command", [
    ["accelerate", "launch", "--use_fsdp", "train.py"],
    ["bash", "-c", "accelerate launch --num_machines $NNODES --machine_rank $NODE_RANK --main_process_ip $MASTER_ADDR "
     "--main_process_port $MASTER_PORT --num_processes $((NNODES * NPROC_PER_NODE)) train.py"],
], ids=shlex.join)  # fmt: skip
def test_accelerate_meets_by_its_own_options(programs: Path, command: list[str]) -> None:
    found = met(programs, command)
    assert [each.pop("member") for each in found] == [0, 1]
    assert found[0] == found[1] == {
        "members": [2, 2], "processes": 8, "backend": "static", "endpoint": ENDPOINT, "id": "none",
        "restarts": 0, "program": ["train.py"],
    }  # fmt: skip


@pytest.mark.parametrize("command", [*TORCH[:4], ["accelerate", "launch", "train.py"]], ids=shlex.join)
def test_the_launcher_restarts_as_often_as_the_file_has_it(programs: Path, command: list[str]) -> None:
    assert [each["restarts"] for each in met(programs, command, restarts=4)] == [4, 4]
    assert [each["restarts"] for each in met(programs, command)] == [0, 0]


@pytest.mark.parametrize("command", [["torchrun", "t.py"], ["bash", "-c", "torchrun t.py"],
                                     ["accelerate", "launch", "t.py"]])  # fmt: skip
def test_a_command_with_a_rendezvous_of_its_own_gets_nothing(command: list[str]) -> None:
    plain = container(rendezvous="own", command=command)
    assert plain["command"] == command
    assert {each["name"] for each in plain["env"]} == {each["name"] for each in container()["env"]}


def test_torchrun_as_the_first_word_has_arguments_alone() -> None:
    """A job's pods cannot change: one that runs since before there were variables would start anew."""
    assert not [each for each in container()["env"] if not each["name"].startswith("NCCL_")]


def test_ranks_of_processes_are_given_where_a_member_has_one_alone() -> None:
    several, one = (container(command=["python", "own.py"], gpus=count) for count in (8, 1))
    assert several["command"] == ["python", "own.py"]
    known = [environment(one, member) for member in (0, 1)]
    ranks = [(each["RANK"], each["WORLD_SIZE"], each["LOCAL_RANK"]) for each in known]
    assert ranks == [("0", "2", "0"), ("1", "2", "0")]
    assert [environment(several, member)["NODE_RANK"] for member in (0, 1)] == ["0", "1"]
    assert not {"RANK", "WORLD_SIZE", "LOCAL_RANK"} & {each["name"] for each in several["env"]}


def test_exit_codes_that_end_a_job_come_after_drains() -> None:
    said = stack(LAB, put(f"{JOB}/give_up_on", [127, 2]))
    (job,) = (each for each in whole.workloads(said) if each["kind"] == "Job")
    first, second = job["spec"]["podFailurePolicy"]["rules"]
    assert first["action"] == "Ignore"
    assert second == {
        "action": "FailJob",
        "onExitCodes": {"containerName": "train", "operator": "In", "values": [2, 127]},
    }
