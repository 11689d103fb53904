"""Which GPUs hold a model: NVIDIA's and vLLM's own figures, and every smaller choice shown not to do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwright.components.design.hardware import GPUS, SERVERS, Gpu
from podwright.components.model.catalogue.choice import SHARED_BY, Option, budget, choose
from podwright.components.model.catalogue.memory import (
    BYTES,
    CAPABILITY,
    SHARE,
    Ask,
    Precision,
    Shape,
    ShapeError,
    assumed,
    need,
    shape_of,
)

LLAMA_8B = json.loads(
    '{"num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "hidden_size": 4096}'
)
MISTRAL_LIKE = LLAMA_8B | {"num_key_value_heads": None, "head_dim": 64}
DEEPSEEK_V3 = {"num_hidden_layers": 61, "num_attention_heads": 128, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
GIB = 2**30


def ask(parameters: float, precision: Precision = "bf16", context: int = 8192, concurrency: int = 16) -> Ask:
    return Ask(parameters, precision, context, concurrency, assumed(min(parameters, 405)))


def test_the_cache_of_a_token_is_what_vllm_logs() -> None:
    """Llama 3.1 8B: 131,072 bytes a token (https://pypi.org/project/kvplan/), 14.96 GiB (vLLM issue 12330)."""
    own = shape_of(LLAMA_8B)
    found = need(Ask(8.03, "bf16", 1, 1, own), 1)
    assert found.cache * GIB == 131_072
    assert found.weights == pytest.approx(14.96, abs=0.01)
    assert own.numbers == assumed(8).numbers


@pytest.mark.parametrize(
    ("config", "shape"),
    [
        (LLAMA_8B, (32, 32, 8, 2048)),
        (MISTRAL_LIKE, (32, 32, 32, 4096)),
        ({"text_config": LLAMA_8B, "vision_config": {}}, (32, 32, 8, 2048)),
        (DEEPSEEK_V3, (61, 128, 1, 576)),
    ],
)
def test_shapes_as_hugging_face_writes_them(config: dict[str, Any], shape: tuple[int, ...]) -> None:
    own = shape_of(config)
    assert (own.layers, own.heads, own.kv_heads, own.numbers) == shape


@pytest.mark.parametrize("wrong", [{}, {"num_hidden_layers": 0}, LLAMA_8B | {"num_attention_heads": "32"}])
def test_a_configuration_without_a_shape_is_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ShapeError, match="where a transformer has a number from 1 on"):
        shape_of(wrong)
    with pytest.raises(ShapeError, match=r"config\.json by --config"):
        assumed(1000)


def test_heads_that_are_fewer_than_the_gpus_are_kept_on_several() -> None:
    """DeepSeek's compressed row is whole on every GPU: eight of them save weights, and no cache."""
    deepseek = Ask(671, "fp8", 8192, 64, shape_of(DEEPSEEK_V3))
    one, eight = need(deepseek, 1), need(deepseek, 8)
    assert eight.cache == one.cache
    assert eight.weights == one.weights / 8


def options(asked: Ask, *products: str) -> dict[str, Option]:
    return {each.product: each for each in choose(asked, products or None)[0]}


def test_what_people_run() -> None:
    """Llama 3.1 70B: two H200 in bf16, one B200 in fp8; 405B in fp8 on the eight H100 of one server."""
    assert options(ask(70.6, concurrency=8))["NVIDIA-H200"].gpus == 2
    assert options(ask(70.6, "fp8"))["NVIDIA-B200"].gpus == 1
    assert options(ask(405, "fp8"))["NVIDIA-H100-80GB-HBM3"].gpus == 8
    slices = options(ask(3.2, concurrency=2))
    assert slices["NVIDIA-H200"].profile == "1g.18gb"
    assert slices["NVIDIA-H200"].servers == ("UCSC-885A-M8",)


def test_refusals_give_the_sum() -> None:
    _, refused = choose(ask(405, "bf16"), ("NVIDIA-H100-80GB-HBM3", "Tesla-T4"))
    assert [each.why for each in refused] == [
        "8 GPUs share 754.4 GiB of weights; each takes 94.3 of them, 7.9 of cache and 2.0 besides, 104.2 in all, and "
        "has 71.7 of 79.6 GiB for it",
        "compute capability 7.5 does not calculate in bf16, which takes 8.0",
    ]


asks = st.builds(
    Ask,
    parameters=st.floats(0.1, 2000),
    precision=st.sampled_from(sorted(BYTES)),
    context=st.integers(1, 200_000),
    concurrency=st.integers(1, 256),
    shape=st.builds(
        Shape,
        layers=st.integers(1, 130),
        heads=st.sampled_from([8, 24, 28, 32, 64, 128]),
        kv_heads=st.sampled_from([1, 2, 4, 8]),
        numbers=st.integers(64, 4096),
    ),
)


def holds(asked: Ask, gpu: Gpu, count: int, gib: float) -> bool:
    """Brute force: bytes of everything on each GPU, compared with what it has."""
    weights = asked.parameters * 1e9 * BYTES[asked.precision] / count
    cache = 2 * asked.shape.numbers * asked.shape.layers * asked.context * asked.concurrency
    return weights + cache / min(count, asked.shape.kv_heads) + 2 * GIB <= gib * GIB


@given(asks)
def test_nothing_smaller_would_do_and_what_is_chosen_does(asked: Ask) -> None:
    chosen, refused = choose(asked)
    assert {each.product for each in chosen} | {each.product for each in refused} == set(GPUS)
    assert [each.watts for each in chosen] == sorted(each.watts for each in chosen)
    fit = {each.product: each for each in chosen}
    for name, gpu in GPUS.items():
        if gpu.capability < CAPABILITY[asked.precision]:
            assert name not in fit
            continue
        most = max((max(each.gpus[name].counts) for each in SERVERS.values() if name in each.gpus), default=1)
        counts = [each for each in SHARED_BY if each <= most and asked.shape.heads % each == 0]
        whole = gpu.mib / 1024 * SHARE
        first = next((count for count in counts if holds(asked, gpu, count, whole)), None)
        assert (fit[name].gpus if name in fit else None) == first
        if first is None:
            continue
        slices = [each for each in gpu.mig.values() if not each.name.endswith("+me")]
        fitting = [
            each for each in slices if holds(asked, gpu, 1, budget(gpu, each)) and each.memory < gpu.memory_slices
        ]
        smallest = min(fitting, key=lambda each: (each.memory, each.compute), default=None) if first == 1 else None
        assert fit[name].profile == (smallest.name if smallest else None)


def test_a_slice_has_no_more_than_nvidia_smi_lists() -> None:
    """`nvidia-smi mig -lgip`: 16.0 GiB in 1g.18gb of H200, 4.75 and 19.62 in 1g.5gb and 3g.20gb of A100 40 GB."""
    listed = {
        ("NVIDIA-H200", "1g.18gb"): 16.0,
        ("NVIDIA-A100-SXM4-40GB", "1g.5gb"): 4.75,
        ("NVIDIA-A100-SXM4-40GB", "3g.20gb"): 19.62,
    }
    for (product, profile), gib in listed.items():
        gpu = GPUS[product]
        assert budget(gpu, gpu.mig[profile]) <= gib * SHARE
