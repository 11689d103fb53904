"""Silent nodes that nobody can tell from a lost network, and agents that would give back what others took."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, drop, put

LOST = "openshift/lost_nodes"
OLD = {"self-node-remediation": {"channel": "stable", "csv": "self-node-remediation.v0.11.0"}}
ONE_RACK = [put(f"servers/gpu-0{index}/rack", "r1") for index in range(1, 6)]

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (LAB, put(LOST, {"pools": ["nowhere"]}), "openshift.lost_nodes.pools[0]", 'no pool "nowhere"'),
    (LAB, put(LOST, {"pools": ["training", "training"]}), "openshift.lost_nodes.pools[1]", "training is written twice"),
    (LAB, put(LOST, {"pools": ["inference"]}), "openshift.lost_nodes.pools[0]", "inference has 1 server; a node"),
    (
        LAB,
        put(LOST, {"pools": ["training"], "max_lost": 3}),
        "openshift.lost_nodes.max_lost",
        "3 lost nodes are half of pool training or more, which has 5 servers",
    ),
    (
        LAB,
        put(LOST, {"pools": ["training"], "max_lost": 2}),
        "openshift.lost_nodes.max_lost",
        "rack r1 has 2 servers of pool training: its loss would count as 2 lost nodes",
    ),
    (
        LAB,
        both(put(LOST, {"pools": ["training"], "after_seconds": 240, "max_lost": 2}), *ONE_RACK),
        "openshift.lost_nodes.after_seconds",
        "of 2 nodes that fall silent together pods of the last are Terminating after 310 s",
    ),
    (
        LAB,
        both(put(LOST, {"pools": ["training"]}), put("operators/pins", OLD)),
        "operators.pins.self-node-remediation.csv",
        "self-node-remediation.v0.11.0 uncordons a node that is back",
    ),
    (
        LAB,
        both(put(LOST, {"pools": ["training"]}), drop("operators"), drop("acceptance"), drop("workloads")),
        "openshift.lost_nodes",
        "what gives nodes up is two of the operators",
    ),
]
