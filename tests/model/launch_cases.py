"""Commands whose own options contradict their job, and exit codes that are there twice."""

from collections.abc import Callable
from typing import Any

from tests.model.changes import LAB, both, put

TRAIN, JOB = "workloads/training/pretrain", "workloads.training.pretrain"


def command(*words: str, **more: Any) -> Callable[[dict[str, Any]], None]:
    return both(put(f"{TRAIN}/command", list(words)), *(put(f"{TRAIN}/{key}", value) for key, value in more.items()))


RUN = ("python", "-u", "-m", "torch.distributed.run")
WAIT = "members wait for"

LAUNCHES = [
    (LAB, command("torchrun", "--nnodes=4", "t.py"), f"{JOB}.command[1]", f"{WAIT} 4 of them, and the job has 2"),
    (LAB, command(*RUN, "--nnodes", "1", "t.py"), f"{JOB}.command[4]", f"{WAIT} 1 of them, and the job has 2"),
    (LAB, command("torchrun", "--nnodes", "3:8", "t.py"), f"{JOB}.command[1]", "wait for 3 to 8 of them"),
    (LAB, command("accelerate", "launch", "--multi_gpu", "--num_machines=3", "t.py"), f"{JOB}.command[3]", f"{WAIT} 3"),
    (LAB, command("/opt/bin/torchrun", "--standalone", "t.py"), f"{JOB}.command[1]", "each of 2 members would wait"),
    (LAB, command(*RUN, "--rdzv_endpoint=localhost:29400", "t.py"), f"{JOB}.command[4]", "is another server"),
    (
        LAB,
        command("accelerate", "launch", "--main_process_ip", "127.0.0.1", "t.py"),
        f"{JOB}.command[2]",
        "127.0.0.1 is another server for each of 2 members",
    ),
    (
        LAB,
        command("torchrun", "--max-restarts=1", "t.py", restarts=3),
        f"{JOB}.command[1]",
        "--max-restarts is 1 here, and restarts is 3",
    ),
    (
        LAB,
        command("torchrun", "t.py", restarts=3, rendezvous="own"),
        f"{JOB}.restarts",
        "given `restarts` with the rendezvous, which is the command's own",
    ),
    (LAB, put(f"{TRAIN}/give_up_on", [2, 127, 2]), f"{JOB}.give_up_on[2]", "2 is in this list already"),
]  # fmt: skip

RIGHT = [
    command("torchrun", "--nnodes=2", "t.py"),
    command("torchrun", "--nnodes=1:4", "--max-restarts", "3", "t.py", restarts=3),
    command("torchrun", "t.py", "--nnodes=9", "--standalone"),
    command("torchrun", "--rdzv-conf", "--nnodes=9", "t.py"),
    command("torchrun", "--nnodes=$COUNT", "t.py"),
    command("torchrun", "-m", "own", "--nnodes=9"),
    command("torchrun", "--standalone", "t.py", nodes=1),
    command("torchrun", "--standalone", "t.py", rendezvous="own"),
    command("python", "t.py", "-m", "torch.distributed.run", "--nnodes=9"),
    command("bash", "-c", "torchrun --nnodes=9 t.py"),
    command("accelerate", "launch", "t.py", "--num_machines=9"),
    command("accelerate", "test", "--num_machines=9"),
]
"""Commands that may be right: of a script's own arguments, a shell's text and another server's nothing is known."""
