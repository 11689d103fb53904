"""What teams lend and borrow at most, and what no file may have of it."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, drop, put
from tests.model.queue_cases import QUEUES, SECOND

TEAMS = "openshift.queues.teams"
LENT = both(
    put("openshift/teams", {**LAB["openshift"]["teams"], "research": {"gpus": 24}, "vision": {"gpus": 16}}),
    put(QUEUES, {
        "pool": "training", "borrow": True, "fair_sharing": True,
        "teams": {"research": {"lend": {"training": 8}, "weight": 2}, "vision": {"borrow": {"training": 8}}},
    }),
    put("workloads/training/second", {**SECOND, "team": "vision"}),
)  # fmt: skip
"""Of 24 GPUs one team lends 8, and the other takes as many for a job of 24."""

NO_QUEUE = both(
    LENT,
    put("openshift/teams", {**LAB["openshift"]["teams"], "research": {"gpus": 40}, "vision": {"gpus": 0}}),
    put(f"{QUEUES}/teams", {}),
)
"""One team has every GPU of the pool and lends all of them."""

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (LAB, both(LENT, put(f"{QUEUES}/borrow", False)), "openshift.queues.fair_sharing", "no team borrows from another"),
    (
        LAB,
        both(LENT, drop(f"{QUEUES}/borrow"), drop(f"{QUEUES}/fair_sharing"), drop(f"{QUEUES}/teams/research")),
        f"{TEAMS}.vision.borrow",
        "no team borrows from another",
    ),
    (
        LAB,
        both(LENT, drop(f"{QUEUES}/fair_sharing")),
        f"{TEAMS}.research.weight",
        "nothing is shared out by weights",
    ),
    (
        LAB,
        both(LENT, put(f"{QUEUES}/teams/research/lend/training", 32)),
        f"{TEAMS}.research.lend.training",
        "32 GPUs lent, and 24 of pool training are its own",
    ),
    (
        LAB,
        both(LENT, put(f"{QUEUES}/teams/vision/borrow/training", 16)),
        f"{TEAMS}.vision.borrow.training",
        "up to 16 GPUs borrowed, and others lend 8 of pool training at most (research 8)",
    ),
    (
        LAB,
        both(LENT, put(f"{QUEUES}/teams/vision/borrow/inference", 8)),
        f"{TEAMS}.vision.borrow.inference",
        "the queue of team vision has nothing of pool inference",
    ),
    (
        LAB,
        both(LENT, put(f"{QUEUES}/teams/chat", {"lend": {"training": 1}})),
        f"{TEAMS}.chat.lend.training",
        "the queue of team chat has nothing of pool training",
    ),
    # beside a team that there is not
    (
        LAB,
        both(LENT, drop(f"{QUEUES}/borrow"), put(f"{QUEUES}/teams/visoin", {})),
        f"{TEAMS}.research.lend",
        "no team borrows from another",
    ),
    # a pinned operator whose Kueue is older than what is written
    (
        LAB,
        both(
            LENT, put("operators/pins", {"kueue-operator": {"channel": "stable-v1.2", "csv": "kueue-operator.v1.2.0"}})
        ),
        "operators.pins.kueue-operator.channel",
        "it brings Kueue 0.14, which does not serve the API of queues (v1beta2)",
    ),
    # a job no larger than what its team may have
    (
        LAB,
        both(LENT, put("workloads/training/second/nodes", 4)),
        "workloads.training.second.nodes",
        "32 GPUs asked, on 4 servers, team vision may have 24: 16 of its own, and 8 that others lend it",
    ),
    (
        LAB,
        both(LENT, put(f"{QUEUES}/teams/vision/borrow/training", 0)),
        "workloads.training.second.nodes",
        "team vision may have 16: 16 of its own, and 0 that others lend it",
    ),
    # a team that borrows by no queue of its own
    (
        LAB,
        NO_QUEUE,
        "workloads.training.second.pool",
        "team vision has no queue of pool training, by which it would borrow",
    ),
]
