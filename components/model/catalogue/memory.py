"""What a language model takes of a GPU's memory while it is served: weights, cache of keys and values, and the rest.

All sizes in GiB, all for one replica. The cache is reckoned for every token of every request at once, which is what it
takes so that no request waits or is computed twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Precision = Literal["fp32", "bf16", "fp16", "fp8", "fp4"]

BYTES: Final[Mapping[Precision, float]] = {"fp32": 4, "bf16": 2, "fp16": 2, "fp8": 1, "fp4": 0.5625}
"""Bytes of one weight. fp4 has an eight-bit scale for each 16 weights (NVFP4,
https://developer.nvidia.com/blog/introducing-nvfp4-for-efficient-and-accurate-low-precision-inference/)."""
CAPABILITY: Final[Mapping[Precision, tuple[int, int]]] = {
    "fp32": (7, 0), "bf16": (8, 0), "fp16": (7, 0), "fp8": (8, 9), "fp4": (10, 0),
}  # fmt: skip
"""Least CUDA compute capability that calculates in it (https://docs.vllm.ai/en/latest/features/quantization/)."""
SHARE: Final = 0.9
"""Of a GPU's memory, what vLLM takes by default (`gpu_memory_utilization`; 0.92 in newer releases)."""
RUNTIME_GIB: Final = 2.0
"""CUDA's own, graphs and activations, on each GPU: an estimate; vLLM reports between 0.8 and 2 at its default batch."""
_GIB: Final = 2.0**30
_CACHE_BYTES: Final = 2
"""Of one number in the cache: 16 bits, vLLM's default (`kv_cache_dtype` auto) for weights of 8 and 4 bits too."""


class ShapeError(ValueError):
    """A model's configuration that has no shape in it; one sentence."""


@dataclass(frozen=True)
class Shape:
    """What of a transformer its cache and its division among GPUs depend on."""

    layers: int
    heads: int
    """Attention heads: as many GPUs as divide them can share a layer."""
    kv_heads: int
    """Heads of keys and values: 1 where each GPU keeps all of the cache."""
    numbers: int
    """Numbers that one layer keeps for one token."""
    named: str = "the model's own configuration"


def _dense(named: str, layers: int, heads: int, kv_heads: int, head: int) -> Shape:
    return Shape(layers, heads, kv_heads, 2 * kv_heads * head, named)


_PUBLISHED: Final[Mapping[float, Shape]] = {
    1.24: _dense("Llama 3.2 1B", 16, 32, 8, 64),
    3.21: _dense("Llama 3.2 3B", 28, 24, 8, 128),
    8.03: _dense("Llama 3.1 8B", 32, 32, 8, 128),
    70.6: _dense("Llama 3.1 70B", 80, 64, 8, 128),
    405.9: _dense("Llama 3.1 405B", 126, 128, 8, 128),
}
"""Shapes by billions of parameters, from the models' published config.json."""
LARGEST: Final = max(_PUBLISHED)
"""Billions of parameters beyond which no shape is assumed."""


@dataclass(frozen=True)
class Ask:
    """A model to be served, and how much at once."""

    parameters: float
    """Billions of them, all experts of a mixture included: every one is in memory."""
    precision: Precision
    context: int
    """Tokens of one request, its answer included."""
    concurrency: int
    """Requests at the same time."""
    shape: Shape


@dataclass(frozen=True)
class Need:
    """What one GPU of those that share a model must have, in GiB."""

    weights: float
    cache: float
    runtime: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.weights + self.cache + self.runtime


def need(ask: Ask, gpus: int) -> Need:
    """What each of `gpus` takes, which share every layer: a head of keys and values is on one of them at least."""
    weights = ask.parameters * 1e9 * BYTES[ask.precision] / _GIB
    tokens = ask.context * ask.concurrency
    cache = tokens * ask.shape.layers * ask.shape.numbers * _CACHE_BYTES / _GIB
    return Need(weights / gpus, cache / min(gpus, ask.shape.kv_heads), RUNTIME_GIB)


def assumed(parameters: float) -> Shape:
    """The published shape of the smallest Llama 3 with as many parameters. Raises ShapeError where there is none."""
    for billions, shape in _PUBLISHED.items():
        if parameters <= billions:
            return shape
    raise ShapeError(
        f"no shape is assumed for {parameters:g} billion parameters, more than Llama 3.1 405B has: name the model's "
        "config.json by --config"
    )


def shape_of(config: Mapping[str, Any]) -> Shape:
    """The shape in a model's config.json as Hugging Face's transformers write it. Raises ShapeError.

    Layers that keep a window only, or none, count in full: the sum is never too small for them.
    """
    inner = config.get("text_config")
    own = inner if isinstance(inner, Mapping) else config
    layers, heads = _number(own, "num_hidden_layers"), _number(own, "num_attention_heads")
    if "kv_lora_rank" in own:  # latent attention: one compressed row for all heads, on every GPU
        row = _number(own, "kv_lora_rank") + _number(own, "qk_rope_head_dim")
        return Shape(layers, heads, 1, row)
    kv_heads = _number(own, "num_key_value_heads") if own.get("num_key_value_heads") is not None else heads
    head = _number(own, "head_dim") if own.get("head_dim") is not None else _number(own, "hidden_size") // heads
    return Shape(layers, heads, kv_heads, 2 * kv_heads * head)


def _number(config: Mapping[str, Any], key: str) -> int:
    value = config.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ShapeError(f"{key} is {value!r} in the configuration, where a transformer has a number from 1 on")
    return value
