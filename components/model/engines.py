"""What is defined about the server of a model: which one it is, and what it needs that the others do not."""

import re
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from podwright.components.model.types import Name, Spec, Words

Engine = Literal["vllm", "triton", "nim"]
TRITON_PORTS: Final = {"grpc": 8001, "metrics": 8002}
"""Ports of Triton beside that of HTTP: its own (triton-inference-server/server, src/command_line_parser.h)."""
LOAD_SECONDS: Final = {"vllm": 600, "triton": 600, "nim": 1800}
"""Time a model may take to load where nothing is given. A NIM may have to download it: NVIDIA's chart waits for
180 probes of 10 s (NVIDIA/nim-deploy, helm/nim-llm/values.yaml)."""
_DIVIDED: Final = re.compile(r"-tp(\d+)(?:-pp(\d+))?(?:-|$)")

RepositoryModel = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$"),
    Words("the name of a folder of the model repository, such as embed_v2"),
]
"""A model of a repository: its folder there."""

NimProfile = Annotated[
    str,
    StringConstraints(pattern=r"^([0-9a-f]{64}|[a-z][A-Za-z0-9_]*(-[A-Za-z0-9_]+){1,12})$"),
    Words("a profile as `list-model-profiles` prints it: its name, such as vllm-bf16-tp2-pp1, or its id of 64 digits"),
]
"""One configuration of those that a NIM's image has
(https://docs.nvidia.com/nim/large-language-models/latest/deployment/model-profiles-and-selection.html)."""


class Triton(Spec):
    """NVIDIA Triton Inference Server: what it serves of the model repository at `model`."""

    models: Annotated[tuple[RepositoryModel, ...], Field(max_length=256)] = ()
    """Models that it loads, by their folders: the repository may have others (model control mode explicit). Empty: all
    of them, and a folder that is no model, such as lost+found, keeps it from starting (mode none)."""


class Nim(Spec):
    """An NVIDIA NIM: its image names the model, and has the profiles by which it is run."""

    ngc_secret: Name | None = "ngc-api"
    """Secret of the team's namespace whose key NGC_API_KEY is the key for NVIDIA's catalogue; the site makes it, and
    its value is in no plan and no state (ngc-api: as NVIDIA's chart calls it). Null: none, for a cache that has
    everything or an image that asks for none."""
    pull_secret: Name | None = None
    """Secret of the team's namespace by which nodes pull the image. Null: the cluster's own pull secret has nvcr.io."""
    cache: Name | None = None
    """Claim of `volumes` that keeps what is downloaded (NIM_CACHE_PATH), for all replicas and the next start. Null:
    HOME, and each pod downloads the model for itself."""
    profile: NimProfile | None = None
    """Profile it is run by (NIM_MODEL_PROFILE). Null: the one that the NIM chooses for the GPUs it finds."""


def divided_among(profile: str) -> int | None:
    """GPUs that a profile takes, by its name; None for an id."""
    found = _DIVIDED.search(profile)
    return int(found[1]) * int(found[2] or 1) if found else None
