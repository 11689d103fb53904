"""The choice of GPUs for a model as people and pipelines call it."""

import json
from pathlib import Path

import pytest

from tests.cli.command import inside as run


def test_a_model_of_seventy_billion_parameters() -> None:
    answer = run("gpus", "--parameters", "70.6", "--precision", "fp8", "--concurrency", "32")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "70.6 billion parameters in fp8, 32 requests of 8192 tokens, shape of Llama 3.1 70B" in answer.stdout
    assert "NVIDIA-H200                             2 GPUs" in answer.stdout
    assert "not Tesla-T4: compute capability 7.5 does not calculate in fp8, which takes 8.9" in answer.stdout


def test_the_same_as_json() -> None:
    answer = json.loads(
        run("gpus", "--parameters", "3.2", "--concurrency", "2", "--gpu", "NVIDIA-H200", "--json").stdout
    )
    (option,) = answer["options"]
    assert (option["product"], option["profile"], option["gpus"]) == ("NVIDIA-H200", "1g.18gb", 1)
    assert option["need"]["total"] < option["budget"]
    assert answer["refused"] == []


def test_the_model_s_own_shape(tmp_path: Path) -> None:
    """Attention heads that only 1, 2 and 4 GPUs divide."""
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"num_hidden_layers": 28, "num_attention_heads": 28, "hidden_size": 3584,
                                  "num_key_value_heads": 4}))  # fmt: skip
    answer = run("gpus", "--parameters", "70", "--config", str(config), "--gpu", "NVIDIA-L4")
    assert answer.returncode == 1
    assert "no GPU holds this in one server" in answer.stdout
    assert "not NVIDIA-L4: 4 GPUs share 130.4 GiB of weights" in answer.stdout


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--parameters", "7", "--precision", "int3"), "int3 is not one of fp32, bf16"),
        (("--parameters", "7", "--gpu", "H200"), "H200 is not one of NVIDIA-H100-80GB-HBM3"),
        (("--parameters", "0"), "greater than or equal to 0.01"),
        (("--parameters", "1000"), "no shape is assumed for 1000 billion parameters"),
        (("--parameters", "7", "--config", "/nowhere.json"), "/nowhere.json cannot be read as JSON"),
    ],
)
def test_a_mistake_is_named(words: tuple[str, ...], reason: str) -> None:
    answer = run("gpus", *words)
    assert answer.returncode == 2
    assert reason in " ".join(answer.stderr.split())
