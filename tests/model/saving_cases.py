"""Checkpoints on a volume that is not mounted, read only, or another job's too."""

from typing import Any

from tests.model.changes import PROD, both, put

TRAIN, JOB = "workloads/training/pretrain", "workloads.training.pretrain"
CLAIM = "pretrain-checkpoints"
MOUNTED = put(f"{TRAIN}/volumes", {CLAIM: {"path": "/checkpoints", "sub_path": "runs"}})


def saving(**keys: Any) -> Any:
    return both(MOUNTED, put(f"{TRAIN}/checkpoints", {"volume": CLAIM, **keys}))


def second(**keys: Any) -> Any:
    """Another job of one server that saves to the same claim."""

    def change(said: dict[str, Any]) -> None:
        job = {**said["workloads"]["training"]["pretrain"], "nodes": 1, **keys}
        said["workloads"]["training"]["pretrain"]["nodes"] = 1
        said["workloads"]["training"]["second"] = job

    return change


SAVING = [
    (
        PROD,
        put(f"{TRAIN}/checkpoints", {"volume": CLAIM}),
        f"{JOB}.checkpoints.volume",
        f"the job does not mount claim {CLAIM}",
    ),
    (
        PROD,
        both(saving(), put(f"{TRAIN}/checkpoints/volume", "corpus")),
        f"{JOB}.checkpoints.volume",
        "the job does not mount claim corpus",
    ),
    (
        PROD,
        both(saving(), put(f"{TRAIN}/volumes/{CLAIM}/read_only", True)),
        f"{JOB}.checkpoints.volume",
        f"the job mounts claim {CLAIM} read only, and writes its checkpoints there",
    ),
    (
        PROD,
        saving(every_seconds=60, save_seconds=60),
        f"{JOB}.checkpoints.every_seconds",
        "a checkpoint every 60 s, and writing one may take 60 s",
    ),
    (
        PROD,
        both(saving(path="first"), second()),
        "workloads.training.second.checkpoints",
        f"job pretrain writes its checkpoints to /runs/first of claim {CLAIM} too",
    ),
    (
        PROD,
        both(saving(), second(volumes={CLAIM: {"path": "/out"}}, checkpoints={"volume": CLAIM, "path": "runs/second"})),
        "workloads.training.second.checkpoints",
        f"job pretrain writes its checkpoints to /runs of claim {CLAIM} too",
    ),
]

LAWFUL = [
    saving(),
    saving(every_seconds=61, every_steps=1, path="a/b", keep=1),
    both(saving(path="first"), second(checkpoints={"volume": CLAIM, "path": "second"})),
    both(saving(path="first"), second(checkpoints=None)),
]
