"""Servers of models: what each is started with, where it listens, and where it says that it lives and is ready."""

from podwright.components.design.workloads.engines import nim, triton, vllm
from podwright.components.design.workloads.engines.started import Started
from podwright.components.model import Inference, Sharing
from podwright.components.model.mounts import on_disk

__all__ = ["Started", "downloads", "started"]


def started(name: str, inference: Inference, sharing: Sharing | None) -> Started:
    """What the container of a service runs."""
    if inference.engine == "triton":
        return triton.started(inference)
    if inference.engine == "nim":
        return nim.started(inference)
    return vllm.started(name, inference, sharing)


def downloads(inference: Inference) -> bool:
    """Whether a pod downloads the model into its HOME."""
    if inference.engine == "nim":
        return inference.nim is None or inference.nim.cache is None
    return not on_disk(inference.model)
