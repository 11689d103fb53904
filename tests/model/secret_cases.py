"""Variables from Secrets that others set too, and Secrets that are no program's."""

from typing import Any

from tests.model.changes import PROD, both, put
from tests.model.engine_cases import NIM

TRAIN, CHAT = "workloads/training/pretrain", "workloads/inference/chat"
JOB, SERVICE = "workloads.training.pretrain.secrets", "workloads.inference.chat.secrets"


def given(where: str, **variables: Any) -> Any:
    return put(f"{where}/secrets", variables)


HUB = {"secret": "hub", "key": "token"}
SECRETS = [
    (PROD, given(TRAIN, NCCL_DEBUG=HUB), f"{JOB}.NCCL_DEBUG", "NCCL_DEBUG is taken: podwright sets what NCCL needs"),
    (PROD, given(TRAIN, PET_NNODES=HUB), f"{JOB}.PET_NNODES", "podwright sets it for where members meet"),
    (PROD, given(TRAIN, MASTER_ADDR=HUB), f"{JOB}.MASTER_ADDR", "podwright sets it for where members meet"),
    (PROD, given(TRAIN, CHECKPOINT_DIR=HUB), f"{JOB}.CHECKPOINT_DIR", "podwright sets it for checkpoints"),
    (PROD, given(TRAIN, HOME=HUB), f"{JOB}.HOME", "HOME is taken: podwright sets it for HOME and caches"),
    (PROD, given(CHAT, HF_HOME=HUB), f"{SERVICE}.HF_HOME", "HF_HOME is taken: podwright sets it for HOME and caches"),
    (PROD, given(CHAT, NVIDIA_VISIBLE_DEVICES=HUB), f"{SERVICE}.NVIDIA_VISIBLE_DEVICES", "GPUs and driver follow"),
    (PROD, given(TRAIN, CUDA_VISIBLE_DEVICES=HUB), f"{JOB}.CUDA_VISIBLE_DEVICES", "sees no other GPUs than it names"),
    (PROD, given(CHAT, KUBERNETES_SERVICE_HOST=HUB), f"{SERVICE}.KUBERNETES_SERVICE_HOST", "kubelet sets it"),
    (PROD, both(NIM, given(CHAT, NGC_API_KEY=HUB)), f"{SERVICE}.NGC_API_KEY", "a NIM has it by `nim.ngc_secret`"),
    (
        PROD,
        given(TRAIN, HF_TOKEN={"secret": "training-dockercfg-x7k2q"}),
        f"{JOB}.HF_TOKEN.secret",
        "training-dockercfg-x7k2q is OpenShift's, for a service account",
    ),
    (
        PROD,
        given(CHAT, HF_TOKEN={"secret": "builder-token-b5n8m"}),
        f"{SERVICE}.HF_TOKEN.secret",
        "builder-token-b5n8m is OpenShift's, for a service account",
    ),
    (
        PROD,
        given(TRAIN, WANDB_API_KEY={"secret": "0123456789abcdef" * 2 + "01234567"}),
        f"{JOB}.WANDB_API_KEY.secret",
        "this looks like a key, not like a Secret's name",
    ),
    (
        PROD,
        both(NIM, put(f"{CHAT}/nim", {"pull_secret": "nvcr"}), given(CHAT, LOGIN={"secret": "nvcr"})),
        f"{SERVICE}.LOGIN.secret",
        "by nvcr nodes pull the image: it is a login",
    ),
    (
        PROD,
        both(
            NIM,
            put(f"{CHAT}/nim", {"pull_secret": "nvcr"}),
            put("workloads/inference/embed/team", "chat"),
            given("workloads/inference/embed", LOGIN={"secret": "nvcr"}),
        ),
        "workloads.inference.embed.secrets.LOGIN.secret",
        "by nvcr nodes pull the image of chat: it is a login",
    ),
]
"""A stack to begin with, a change, the place of the problem, and a part of its sentence."""

LAWFUL = [
    given(
        TRAIN, HF_TOKEN=HUB, NGC_API_KEY={"secret": "ngc-api"}, http_proxy={"secret": "proxy.research", "key": "a.b"}
    ),
    given(CHAT, HF_TOKEN=HUB, VLLM_API_KEY={"secret": "chat-clients"}),
    both(NIM, given(CHAT, HF_TOKEN=HUB)),
    # Another team's Secret of that name is another Secret.
    both(NIM, put(f"{CHAT}/nim", {"pull_secret": "nvcr"}), given(TRAIN, LOGIN={"secret": "nvcr"})),
]
"""What may be a Secret's, of a training job, of vLLM and of a NIM."""
