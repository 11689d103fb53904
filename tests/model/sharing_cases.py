"""GPUs that several pods share: who may, how many shares there are, what takes whole GPUs."""

from tests.model.changes import LAB, both, drop, put

POOL, CHAT = "pools/inference", "workloads/inference/chat"
SLICED = {"mode": "time-slicing", "replicas": 2}
SHARED = both(put(f"{POOL}/sharing", SLICED), put("openshift/teams/chat", {"shares": {"1g.18gb": 100}}))
WHOLE = both(
    drop(f"{POOL}/mig"), drop(f"{CHAT}/slice"), put(f"{POOL}/sharing", {"mode": "mps", "replicas": 4}),
    put("openshift/teams/chat", {"shares": {"gpu": 32}}),
)  # fmt: skip
SECOND = put("workloads/inference/second", {**LAB["workloads"]["inference"]["chat"], "team": "research", "slice": None})

CASES = [
    (LAB, put("pools/training/sharing", SLICED), "pools.training.sharing", "one RDMA device per rail beside their GPU"),
    (
        LAB,
        both(WHOLE, put("pools/inference/mig", "all-1g.18gb")),
        "pools.inference.sharing.mode",
        "MPS shares whole GPUs",
    ),
    (
        LAB,
        both(put("pools/cpu", {"purpose": "cpu", "sharing": SLICED}), put("servers/inf-01/pool", "cpu"),
             drop("servers/inf-01/gpus"), drop("workloads/inference"), drop("openshift/teams/chat/slices")),
        "pools.cpu.sharing",
        "no server of pool cpu has a GPU to share",
    ),
    (
        LAB,
        both(put("pools/training/sharing", SLICED), put("pools/training/rails", False)),
        "workloads.training.pretrain.pool",
        "a training job takes whole ones",
    ),
    (LAB, both(WHOLE, put(f"{CHAT}/gpus", 2)), "workloads.inference.chat.gpus", "2 shares asked"),
    (
        LAB,
        both(WHOLE, SECOND, put("openshift/teams/research/shares", {"gpu": 4})),
        "pools.inference.sharing.mode",
        "teams chat, research run here, and an MPS server serves pods of one team at a time",
    ),
    (
        LAB,
        both(WHOLE, SECOND, put("openshift/teams/research/shares", {"gpu": 4}),
             put(f"{POOL}/sharing", {"mode": "time-slicing", "replicas": 4})),
        "pools.inference.sharing",
        "keeps neither memory nor faults apart",
    ),
    (
        LAB,
        both(SHARED, put("openshift/teams/chat/shares", {"1g.18gb": 113})),
        "openshift.teams.chat.shares.1g.18gb",
        "a quota of 113 shares, where all pools have 112",
    ),
    (
        LAB,
        both(SHARED, put("openshift/teams/chat/shares", {"2g.35gb": 1})),
        "openshift.teams.chat.shares.2g.35gb",
        "no pool offers shares of 2g.35gb",
    ),
    (
        LAB,
        put("openshift/teams/chat/shares", {"gpu": 1}),
        "openshift.teams.chat.shares.gpu",
        "no pool offers shares of gpu",
    ),
    # a share is what a service counts against, and there are so many times more of them
    (
        LAB,
        both(SHARED, put(f"{CHAT}/replicas", 101)),
        "openshift.teams.chat.shares.1g.18gb",
        "chat runs 101 x shares.1g.18gb, its quota is 100",
    ),
]  # fmt: skip
