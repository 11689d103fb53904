"""Engines that cannot start as they are defined: repositories that are none, taken ports, GPUs that are few."""

from tests.model.changes import PROD, both, put
from tests.model.mirror_cases import MIRRORED
from tests.model.sharing_cases import SHARED as SLICES_SHARED

CHAT, AT = "workloads/inference/chat", "workloads.inference.chat"
SHARED = put("storage/volumes/chat-data", {"team": "chat", "storage_class": "datasets", "size_gib": 10})
TRITON = both(
    SHARED,
    put(f"{CHAT}/volumes", {"chat-data": {"path": "/models"}}),
    put(f"{CHAT}/engine", "triton"),
    put(f"{CHAT}/model", "/models/repository"),
)
NIM = both(put(f"{CHAT}/engine", "nim"), put(f"{CHAT}/model", "meta/llama-3.1-8b-instruct"))

ENGINES = [
    (PROD, put(f"{CHAT}/triton", {"models": ["rank"]}), f"{AT}.triton", "engine vllm does not read it"),
    (PROD, both(TRITON, put(f"{CHAT}/nim", {})), f"{AT}.nim", "engine triton does not read it"),
    (
        PROD,
        both(TRITON, put(f"{CHAT}/model", "chat-8b")),
        f"{AT}.model",
        "Triton serves a repository of models from a path, and chat-8b is a name on the hub",
    ),
    (PROD, both(TRITON, put(f"{CHAT}/model", "/data/x")), f"{AT}.model", "in none of the service's volumes"),
    (PROD, both(TRITON, put(f"{CHAT}/served_name", "x")), f"{AT}.served_name", "called as their folders"),
    (PROD, both(TRITON, put(f"{CHAT}/port", 8002)), f"{AT}.port", "port 8002 is Triton's for metrics"),
    (PROD, both(TRITON, put(f"{CHAT}/port", 8001)), f"{AT}.port", "port 8001 is Triton's for grpc"),
    (PROD, both(TRITON, put(f"{CHAT}/triton", {"models": ["a", "b", "a"]})), f"{AT}.triton.models", "a is named twice"),
    (PROD, both(TRITON, put(f"{CHAT}/gpus", 2), put(f"{CHAT}/replicas", 2)), f"{AT}.gpus", "a server sees one of them"),
    (PROD, both(NIM, put(f"{CHAT}/model", "/models/a")), f"{AT}.model", "/models/a is a path"),
    (PROD, both(NIM, put(f"{CHAT}/nim", {"cache": "chat-data"})), f"{AT}.nim.cache", 'no volume of the service "chat'),
    (
        PROD,
        both(NIM, put(f"{CHAT}/nim", {"profile": "vllm-bf16-tp2-pp2"})),
        f"{AT}.nim.profile",
        "profile vllm-bf16-tp2-pp2 takes 4 GPUs, and a replica has 1",
    ),
    (PROD, both(NIM, SLICES_SHARED), f"{AT}.pool", "and pool inference gives it a share of one"),
    (PROD, both(NIM, MIRRORED), f"{AT}.nim", "downloads its model from NVIDIA's catalogue"),
    (
        PROD,
        both(TRITON, NIM, MIRRORED, put(f"{CHAT}/nim", {"cache": "chat-data"})),
        f"{AT}.nim",
        "with a key a NIM logs in to NVIDIA's catalogue",
    ),
]
"""A stack to begin with, a change, the place of the problem, and a part of its sentence."""
