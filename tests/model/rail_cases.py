"""Jobs on rails that are not those of one NUMA node, with GPUs beside others, or in a pool that aligns nothing."""

from typing import Any

from tests.model.changes import LAB, PROD, both, put

TRAIN, JOB = "workloads/training/pretrain", "workloads.training.pretrain"
STRICT = put("pools/training/numa", {"policy": "restricted"})


ALL_FIVE = (put(f"{TRAIN}/nodes", 5), put("openshift/teams/research/gpus", 40))


def half(rails: list[int], gpus: int = 4, *more: Any) -> Any:
    return both(STRICT, put(f"{TRAIN}/rails", rails), put(f"{TRAIN}/gpus", gpus), *more)


def second(rails: list[int]) -> Any:
    """Another job of the same size on other rails, or the same."""

    def change(stack: dict[str, Any]) -> None:
        jobs = stack["workloads"]["training"]
        jobs["second"] = {**jobs["pretrain"], "rails": rails}

    return change


RAILS = [
    (PROD, half([0, 1]), f"{JOB}.rails", "0, 1 are not the rails of one NUMA node of gpu-01"),
    (PROD, half([2, 3, 4, 5]), f"{JOB}.rails", "2, 3, 4, 5 are not the rails of one NUMA node of gpu-01"),
    (LAB, half([0, 1, 2, 3, 4, 5, 6, 7], 8), f"{JOB}.rails", "are not the rails of one NUMA node of gpu-01"),
    (PROD, half([3, 2, 1, 0, 0]), f"{JOB}.rails", "a rail stands twice in 3, 2, 1, 0, 0"),
    (PROD, half([0, 1, 2, 3], 8), f"{JOB}.gpus", "8 GPUs per server asked, 4 of gpu-01 are beside rails 0, 1, 2, 3"),
    (PROD, half([4, 5, 6, 7], 2), f"{JOB}.gpus", "2 GPUs per server asked, 4 of gpu-01 are beside rails 4, 5, 6, 7"),
    (PROD, half([0, 1, 2, 3], 4, put("pools/training/numa", None)), f"{JOB}.rails", "pool training has no numa"),
    (
        PROD,
        half([0, 1, 2, 3], 4, put("pools/training/numa", {"policy": "best-effort"})),
        f"{JOB}.rails",
        "pool training has numa.policy best-effort: kubelet would give GPUs from anywhere",
    ),
    (
        LAB,
        half([0, 1, 2, 3], 4, put("pools/training/rails", False), put(f"{TRAIN}/nodes", 1)),
        f"{JOB}.rails",
        "pool training has no rails",
    ),
    (
        LAB,
        half([0, 1, 2, 3], 4, put(f"{TRAIN}/nodes", 3), second([0, 1, 2, 3])),
        "workloads.training.second.nodes",
        "1 function of each of its rails, the most left on one is 0",
    ),
]

LAWFUL = [half([0, 1, 2, 3]), half([7, 6, 5, 4]), half([0, 1, 2, 3], 4, *ALL_FIVE, second([4, 5, 6, 7]))]
