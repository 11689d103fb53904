"""GPUs of a server that are divided in different ways: what no MIG manager could bring about, and sums of the rest."""

from collections.abc import Callable
from typing import Any

from tests.model.changes import LAB, Said, both, drop, put

POOL, CHAT, TEAM = "pools/inference", "workloads/inference/chat", "openshift/teams/chat"
AT = "pools.inference.mig_gpus"


def divided(*groups: dict[str, Any]) -> Callable[[Said], None]:
    return both(drop(f"{POOL}/mig"), put(f"{POOL}/mig_gpus", list(groups)))


def one(**slices: int) -> Callable[[Said], None]:
    """All eight GPUs alike, by profiles whose dots and signs a keyword cannot have."""
    return divided(
        {"count": 8, "slices": {name.replace("_", ".").lstrip("p"): count for name, count in slices.items()}}
    )


SOME = ({"count": 4, "slices": {"1g.18gb": 3, "3g.71gb": 1}}, {"count": 1, "slices": {"1g.18gb": 7}}, {"count": 3})
"""19 slices 1g.18gb, 4 slices 3g.71gb and 3 GPUs that stay whole."""
TAKEN = divided(*SOME)

CASES = [
    (
        LAB,
        put(f"{POOL}/mig_gpus", [{"count": 8, "slices": {"1g.18gb": 7}}]),
        AT,
        "`mig` divides every GPU as all-1g.18gb",
    ),
    (LAB, divided({"count": 4, "slices": {"1g.18gb": 7}}), AT, "the groups have 4 GPUs, and inf-01 8"),
    (LAB, divided({"count": 9, "slices": {"1g.18gb": 7}}), AT, "the groups have 9 GPUs, and inf-01 8"),
    (LAB, one(p1g_10gb=7), f"{AT}[0].slices.1g.10gb", "NVIDIA-H200-NVL has no MIG profile 1g.10gb"),
    (
        LAB,
        one(p3g_71gb=2, p1g_18gb=1),
        f"{AT}[0].slices",
        "one NVIDIA-H200-NVL has no place for 2 x 3g.71gb and 1 x 1g.18gb: they take 9 memory slices of 8",
    ),
    (LAB, one(p4g_71gb=2), f"{AT}[0].slices", "they take 8 compute slices of 7"),
    (LAB, divided({"count": 8, "slices": {"1g.18gb+me": 2}}), f"{AT}[0].slices", "its media engines go to one slice"),
    (
        LAB,
        one(p4g_71gb=1, p2g_35gb=1, p1g_35gb=1),
        "workloads.inference.chat.slice",
        "pool inference has no slices 1g.18gb",
    ),
    (
        LAB,
        both(
            divided({"count": 8, "slices": {"1g.18gb": 7}}),
            put("servers/inf-01/gpus", "NVIDIA-L40S"),
            drop("workloads/inference"),
            put(TEAM, {}),
        ),
        AT,
        "NVIDIA-L40S has no MIG",
    ),
    (LAB, divided({"count": 8}), AT, "no group has slices, so that every GPU stays whole"),
    (
        LAB,
        both(TAKEN, put(f"{TEAM}/slices", {"1g.18gb": 20})),
        "openshift.teams.chat.slices.1g.18gb",
        "all pools have 19",
    ),
    (
        LAB,
        both(TAKEN, put(f"{CHAT}/replicas", 20), put(f"{TEAM}/slices", {"1g.18gb": 19})),
        "workloads.inference.chat.replicas",
        "pool inference has 19 x 1g.18gb, its services ask for 20",
    ),
    (
        LAB,
        both(TAKEN, put(f"{CHAT}/slice", None), put(f"{CHAT}/replicas", 4), put(TEAM, {"gpus": 4})),
        "workloads.inference.chat.replicas",
        "pool inference has 3 x GPUs, its services ask for 4",
    ),
    (
        LAB,
        both(one(p1g_18gb=7), put(f"{CHAT}/slice", None), put(TEAM, {"gpus": 4})),
        "workloads.inference.chat.pool",
        "asks for whole GPUs, pool inference cuts them into 1g.18gb",
    ),
    (
        LAB,
        both(TAKEN, put(f"{POOL}/sharing", {"mode": "mps", "replicas": 2}), put(TEAM, {"shares": {"1g.18gb": 9}})),
        "pools.inference.sharing.mode",
        "this pool divides them by `mig_gpus`",
    ),
    (
        LAB,
        both(
            TAKEN,
            put(f"{POOL}/sharing", {"mode": "time-slicing", "replicas": 2}),
            put(TEAM, {"shares": {"1g.18gb": 39, "gpu": 6}}),
        ),
        "openshift.teams.chat.shares.1g.18gb",
        "a quota of 39 shares, where all pools have 38",
    ),
    (
        LAB,
        both(TAKEN, put("workloads/training/pretrain/pool", "inference")),
        "workloads.training.pretrain.pool",
        "takes whole ones",
    ),
]
