"""vLLM, and servers that take its arguments."""

from podwright.components.design.workloads import home
from podwright.components.design.workloads.engines.started import Started
from podwright.components.model import Inference, Sharing
from podwright.components.model.mounts import on_disk

USAGE = "--enable-force-include-usage"


def started(name: str, inference: Inference, sharing: Sharing | None) -> Started:
    """A model of a path or of the hub, divided among the whole GPUs of a replica."""
    # A slice is one device to the server; only whole GPUs split a model.
    parallel = 1 if inference.slice else inference.gpus
    local = on_disk(inference.model)
    # Of a path clients would have to know where this service has it: the name outlives a move of the model.
    served = inference.served_name or (name if local else None)
    args = ["--model", inference.model, *(["--served-model-name", served] if served else [])]
    args += ["--port", str(inference.port), "--tensor-parallel-size", str(parallel)]
    if inference.sizing is not None:
        # What the memory was reckoned for: longer requests are refused, and more than so many wait.
        args += ["--max-model-len", str(inference.sizing.context)]
        args += ["--max-num-seqs", str(inference.sizing.concurrency)]
    if inference.gateway is not None and inference.gateway.counts_tokens:
        # A stream that does not say what it took is not counted, and a client need not ask for that: vLLM 0.10.2 or
        # later then says it in every stream (vllm-project/vllm, pull requests 19695 and 20983).
        args += [USAGE]
    return Started(
        env=home.variables(serves=True, offline=local),
        args=[*args, *(["--gpu-memory-utilization", memory_share(sharing)] if sharing else [])],
        live="/health",
        ready="/health",
        metrics="/metrics",
        # A field more would start every existing service's pods anew.
        explains=False,
    )


def memory_share(sharing: Sharing) -> str:
    """Part of a GPU's memory that a server of models may take: 0.9 of its share, as vLLM takes 0.9 of a GPU by itself.

    It reads the whole GPU's memory whatever its share is, and the figure is of each server by itself
    (https://docs.vllm.ai/en/latest/configuration/engine_args.html, --gpu-memory-utilization).
    """
    return f"{900 // sharing.replicas / 1000:.3f}"
