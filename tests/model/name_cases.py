"""Two things of one team under one name: both would write one object, or another program's object is called so."""

from collections.abc import Callable

from tests.model.changes import LAB, PROD, Said, both, put
from tests.model.gateway_cases import CHAT
from tests.model.kserve_cases import HERE
from tests.model.mesh_cases import MESHED
from tests.model.queue_cases import TRAIN

SERVICE = {**LAB["workloads"]["inference"]["chat"], "replicas": 1}
JOB = {**LAB["workloads"]["training"]["pretrain"], "nodes": 1}
SET = put(f"{TRAIN}/kind", "jobset")
ONE = both(put(f"{TRAIN}/nodes", 1), put("openshift/teams/research/gpus", 24))
_SAME = put("workloads/inference/pretrain", {**SERVICE, "team": "research"})
_OF_A_SET = put("workloads/training/pretrain-member-0", JOB)

ACCEPTED: list[tuple[Said, Callable[[Said], None]]] = [
    (LAB, both(put("workloads/inference/pretrain", SERVICE), put(f"{CHAT}/replicas", 3))),
    (LAB, both(ONE, _OF_A_SET)),
    (LAB, both(ONE, SET, put("workloads/training/pretrain-member-1", JOB))),
    (LAB, both(ONE, SET, put("workloads/training/pretrain-member-0", {**JOB, "kind": "jobset"}))),
    (LAB, both(put(f"{CHAT}/replicas", 3), put("workloads/inference/chat-predictor", SERVICE))),
    (LAB, both(put(f"{CHAT}/replicas", 3), put("workloads/inference/default", SERVICE))),
]
"""Of another team, of another kind, or beside nothing that takes the name."""
CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    *(
        (
            LAB,
            both(put(f"{TRAIN}/kind", kind), _SAME),
            "workloads.inference.pretrain",
            "a job of team research has this name too",
        )
        for kind in ("job", "jobset", "trainjob")
    ),
    *(
        (
            LAB,
            both(ONE, put(f"{TRAIN}/kind", kind), put(f"workloads/training/{wanted}", JOB)),
            "workloads.training.pretrain.kind",
            f"its objects are called {wanted}, as those of job {wanted} of the same team",
        )
        for kind, wanted in (("jobset", "pretrain-member-0"), ("trainjob", "pretrain-node-0"))
    ),
    (
        PROD,
        both(HERE, put("workloads/inference/chat-predictor", SERVICE)),
        "workloads.inference.chat.kind",
        "its objects are called chat-predictor, as those of service chat-predictor of the same team",
    ),
    (
        PROD,
        both(HERE, put("workloads/training/chat-predictor", {**JOB, "team": "chat"})),
        "workloads.inference.chat.kind",
        "its objects are called chat-predictor, as those of job chat-predictor of the same team",
    ),
    (
        LAB,
        both(MESHED, put("workloads/inference/default", {**SERVICE, "route": {"host": "a.example.com"}})),
        "workloads.inference.default",
        "the PeerAuthentication called default is that of the whole namespace",
    ),
]
"""Stack, change, where, what is said."""
