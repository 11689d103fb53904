"""MIG slices in queues: profiles that no pool offers, more of them than there are, and what namespaces do not take."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, drop, put
from tests.model.queue_cases import QUEUES

CUT = both(
    put("pools/tuning", {"purpose": "training", "rails": False, "mig": "all-1g.18gb"}),
    put("servers/gpu-04/pool", "tuning"),
    put("servers/gpu-05/pool", "tuning"),
    put("openshift/teams/research/gpus", 24),
    put("openshift/teams/research/slices", {"1g.18gb": 60}),
    put("openshift/teams/vision", {"slices": {"1g.18gb": 52}}),
    put(QUEUES, {
        "pools": ["training", "tuning"],
        "teams": {"research": {"nominal": {"training": 24}, "slices": {"tuning": {"1g.18gb": 60}}},
                  "vision": {"slices": {"tuning": {"1g.18gb": 52}}}},
    }),
)  # fmt: skip
"""Three servers of whole GPUs, and two of 56 slices each, in the queues of two teams."""
TEAMS, AT = f"{QUEUES}/teams", "openshift.queues.teams"

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (
        LAB,
        both(CUT, drop(f"{TEAMS}/research/slices"), drop(f"{TEAMS}/vision")),
        "openshift.queues.pools[1]",
        "pool tuning has `mig`, and no team has slices of it in a queue",
    ),
    (
        LAB,
        both(CUT, put(f"{TEAMS}/vision/slices", {"inference": {"1g.18gb": 1}})),
        f"{AT}.vision.slices.inference",
        "jobs on pool inference wait in no queue",
    ),
    (
        LAB,
        both(CUT, put(f"{TEAMS}/vision/slices", {"tuning": {"2g.35gb": 1}})),
        f"{AT}.vision.slices.tuning.2g.35gb",
        "pool tuning has no slices 2g.35gb",
    ),
    (
        LAB,
        both(CUT, put(f"{TEAMS}/vision/slices", {"training": {"1g.18gb": 1}})),
        f"{AT}.vision.slices.training.1g.18gb",
        "pool training has no slices 1g.18gb",
    ),
    (
        LAB,
        both(CUT, put(f"{TEAMS}/vision/slices/tuning", {"1g.18gb": 53}),
             put("openshift/teams/vision/slices", {"1g.18gb": 53})),
        f"{AT}.research.slices.tuning.1g.18gb",
        "queues of 113 slices 1g.18gb (research 60 + vision 53) on pool tuning, which has 112",
    ),
    (
        LAB,
        both(CUT, put("openshift/teams/vision/slices", {"1g.18gb": 40})),
        f"{AT}.vision.slices",
        "queues of 52 slices 1g.18gb, and the namespace of team vision has 40 for them",
    ),
]  # fmt: skip
"""Stack, change, where, what is said."""
