"""Services that cannot be spread over racks as they are defined: one rack alone, racks of unequal room."""

from tests.model.changes import LAB, PROD, both, put

CHAT, AT = "workloads/inference/chat", "workloads.inference.chat"
RACKS = put(f"{CHAT}/spread", "racks")
TWO = both(RACKS, put("servers/inf-03/rack", "r2"))
"""One server in r1, two in r2."""
SLICES = put("openshift/teams/chat/slices", {"1g.12gb": 29})
NARROW = both(TWO, SLICES, put("servers/inf-01/gpu_count", 1))
"""Seven slices in r1, 28 in r2."""
CANARY = both(
    put(f"{CHAT}/route", {"host": "chat.apps.prod.example.com"}),
    put(f"{CHAT}/canary", {"replicas": 16, "percent": 0, "model": "chat-9b"}),
)
LARGE = both(put(f"{CHAT}/memory_gib", 200), put(f"{CHAT}/replicas", 6), put("workloads/inference/embed/replicas", 1))
"""Two of these on each server."""

SPREAD = [
    (LAB, RACKS, f"{AT}.spread", "pool inference has 1 server in rack r2, and none in another"),
    (
        PROD,
        both(TWO, put("servers/inf-01/rack", "r2")),
        f"{AT}.spread",
        "pool inference has 3 servers in rack r2, and none in another",
    ),
    (
        PROD,
        both(NARROW, put(f"{CHAT}/replicas", 16)),
        f"{AT}.replicas",
        "rack r1 has room for 7, so that each other rack takes 8 at most: 1 of 16 replicas would wait for ever",
    ),
    (
        PROD,
        both(NARROW, put(f"{CHAT}/metrics", True), put(f"{CHAT}/scale", {"max": 20})),
        f"{AT}.scale.max",
        "rack r1 has room for 7, so that each other rack takes 8 at most: 5 of 20 replicas would wait for ever",
    ),
    (PROD, both(NARROW, CANARY), f"{AT}.canary.replicas", "takes 8 at most: 1 of 16 replicas would wait for ever"),
    (
        PROD,
        both(TWO, LARGE),
        f"{AT}.replicas",
        "5 of 6 replicas find a server of pool inference in rack r1 beside embed: each takes 200 GiB of memory, the "
        "most left on one is 78",
    ),
]
"""A stack to begin with, a change, the place of the problem, and a part of its sentence."""
FITS = [
    RACKS,
    TWO,
    both(NARROW, put(f"{CHAT}/replicas", 15)),
    both(TWO, LARGE, put(f"{CHAT}/replicas", 5)),
    both(TWO, LARGE, put(f"{CHAT}/spread", "hosts")),
]
"""Changes of the production site that leave room."""
