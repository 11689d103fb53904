"""Queues of training jobs that Kueue would not take, or whose jobs would wait for ever."""

from collections.abc import Callable
from typing import Any

from tests.model.changes import LAB, Said, both, drop, put

QUEUES = "openshift/queues"
TRAIN = "workloads/training/pretrain"
SECOND: dict[str, Any] = {**LAB["workloads"]["training"]["pretrain"], "nodes": 3, "gpus": 8}
QUEUED = both(put(QUEUES, {"pool": "training"}), put("openshift/teams/research/gpus", 24))
TWO_TEAMS = both(QUEUED, put("openshift/teams/vision", {"gpus": 16}), put(f"{TRAIN}/team", "vision"),
                 put(f"{TRAIN}/nodes", 3), put(f"{TRAIN}/gpus", 8))  # fmt: skip
AT_ONCE = both(put("openshift/teams/research/gpus", 40), put(TRAIN, SECOND), put("workloads/training/second", SECOND))
"""Two jobs of three servers each, and there are five."""
IN_TURN = both(AT_ONCE, put(QUEUES, {"pool": "training"}))

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (LAB, put(QUEUES, {"pool": "nowhere"}), "openshift.queues.pool", 'no pool "nowhere"'),
    (LAB, put(QUEUES, {"pool": "inference"}), "openshift.queues.pool", "pool inference is for inference"),
    (
        LAB,
        both(
            put(QUEUES, {"pool": "training"}),
            drop("workloads/training"),
            put("pools/training/sharing", {"mode": "time-slicing", "replicas": 2, "reason": "one team is on it"}),
        ),
        "openshift.queues.pool",
        "pool training has `sharing`, and queues count whole GPUs",
    ),
    (
        LAB,
        both(QUEUED, drop("operators"), drop("acceptance"), drop("workloads")),
        "openshift.queues",
        "Kueue is one of the operators",
    ),
    # what all queues have is there
    (
        LAB,
        both(QUEUED, put("openshift/teams/vision", {"gpus": 24})),
        "openshift.teams.research.gpus",
        "queues of 48 GPUs (research 24 + vision 24) on pool training, which has 40",
    ),
    # a job is admitted whole
    (
        LAB,
        TWO_TEAMS,
        f"{TRAIN.replace('/', '.')}.nodes",
        "24 GPUs asked, on 3 servers, the queue of team vision has 16",
    ),
    (
        LAB,
        both(TWO_TEAMS, put(f"{QUEUES}/borrow", True), put("openshift/teams/research/gpus", 5)),
        f"{TRAIN.replace('/', '.')}.nodes",
        "24 GPUs asked, on 3 servers, all queues of pool training have 21",
    ),
    # nothing stops a job whole beside the queues
    (LAB, put(f"{TRAIN}/priority", "batch"), f"{TRAIN.replace('/', '.')}.priority", "nothing stops a job whole"),
    # Kueue knows no anti-affinity
    (
        LAB,
        both(QUEUED, drop("pools/training/rails"), put(f"{TRAIN}/gpus", 4)),
        f"{TRAIN.replace('/', '.')}.gpus",
        "pool training has servers with 8: two members would share one",
    ),
]
