"""Queues of several pools: which GPUs of a team are of which, and what no file may have of them."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, drop, put
from tests.model.queue_cases import QUEUES, SECOND, TRAIN

TUNED = both(
    put("pools/tuning", {"purpose": "training", "rails": False}),
    put("servers/gpu-04/pool", "tuning"),
    put("servers/gpu-05/pool", "tuning"),
    put("openshift/teams/research/gpus", 24),
    put("openshift/teams/vision", {"gpus": 16}),
    put("workloads/training/tune", {**SECOND, "team": "vision", "pool": "tuning", "nodes": 1}),
)
"""Three servers of pool training on rails, two of pool tuning off them, and a job of a second team on these."""
SEVERAL = both(
    TUNED,
    put(QUEUES, {
        "pools": ["training", "tuning"],
        "teams": {"research": {"nominal": {"training": 16, "tuning": 8}},
                  "vision": {"nominal": {"training": 8, "tuning": 8}}},
    }),
)  # fmt: skip
TEAMS = "openshift.queues.teams"

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (LAB, both(SEVERAL, put(f"{QUEUES}/pool", "training")), "openshift.queues.pool", "`pools` names training, tuning"),
    (LAB, put(QUEUES, {"borrow": True}), "openshift.queues", "no pool has queues"),
    (LAB, put(QUEUES, {"pools": ["training", "training"]}), "openshift.queues.pools[1]", "training is named twice"),
    (LAB, put(QUEUES, {"pools": ["training", "nowhere"]}), "openshift.queues.pools[1]", 'no pool "nowhere"'),
    (LAB, put(QUEUES, {"pools": ["training", "inference"]}), "openshift.queues.pools[1]", "is for inference"),
    (LAB, both(SEVERAL, put(f"{QUEUES}/teams/visoin", {})), f"{TEAMS}.visoin", 'there is no team "visoin"'),
    (
        LAB,
        both(SEVERAL, put(f"{QUEUES}/teams/vision/nominal/inference", 1)),
        f"{TEAMS}.vision.nominal.inference",
        "jobs on pool inference wait in no queue",
    ),
    (
        LAB,
        both(
            put("pools/default", {"purpose": "training", "rails": False}),
            put("servers/gpu-04/pool", "default"),
            put("servers/gpu-05/pool", "default"),
            put(QUEUES, {"pools": ["training", "default"]}),
        ),
        "openshift.queues.pools[1]",
        "Kueue puts every job that names no queue into the one of its namespace that is called default",
    ),
    # which pool a team's GPUs are of is its own to say
    (
        LAB,
        both(SEVERAL, drop(f"{QUEUES}/teams/vision"), drop("workloads/training/tune")),
        "openshift.teams.vision.gpus",
        "of which of them the 16 GPUs of team vision are is not given",
    ),
    # its namespace takes no more than its own
    (
        LAB,
        both(SEVERAL, put("openshift/teams/vision/gpus", 12)),
        f"{TEAMS}.vision.nominal",
        "queues of 16 GPUs, and the namespace of team vision has 12 for them",
    ),
    (
        LAB,
        both(TUNED, put(QUEUES, {"pool": "training"}), put("openshift/teams/vision/gpus", 8),
             put("workloads/training/pretrain/team", "vision"), put("workloads/training/pretrain/nodes", 1)),
        f"{TRAIN.replace('/', '.')}.nodes",
        "8 GPUs asked, on 1 server, the queue of team vision has 0",
    ),
    (
        LAB,
        both(TUNED, put(QUEUES, {"pool": "training", "teams": {"vision": {"nominal": {"training": 12}}}})),
        f"{TEAMS}.vision.nominal",
        "has 8 for them (8 of its 16 are for services and jobs in no queue)",
    ),
    # what all queues have of a pool is there
    (
        LAB,
        both(SEVERAL, put("openshift/teams/research/gpus", 40), put(f"{QUEUES}/teams/research/nominal/tuning", 24)),
        f"{TEAMS}.research.nominal.tuning",
        "queues of 32 GPUs (research 24 + vision 8) on pool tuning, which has 16",
    ),
    # a job on a pool that its team has nothing of, and one that is larger than its team's part of the pool
    (
        LAB,
        both(SEVERAL, drop(f"{QUEUES}/teams/vision/nominal/tuning")),
        "workloads.training.tune.pool",
        "the queue of team vision has nothing of pool tuning",
    ),
    (
        LAB,
        both(SEVERAL, put("workloads/training/tune/nodes", 2)),
        "workloads.training.tune.nodes",
        "16 GPUs asked, on 2 servers, the queue of team vision has 8",
    ),
    # Kueue knows no anti-affinity, on the second pool either
    (
        LAB,
        both(SEVERAL, put("workloads/training/tune/gpus", 4), put("workloads/training/tune/nodes", 2)),
        "workloads.training.tune.gpus",
        "pool tuning has servers with 8: two members would share one",
    ),
    (
        LAB,
        both(TUNED, put(QUEUES, {"pool": "training"}), put(f"{TRAIN}/pool", "tuning"), put(f"{TRAIN}/nodes", 1),
             put(f"{TRAIN}/priority", "batch")),
        f"{TRAIN.replace('/', '.')}.priority",
        "jobs on pool tuning wait in no queue",
    ),
]  # fmt: skip
