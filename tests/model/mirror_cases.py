"""The mirror of a disconnected site: the change, its place, a word of the sentence."""

from collections.abc import Callable

from tests.model.changes import LAB, PROD, Said, both, drop, put

AT = "openshift/mirror"
DIGEST = f"sha256:{'1a' * 32}"
CATALOGS = {"redhat-operators": DIGEST, "certified-operators": DIGEST}
MIRROR = {"registry": "registry.example.com:8443/pod", "catalogs": CATALOGS}
MIRRORED = put(AT, MIRROR)
_PRETRAIN, _CHAT = "workloads/training/pretrain/image", "workloads/inference/chat/image"

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (
        PROD,
        both(MIRRORED, put(_PRETRAIN, "nvcr.io/nvidia/pytorch:26.01")),
        "workloads.training.pretrain.image",
        "nvcr.io/nvidia/pytorch:26.01 has no digest",
    ),
    (LAB, both(MIRRORED, put(_CHAT, "vllm:1")), "workloads.inference.chat.image", "vllm:1 has no digest"),
    (PROD, both(MIRRORED, put("acceptance/image", "a.io/b")), "acceptance.image", "a.io/b has no digest"),
    (
        PROD,
        both(MIRRORED, drop(f"{AT}/catalogs/certified-operators")),
        "openshift.mirror.catalogs",
        "gpu-operator-certified come from certified-operators, which the mirror does not have",
    ),
    (
        LAB,
        both(MIRRORED, drop(f"{AT}/catalogs/redhat-operators")),
        "openshift.mirror.catalogs",
        "nfd",
    ),
    (
        LAB,
        both(MIRRORED, put("operators/gpu_driver", "580.95.05")),
        "operators.gpu_driver",
        "driver 580.95.05 is pulled by a tag",
    ),
]
