"""The stack of the cuts: five training servers with two gangs of two, three inference servers with two replicas."""

from __future__ import annotations

import copy
from typing import Any, Final

from podwright.components.model import Cluster, coherence
from tests.model.changes import LAB, Said, both, drop, put
from tests.model.queue_cases import SECOND

HOST: Final = "chat.apps.lab.example.com"
TRAINING: Final = {f"gpu-0{index}": f"gpu-{index}" for index in range(1, 6)}
INFERENCE: Final = {f"inf-0{index}": f"gpu-{index + 5}" for index in range(1, 4)}
"""Servers of the stack file, by the hosts of the rack that are them."""
SHAPE: Final = {"workers": ("NVIDIA-H200",) * len(TRAINING) + ("NVIDIA-H200-NVL",) * len(INFERENCE)}
NODES: Final = {name: f"{host}.lab.example.com" for name, host in (TRAINING | INFERENCE).items()}
MEMBERS = REPLICAS = 2
_GANG: Final = {**SECOND, "nodes": MEMBERS, "replacements": 1000}
"""A server that comes up again by itself counts as an error of its member, and there are many of them here."""


def planned(*, evicts: bool) -> Cluster:
    """The stack; `evicts`: Kueue stops a gang that is not whole for too long."""
    file: Said = copy.deepcopy(LAB)
    first = {**file["servers"]["inf-01"], "rack": "r1"}
    more = {
        f"inf-0{index}": {
            **first, "index": 20 + index, "serial": f"WZP0000010{index}", "rack": f"r{index}",
            "address": f"192.0.2.15{index}", "boot_mac": f"02:00:00:00:03:0{index}", "bmc": f"192.0.2.12{index}",
        }
        for index in range(2, 4)
    }  # fmt: skip
    file["servers"] |= {"inf-01": first, **more}
    both(
        put("openshift/queues", {"pool": "training", "evict_unready": evicts}),
        put("openshift/lost_nodes", {"pools": ["training", "inference"]}),
        put("openshift/version", "4.22.0"),
        put("openshift/teams", {"research": {"gpus": 32}, "chat": {"gpus": 8}}),
        put("operators/release", "2026.10"),
        put("pools/training/rails", False),
        drop("pools/inference/mig"),
        put("workloads/training", {"pretrain": {**_GANG, "kind": "jobset"}, "second": _GANG}),
        drop("workloads/inference/chat/slice"),
        put("workloads/inference/chat/replicas", REPLICAS),
        put("workloads/inference/chat/route", {"host": HOST}),
    )(file)
    made = Cluster.model_validate(file)
    assert [each.message for each in coherence.check(made)] == []
    return made


def sooner(found: dict[str, Any], seconds: int) -> dict[str, Any]:
    """A NodeHealthCheck that waits for so long; everything else as it is."""
    made = copy.deepcopy(found)
    for row in made.get("spec", {}).get("unhealthyConditions", []):
        row["duration"] = f"{seconds}s"
    return made
