"""What is defined about a served model's memory: its parameters, the shape of its layers, requests at the same time."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.catalogue.memory import Ask, Precision, Shape, assumed
from podwright.components.model.types import Spec


class ModelShape(Spec):
    """What of a transformer its cache depends on, as its config.json has it."""

    layers: Annotated[int, Field(ge=1, le=1000)]
    """Layers (num_hidden_layers)."""
    heads: Annotated[int, Field(ge=1, le=1024)]
    """Attention heads (num_attention_heads): the number of GPUs divides them."""
    kv_heads: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Heads of keys and values (num_key_value_heads). Null: as many as `heads`."""
    head_size: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Numbers of one head (head_dim, or hidden_size divided by num_attention_heads)."""
    latent_size: Annotated[int, Field(ge=1, le=65536)] | None = None
    """Numbers of the one compressed row of a layer, where attention is latent (kv_lora_rank and qk_rope_head_dim
    together): instead of `kv_heads` and `head_size`."""


class Sizing(Spec):
    """A model's memory on the GPUs of one replica."""

    parameters_billion: Annotated[float, Field(ge=0.01, le=10_000)]
    """Parameters in billions; of a mixture of experts, all of them."""
    precision: Precision = "bf16"
    """Precision of the weights as they are loaded."""
    context: Annotated[int, Field(ge=1, le=10_000_000)] = 8192
    """Tokens of one request, its answer included: what the server takes at most (--max-model-len), and the model's own
    limit at most."""
    concurrency: Annotated[int, Field(ge=1, le=100_000)] = 16
    """Requests at the same time that the cache holds in full; the server takes no more (--max-num-seqs)."""
    shape: ModelShape | None = None
    """Shape of its layers. Null: that of the smallest Llama 3 with as many parameters."""


def asked(sizing: Sizing) -> Ask:
    """The same, to be reckoned with. Raises ShapeError where no shape is given and none can be assumed."""
    own = sizing.shape
    shape = assumed(sizing.parameters_billion) if own is None else _shape(own)
    return Ask(sizing.parameters_billion, sizing.precision, sizing.context, sizing.concurrency, shape)


def _shape(own: ModelShape) -> Shape:
    if own.latent_size is not None:
        return Shape(own.layers, own.heads, 1, own.latent_size)
    kv_heads = own.kv_heads or own.heads
    return Shape(own.layers, own.heads, kv_heads, 2 * kv_heads * (own.head_size or 0))
