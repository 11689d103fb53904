"""Training jobs that nobody starts with fewer members, or whose program takes no fewer."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, put
from tests.model.queue_cases import QUEUED, TRAIN, TWO_TEAMS

FEWER = put(f"{TRAIN}/min_nodes", 2)
ELASTIC = both(QUEUED, put(f"{TRAIN}/nodes", 3), FEWER)
"""Two to three servers, in a queue of three."""
AT = f"{TRAIN.replace('/', '.')}.min_nodes"
_FIXED = "is started with a number of members that is fixed"

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (
        LAB,
        both(put(f"{TRAIN}/nodes", 3), FEWER),
        AT,
        "in no queue, and without one nobody starts a job with fewer",
    ),
    (LAB, both(QUEUED, FEWER), AT, "2 servers at least, and the job has 2 servers"),
    (LAB, both(QUEUED, put(f"{TRAIN}/nodes", 1), FEWER), AT, "2 servers at least, and the job has 1 server"),
    (LAB, both(ELASTIC, put(f"{TRAIN}/kind", "jobset")), AT, "a Job with fewer members than it has, and no JobSet"),
    (LAB, both(ELASTIC, put(f"{TRAIN}/kind", "trainjob")), AT, "a Job with fewer members than it has, and no TrainJob"),
    (LAB, both(ELASTIC, put(f"{TRAIN}/command", ["python", "train.py"])), AT, f"`python train.py` {_FIXED}"),
    (LAB, both(ELASTIC, put(f"{TRAIN}/command", ["bash", "-c", "torchrun t.py"])), AT, f"`bash -c` {_FIXED}"),
    (
        LAB,
        both(ELASTIC, put(f"{TRAIN}/command", ["accelerate", "launch", "t.py"])),
        AT,
        f"`accelerate launch` {_FIXED}",
    ),
    (LAB, both(ELASTIC, put(f"{TRAIN}/rendezvous", "own")), AT, "stands in the command, whose rendezvous is its own"),
    (
        LAB,
        both(ELASTIC, put(f"{TRAIN}/command", ["torchrun", "--nnodes=3", "t.py"])),
        f"{TRAIN.replace('/', '.')}.command[1]",
        "members wait for 3 of them, and the job has 2 to 3",
    ),
    # what it starts with at least is there
    (
        LAB,
        both(TWO_TEAMS, put(f"{TRAIN}/nodes", 4), put(f"{TRAIN}/min_nodes", 3)),
        AT,
        "24 GPUs asked, on 3 servers, the queue of team vision has 16",
    ),
    (
        LAB,
        both(QUEUED, put(f"{TRAIN}/nodes", 8), put(f"{TRAIN}/min_nodes", 6)),
        AT,
        "6 servers asked, pool training has 5",
    ),
]
"""Stack, change, where, what is said."""
