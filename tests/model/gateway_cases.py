"""Services behind a gateway that is not there, that cannot read them, or that something goes past."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, drop, put
from tests.model.data_science_cases import DESKS
from tests.model.engine_cases import NIM
from tests.model.mirror_cases import MIRRORED

CHAT, AT = "workloads/inference/chat", "workloads.inference.chat"
SECTION = "openshift/inference_gateway"
IMAGE = "registry.example.com/gateway-api-inference-extension/epp@sha256:" + "7" * 64
HOST = "chat-chat.apps.lab.example.com"
FITTING = both(put("openshift/version", "4.22.3"), put("operators/release", "2026.10"))
"""Istio of the lab's own release reads no InferencePools."""
GATEWAY = both(FITTING, DESKS, put(SECTION, {"picker_image": IMAGE}))
KEYED = both(GATEWAY, put(f"{SECTION}/keys", {}), put(f"{CHAT}/gateway", {"host": HOST, "clients": {
    "portal": {"tokens": {"limit": 2_000_000, "per": "day"}, "requests": {"limit": 60, "per": "minute"}},
    "batch": {"requests": {"limit": 1000, "per": "hour"}},
    "own": {},
}}))  # fmt: skip
"""The service is for clients with keys."""
_PIN = "operators/pins/rhcl-operator"
BEHIND = both(GATEWAY, put(f"{CHAT}/gateway", {"host": HOST}))
_OWN = "openshift.inference_gateway"
_OTHER = LAB["workloads"]["inference"]["chat"] | {"replicas": 1}

ALONE: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (LAB, both(BEHIND, put(f"{CHAT}/kind", "kserve")), f"{AT}.gateway", "OpenShift AI has InferencePools of its own"),
    (LAB, both(BEHIND, NIM), f"{AT}.gateway", "reads what waits of vLLM's metrics, and engine nim has others"),
    (
        LAB,
        both(BEHIND, put(f"{CHAT}/route", {"host": "other.apps.lab.example.com"})),
        f"{AT}.gateway",
        "requests by its `route` pass the picker by",
    ),
    (
        LAB,
        both(
            BEHIND,
            put(f"{CHAT}/replicas", 1),
            put(f"{CHAT}/canary", {"percent": 10, "replicas": 1, "model": "other/model"}),
            put(f"{CHAT}/served_name", "chat"),
        ),
        f"{AT}.canary",
        "a canary's share is kept by the weights of a Route",
    ),
]
"""What a service finds by itself: a stack to begin with, a change, the place of the problem, a part of its sentence."""
CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    *ALONE,
    (LAB, both(DESKS, put(f"{CHAT}/gateway", {"host": HOST})), f"{AT}.gateway", "the cluster has no inference gateway"),
    (
        LAB,
        both(BEHIND, put(f"{CHAT}/gateway/clients", {"portal": {}})),
        f"{AT}.gateway.clients",
        "the gateway asks nobody for a key",
    ),
    (
        LAB,
        both(KEYED, put(f"{CHAT}/secrets", {"VLLM_API_KEY": {"secret": "chat-clients"}})),
        f"{AT}.secrets.VLLM_API_KEY",
        "the gateway takes a client's key away",
    ),
    (
        LAB,
        both(KEYED, drop(f"{CHAT}/gateway/clients")),
        f"{AT}.gateway",
        "nobody may call it: the gateway asks for keys",
    ),
    (
        LAB,
        both(KEYED, put(_PIN, {"channel": "stable", "csv": "rhcl-operator.v1.4.0"})),
        "operators.pins.rhcl-operator.csv",
        "lets requests in without a key, and says nothing",
    ),
    (
        LAB,
        both(KEYED, put(_PIN, {"channel": "stable", "csv": "rhcl-operator.v1.2.1"})),
        "operators.pins.rhcl-operator.csv",
        "is not known to count tokens",
    ),
    (LAB, both(KEYED, drop("operators")), f"{_OWN}.keys", "nothing would ask for keys"),
    (
        LAB,
        both(KEYED, put("openshift/teams/kuadrant-system", {})),
        "openshift.teams.kuadrant-system",
        "has everybody's keys",
    ),
    (LAB, both(BEHIND, drop("pools/desks"), drop("servers/desk-01")), _OWN, "its pods run on no node"),
    (
        LAB,
        both(BEHIND, put("openshift/version", "4.20.3"), put("operators/release", "2026.11")),
        _OWN,
        "Istio of OpenShift 4.20.3 reads no InferencePools of the stable kind",
    ),
    (
        LAB,
        both(BEHIND, put("openshift/data_science", {"components": ["kserve"], "teams": ["chat"]})),
        _OWN,
        "the KServe of OpenShift AI brings the kind of InferencePools too",
    ),
    (LAB, both(BEHIND, MIRRORED), _OWN, "is named by no image set"),
    (
        LAB,
        both(BEHIND, put(f"{CHAT}/gateway/host", "chat.example.com")),
        f"{AT}.gateway.host",
        "for names of one label before apps.lab.example.com",
    ),
    (
        LAB,
        both(BEHIND, put(f"{CHAT}/replicas", 1), put("workloads/inference/talk", _OTHER | {"route": {"host": HOST}})),
        "workloads.inference.talk.route.host",
        f"{HOST} is the name of service chat",
    ),
    (
        LAB,
        both(BEHIND, put(f"{CHAT}/replicas", 1), put("workloads/inference/chat-picker", _OTHER)),
        f"{AT}.gateway",
        "its objects are called chat-picker, as those of service chat-picker of the same team",
    ),
]
"""The same, of a whole file."""
