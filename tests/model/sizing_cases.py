"""Models that the GPUs of their service cannot hold, and shapes that are none."""

from collections.abc import Callable
from typing import Any

from tests.model.changes import LAB, PROD, both, drop, put
from tests.model.sharing_cases import WHOLE

CHAT, SERVICE = "workloads/inference/chat", "workloads.inference.chat"
SIZE = f"{SERVICE}.sizing.parameters_billion"
LLAMA_70B = {"layers": 80, "heads": 64, "kv_heads": 8, "head_size": 128}


def sized(parameters: float, **more: Any) -> Callable[[dict[str, Any]], None]:
    return put(f"{CHAT}/sizing", {"parameters_billion": parameters, **more})


def whole(gpus: int) -> Callable[[dict[str, Any]], None]:
    """The lab's service on so many whole GPUs (H200 NVL) for each replica."""
    quota = put("openshift/teams/chat", {"gpus": 8})
    return both(
        drop("pools/inference/mig"), drop(f"{CHAT}/slice"), put(f"{CHAT}/gpus", gpus), put(f"{CHAT}/replicas", 1), quota
    )


SIZINGS = [
    (
        LAB,
        sized(70.6),
        SIZE,
        "131.5 GiB of weights, 40.0 of cache for 16 requests of 8192 tokens and 2.0 besides are 173.5, and a 1g.18gb "
        "slice of NVIDIA-H200-NVL has 14.2 of 17.6 GiB for them",
    ),
    (
        LAB,
        both(whole(1), sized(70.6, shape=LLAMA_70B)),
        SIZE,
        "are 173.5, and NVIDIA-H200-NVL has 126.4 of 140.4 GiB for them",
    ),
    (LAB, both(whole(2), sized(405)), SIZE, "and each of 2 NVIDIA-H200-NVL has 126.4 of 140.4 GiB for them"),
    (LAB, both(WHOLE, sized(8, context=131072)), SIZE, "each of 4 shares of NVIDIA-H200-NVL has 31.6 of 35.1 GiB"),
    (PROD, sized(8), SIZE, "a 1g.12gb slice of NVIDIA-H100-NVL has"),
    (LAB, sized(671), SIZE, "no shape is assumed for more than 405.9 billion parameters"),
    (
        LAB,
        both(whole(3), sized(8, shape={"layers": 32, "heads": 32, "kv_heads": 8, "head_size": 128})),
        f"{SERVICE}.gpus",
        "32 attention heads do not divide among 3 GPUs",
    ),
    (LAB, sized(1, shape={"layers": 16, "heads": 32}), f"{SERVICE}.sizing.shape", "the cache has no size without"),
    (
        LAB,
        sized(1, shape={"layers": 16, "heads": 32, "latent_size": 576, "kv_heads": 8}),
        f"{SERVICE}.sizing.shape.latent_size",
        "attention is latent, or has heads",
    ),
    (
        LAB,
        both(put(f"{CHAT}/home_gib", 10), put(f"{CHAT}/replicas", 1), sized(7, context=256, concurrency=1)),
        f"{SERVICE}.home_gib",
        "13.0 GiB of weights are downloaded into HOME, which has 10",
    ),
]
