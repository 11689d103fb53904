"""Stores at which members of a training job meet that are of no use to it, or that go with one of its members."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, put
from tests.model.queue_cases import TRAIN

STORE = both(put(f"{TRAIN}/rendezvous_store", {"pool": "inference"}), put(f"{TRAIN}/restarts", 20))
AT = f"{TRAIN.replace('/', '.')}.rendezvous_store"
SERVICE = {**next(iter(LAB["workloads"]["inference"].values())), "replicas": 1, "team": "research"}

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (LAB, both(STORE, put(f"{TRAIN}/restarts", 0)), AT, "a launcher that never starts its processes again"),
    (LAB, put(f"{TRAIN}/rendezvous_store", {"pool": "inference"}), AT, "a launcher that never starts its processes"),
    (LAB, both(STORE, put(f"{TRAIN}/kind", "jobset")), AT, "all members of a jobset are made again when one goes"),
    (LAB, both(STORE, put(f"{TRAIN}/kind", "trainjob")), AT, "all members of a trainjob are made again when one goes"),
    (LAB, both(STORE, put(f"{TRAIN}/nodes", 1)), AT, "the job has one member, which meets nobody"),
    (LAB, both(STORE, put(f"{TRAIN}/rendezvous", "own")), AT, "where members meet stands in the command"),
    (
        LAB,
        both(STORE, put(f"{TRAIN}/command", ["accelerate", "launch", "t.py"])),
        AT,
        "members that are started by `accelerate launch` meet at member 0",
    ),
    *(
        (
            LAB,
            both(STORE, put(f"{TRAIN}/command", ["torchrun", f"--{option}=here", "t.py"])),
            AT,
            f"members meet where --{option} of the command says",
        )
        for option in ("rdzv-backend", "rdzv-endpoint", "rdzv-id", "rdzv-conf")
    ),
    (LAB, both(STORE, put(f"{TRAIN}/command", ["torchrun", "--standalone", "t.py"])), AT, "where --standalone of the"),
    (
        LAB,
        both(STORE, put(f"{TRAIN}/rendezvous_store/pool", "training")),
        f"{AT}.pool",
        "pool training is for training",
    ),
    (LAB, both(STORE, put(f"{TRAIN}/rendezvous_store/pool", "nowhere")), f"{AT}.pool", 'there is no pool "nowhere"'),
    (
        LAB,
        both(STORE, put("pools/plain", {"purpose": "cpu"}), put(f"{TRAIN}/rendezvous_store/pool", "plain")),
        f"{AT}.pool",
        "pool plain has no servers",
    ),
    (
        LAB,
        both(STORE, put("pools/apart", {"purpose": "infrastructure"}), put(f"{TRAIN}/rendezvous_store/pool", "apart")),
        f"{AT}.pool",
        "pool apart is for infrastructure",
    ),
    (
        LAB,
        both(STORE, put("workloads/inference/pretrain-rendezvous", SERVICE)),
        AT,
        "its objects are called pretrain-rendezvous, as those of service pretrain-rendezvous of the same team",
    ),
]
"""Stack, change, where, what is said."""
