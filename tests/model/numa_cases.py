"""Pods that no server of their pool could align with its NUMA nodes."""

from typing import Any

from tests.model.changes import LAB, PROD, both, put

TRAIN, CHAT = "workloads/training/pretrain", "workloads/inference/chat"


def _numa(pool: str, policy: str, *more: Any) -> Any:
    return both(put(f"pools/{pool}/numa", {"policy": policy}), *more)


OFF_RAILS = (put("pools/training/rails", False), put(f"{TRAIN}/nodes", 5), put("openshift/teams/research/gpus", 40))
NUMA = [
    (LAB, _numa("training", "single-numa-node"), "workloads.training.pretrain.pool", "has on 2 NUMA nodes"),
    (PROD, _numa("training", "restricted"), "workloads.training.pretrain.pool", "pool training has restricted"),
    (
        LAB,
        _numa("training", "single-numa-node", *OFF_RAILS),
        "workloads.training.pretrain.gpus",
        "8 GPUs asked, of which there are 4 on one NUMA node of gpu-01",
    ),
    (
        LAB,
        _numa("training", "restricted", *OFF_RAILS),
        "workloads.training.pretrain.gpus",
        "while cpus 64 needs 1 of them where this needs 2: pool training has restricted",
    ),
    (
        LAB,
        _numa("inference", "single-numa-node", put(f"{CHAT}/memory_gib", 769)),
        "workloads.inference.chat.memory_gib",
        "769 GiB of memory asked, of which there are 768 on one NUMA node of inf-01",
    ),
    (
        LAB,
        _numa("inference", "single-numa-node", put(f"{CHAT}/cpus", 5)),
        "workloads.inference.chat.cpus",
        "5 processors are half a core more than whole ones on inf-01",
    ),
    (
        LAB,
        _numa("inference", "single-numa-node", put(f"{CHAT}/cpus", 1)),
        "workloads.inference.chat.cpus",
        "1 processor is half a core on inf-01",
    ),
]
