"""Services that cannot scale as they are defined: metrics that nobody reads, numbers that leave no room."""

from tests.model.changes import PROD, both, put
from tests.model.engine_cases import NIM, SHARED

CHAT, AT = "workloads/inference/chat", "workloads.inference.chat"
SCALED = both(put(f"{CHAT}/metrics", True), put(f"{CHAT}/replicas", 4), put(f"{CHAT}/scale", {"max": 6}))

SCALING = [
    (PROD, both(SCALED, put(f"{CHAT}/metrics", False)), f"{AT}.scale", "nothing reads the server's metrics"),
    (PROD, both(SCALED, NIM), f"{AT}.scale", "what waits is read of vLLM's metrics, and engine nim has others"),
    (PROD, both(SCALED, put(f"{CHAT}/replicas", 6)), f"{AT}.scale.max", "at most 6 replicas, and there are 6 at least"),
    (
        PROD,
        both(SCALED, put(f"{CHAT}/scale", {"max": 6, "stay_seconds": 300})),
        f"{AT}.scale.stay_seconds",
        "a replica goes after 300 seconds, and its model may take 600 to load",
    ),
    (
        PROD,
        both(SCALED, put(f"{CHAT}/scale", {"max": 500})),
        f"{AT}.scale.max",
        "its services at their most ask for 500",
    ),
    (
        PROD,
        both(SCALED, put(f"{CHAT}/scale", {"max": 6}), put("openshift/teams/chat/slices", {"1g.12gb": 5})),
        "openshift.teams.chat.slices.1g.12gb",
        "chat runs 6 x 1g.12gb, its quota is 5",
    ),
    (
        PROD,
        both(SCALED, put(f"{CHAT}/memory_gib", 300)),
        f"{AT}.scale.max",
        "3 of 6 replicas find a server of pool inference beside embed: each takes 300 GiB of memory, the most left on "
        "one is 146",
    ),
    (
        PROD,
        both(
            SCALED,
            SHARED,
            put("storage/classes/datasets/shared", False),
            put(f"{CHAT}/replicas", 1),
            put(f"{CHAT}/volumes", {"chat-data": {"path": "/models"}}),
        ),
        f"{AT}.volumes.chat-data",
        "6 pods mount it",
    ),
]
"""A stack to begin with, a change, the place of the problem, and a part of its sentence."""
