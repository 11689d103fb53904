"""Workloads of a pool that are all right by themselves, and of which some would wait for ever beside the others."""

from collections.abc import Callable
from typing import Any

from tests.model.changes import LAB, PROD, Said, both, drop, put
from tests.model.queue_cases import CASES as QUEUES
from tests.model.queue_limit_cases import CASES as QUEUE_LIMITS
from tests.model.queue_pool_cases import CASES as QUEUE_POOLS

TRAIN, CHAT = "workloads/training/pretrain", "workloads/inference/chat"
NVL = "servers/inf-01"
ANOTHER: dict[str, Any] = {**LAB["workloads"]["training"]["pretrain"], "nodes": 4, "gpus": 8, "cpus": 65}
ROLE = {"pools": ["inference"], "smt": {"enabled": False, "reason": "one thread on each core"}}
SECOND = both(
    put("openshift/teams/research/gpus", 40), put("workloads/training/second", ANOTHER),
)  # fmt: skip
WHOLE = both(
    drop("pools/inference/mig"), drop("openshift/teams/chat/slices"), put("openshift/teams/chat/gpus", 8),
    drop(f"{CHAT}/slice"),
)  # fmt: skip
SMALL = both(
    put("compute", {"roles": {"plain": ROLE}}),
    put("pools/inference/hugepages_gib", 8), put(f"{CHAT}/hugepages_gib", 1), put(f"{CHAT}/replicas", 1),
    put(f"{CHAT}/cpus", 121),
)  # fmt: skip
ALIGNED = both(
    put("compute", {"roles": {"plain": ROLE}}), put("pools/inference/numa", {"policy": "best-effort"}),
    put(f"{CHAT}/replicas", 1), put(f"{CHAT}/cpus", 121),
)  # fmt: skip

PLACEMENT: list[tuple[Said, Callable[[Said], None], str, str]] = [
    # a rail's one function on a server is one member's, however few GPUs that takes
    (LAB, SECOND, "workloads.training.second.nodes", "1 function of each of its rails, the most left on one is 0"),
    # a replica takes all its GPUs of one server
    (
        LAB,
        both(WHOLE, put(f"{NVL}/gpu_count", 8), put(f"{CHAT}/gpus", 3), put(f"{CHAT}/replicas", 2),
             put("servers/inf-02", {**LAB["servers"]["inf-01"], "index": 22, "serial": "WZP00000010", "gpu_count": 4,
                                    "address": "192.0.2.152", "boot_mac": "02:00:00:00:03:02", "bmc": "192.0.2.122"}),
             put(f"{CHAT}/replicas", 4), put("openshift/teams/chat/gpus", 12)),
        "workloads.inference.chat.replicas",
        "3 of 4 replicas find a server of pool inference: each takes 3 GPUs, the most left on one is 2",
    ),
    # what is short need not be a GPU
    (LAB, put(f"{CHAT}/memory_gib", 500), "workloads.inference.chat.replicas", "the most left on one is 34"),
    (LAB, put(f"{CHAT}/cpus", 80), "workloads.inference.chat.replicas", "80 processors, the most left on one is 15"),
    (
        LAB, both(put(f"{CHAT}/replicas", 1), put(f"{CHAT}/cpus", 128), put("servers/inf-01/cores", 64)),
        "workloads.inference.chat.cpus", "128 processors asked, pool inference has servers with 128, two to a core",
    ),
    (LAB, SMALL, "workloads.inference.chat.replicas", "121 processors, the most left on one is 120"),
    (LAB, ALIGNED, "workloads.inference.chat.replicas", "121 processors, the most left on one is 120"),
    # small replicas are spread, and leave no server to a large one
    (
        PROD,
        both(put("pools/inference/mig", "all-3g.47gb"), put(f"{CHAT}/slice", "3g.47gb"), put(f"{CHAT}/replicas", 3),
             put("workloads/inference/embed/slice", "3g.47gb"), put("workloads/inference/embed/gpus", 4),
             put("workloads/inference/embed/replicas", 2),
             put("openshift/teams/chat/slices", {"3g.47gb": 4}), put("openshift/teams/search/slices", {"3g.47gb": 8})),
        "workloads.inference.embed.replicas",
        "0 of 2 replicas find a server of pool inference beside chat: each takes 4 3g.47gb, the most left on one is 3",
    ),
    *QUEUES,
    *QUEUE_LIMITS,
    *QUEUE_POOLS,
]  # fmt: skip
