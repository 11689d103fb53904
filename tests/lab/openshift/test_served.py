"""Triton and NIM of the lab by themselves: what they answer as their vendor says, and what keeps them from starting."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from podwright.lab.openshift.serving import images, nim, pbtxt, triton
from podwright.lab.openshift.serving.box import Answer, Box, EndedError, Mounted, Request, Served

CONFIG = """
# what ranks
name: "rank"
backend: 'onnxruntime'
max_batch_size: 8
input [ { name: "INPUT" data_type: TYPE_FP32 dims: [ 4 ] } ]
output { name: "OUTPUT", data_type: TYPE_FP32, dims: 4 }
instance_group [ { kind: KIND_GPU count: 1 gpus: [ 0, 1 ] } ]
"""
FILES = {"repository/rank/config.pbtxt": CONFIG, "repository/rank/1/model.onnx": "", "lost+found/x": ""}
TRITON = ("tritonserver", "--model-repository=/models/repository")
EXPLICIT = (*TRITON, "--model-control-mode=explicit")
IMAGE = "nvcr.io/nim/meta/llama-3.1-8b-instruct@sha256:" + "0" * 64
KEY = {"NGC_API_KEY": "nvapi-of-nobody"}


def _box(*words: str, gpus: int = 2, files: dict[str, str] | None = None, **more: Any) -> Box:
    mounts = [Mounted("/models", dict(FILES) if files is None else files, read_only=True)]
    return Box(words, more.pop("env", {}), [*mounts, *more.pop("mounts", ())], gpus, **more)


def _ends(box: Box) -> tuple[int, str]:
    with pytest.raises(EndedError) as end:
        nim.start(box, IMAGE) if not box.words else triton.start(box)
    return end.value.code, end.value.log


def _asked(served: Served, path: str, port: int = 8000, body: Any = None, **headers: str) -> Answer:
    method = "GET" if body is None else "POST"
    return served.ports[port](Request(method, path, headers, b"" if body is None else json.dumps(body).encode()))


def _said(answer: Answer) -> Any:
    return json.loads(answer.body)


# --- Triton -----------------------------------------------------------------------------------------------------


def test_triton_is_live_and_ready_and_shows_its_models() -> None:
    served = triton.start(_box(*TRITON))
    assert {_asked(served, f"/v2/health/{each}").status for each in ("live", "ready")} == {200}
    assert _said(_asked(served, "/v2"))["name"] == "triton"
    assert _said(_asked(served, "/v2/models/rank")) == {
        "name": "rank", "versions": ["1"], "platform": "onnxruntime",
        "inputs": [{"name": "INPUT", "datatype": "FP32", "shape": [4]}],
        "outputs": [{"name": "OUTPUT", "datatype": "FP32", "shape": [4]}],
    }  # fmt: skip
    assert _asked(served, "/v2/models/rank/ready").status == 200
    assert _asked(served, "/v2/models/other").status == 400


def test_an_inference_is_answered_and_counted() -> None:
    served = triton.start(_box(*TRITON))
    rows = {"inputs": [{"name": "INPUT", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}]}
    assert _said(_asked(served, "/v2/models/rank/infer", body=rows))["outputs"][0]["data"] == [1, 2, 3, 4]
    wrong = {"inputs": [{**rows["inputs"][0], "name": "OTHER"}]}
    assert "unexpected inference input" in _said(_asked(served, "/v2/models/rank/infer", body=wrong))["error"]
    assert _asked(served, "/v2/models/rank/infer", body={}).status == 400
    text = _asked(served, "/metrics", port=8002).body.decode()
    assert 'nv_inference_request_success{model="rank",version="1"} 1' in text
    assert text.count("nv_gpu_utilization{") == 2


@pytest.mark.parametrize(
    ("words", "files", "said"),
    [
        (("tritonserver",), FILES, "--model-repository must be specified"),
        (("tritonserver", "--model-repository=/models/none"), FILES, "failed to stat file /models/none"),
        (("tritonserver", "--model-repository=/elsewhere"), FILES, "failed to stat file /elsewhere"),
        (("tritonserver", "--model-repository=/models"), FILES, "failed to load all models"),
        ((*EXPLICIT, "--load-model=other"), FILES, "model not found in any model repository"),
        ((*EXPLICIT, "--load-model=*", "--load-model=rank"), FILES, "must be the ONLY startup model"),
        ((*TRITON, "--load-model=rank"), FILES, "requires setting '--model-control-mode=explicit'"),
        ((*TRITON, "--model-control-mode=other"), FILES, "invalid argument for --model-control-mode"),
        ((*TRITON, "--tensor-parallel-size=2"), FILES, "unrecognized option '--tensor-parallel-size=2'"),
        ((*TRITON, "--http-port=8001"), FILES, "listen to"),
        ((*TRITON, "--http-restricted-api=models:key=x"), FILES, "unknown restricted api 'models'"),
        (TRITON, {"repository/rank/config.pbtxt": CONFIG}, "at least one version must be available"),
        (TRITON, {**FILES, "repository/rank/config.pbtxt": 'name: "x"'}, "does not match model name"),
        (TRITON, {**FILES, "repository/rank/config.pbtxt": "name rank {"}, "failed to read text proto"),
    ],
)
def test_triton_ends_where_the_real_one_ends(words: tuple[str, ...], files: dict[str, str], said: str) -> None:
    code, log = _ends(_box(*words, files=files))
    assert code == 1
    assert said in log


def test_a_model_for_two_gpus_does_not_load_on_one() -> None:
    _, log = _ends(_box(*TRITON, gpus=1))
    assert "specifies invalid or unsupported gpu id 1." in log
    assert log.endswith("are: 0\nerror: creating server: Internal - failed to load all models")


def test_triton_goes_on_without_a_model_where_it_is_told_to_and_is_not_ready() -> None:
    served = triton.start(_box(*TRITON, "--exit-on-error=false", gpus=1))
    assert [_asked(served, f"/v2/health/{each}").status for each in ("live", "ready")] == [200, 400]
    assert _asked(served, "/v2/models/rank").status == 404
    lenient = triton.start(_box(*TRITON, "--exit-on-error=false", "--strict-readiness=false", gpus=1))
    assert _asked(lenient, "/v2/health/ready").status == 200


def test_models_are_loaded_by_request_in_mode_explicit_alone() -> None:
    fixed, open_ = triton.start(_box(*TRITON)), triton.start(_box(*EXPLICIT))
    load = "/v2/repository/models/rank/load"
    assert _asked(fixed, load, body={}).status == 503
    assert _asked(open_, "/v2/models/rank/ready").status == 400
    assert _said(_asked(open_, "/v2/repository/index", body={})) == [{"name": "rank"}]
    assert _asked(open_, load, body={}).status == 200
    assert _asked(open_, "/v2/models/rank/ready").status == 200
    assert _said(_asked(open_, "/v2/repository/index", body={})) == [{"name": "rank", "version": "1", "state": "READY"}]
    assert _asked(open_, "/v2/repository/models/other/load", body={}).status == 500


def test_a_restricted_api_asks_for_its_header() -> None:
    served = triton.start(_box(*EXPLICIT, "--load-model=rank", "--http-restricted-api=model-repository,trace:pod=u-1"))
    refused = _asked(served, "/v2/repository/index", body={})
    assert (refused.status, _said(refused)["error"]) == (403, "This API is restricted, expecting header 'pod'")
    assert _asked(served, "/v2/repository/index", body={}, pod="u-1").status == 200
    assert _asked(served, "/v2/models/rank").status == 200


# --- NIM --------------------------------------------------------------------------------------------------------


def _nim(**more: Any) -> Box:
    cache = more.pop("cache", None)
    mounts = [Mounted("/cache", {} if cache is None else cache, read_only=more.pop("read_only", False))]
    env = {"NIM_CACHE_PATH": "/cache", **KEY, **more.pop("env", {})}
    return _box(env=env, mounts=mounts, **more)


def test_a_nim_is_ready_lists_its_model_and_completes() -> None:
    served = nim.start(_nim(env={"NIM_SERVED_MODEL_NAME": "meta/llama-3.1-8b-instruct"}), IMAGE)
    assert {_asked(served, f"/v1/health/{each}").status for each in ("live", "ready")} == {200}
    assert [each["id"] for each in _said(_asked(served, "/v1/models"))["data"]] == ["meta/llama-3.1-8b-instruct"]
    asked = {"model": "meta/llama-3.1-8b-instruct", "messages": [{"role": "user", "content": "ping"}]}
    found = _said(_asked(served, "/v1/chat/completions", body=asked))
    assert found["choices"][0]["message"]["content"] == "ping"
    other = _asked(served, "/v1/chat/completions", body={**asked, "model": "gpt"})
    assert (other.status, _said(other)["message"]) == (404, "The model `gpt` does not exist.")
    assert _asked(served, "/v1/chat/completions", body={}).status == 400
    assert 'model_name="meta/llama-3.1-8b-instruct"} 1' in _asked(served, "/v1/metrics").body.decode()


def test_a_nim_listens_where_it_is_told_to() -> None:
    assert list(nim.start(_nim(env={"NIM_SERVER_PORT": "9000"}), IMAGE).ports) == [9000]


def test_a_nim_without_a_key_does_not_download_and_needs_none_for_what_it_has() -> None:
    cache: dict[str, str] = {}
    bare = {"NGC_API_KEY": ""}
    assert "Authentication Error" in _ends(_nim(cache=cache, env=bare))[1]
    assert nim.start(_nim(cache={}, env=bare, wants_key=False), IMAGE).ports
    nim.start(_nim(cache=cache), IMAGE)
    assert nim.start(_nim(cache=cache, env=bare), IMAGE).ports
    assert nim.start(_nim(cache=cache, env=bare, read_only=True), IMAGE).ports
    assert "Permission denied" in _ends(_nim(read_only=True))[1]


def test_a_nim_that_reaches_nobody_starts_from_its_cache_without_a_key() -> None:
    cache: dict[str, str] = {}
    nim.start(_nim(cache=cache), IMAGE)
    assert "Connection error" in _ends(_nim(cache=cache, connected=False))[1]
    assert nim.start(_nim(cache=cache, connected=False, env={"NGC_API_KEY": ""}), IMAGE).ports


@pytest.mark.parametrize(
    ("profile", "gpus", "said"),
    [("vllm-bf16-tp4-pp1", 2, "4 GPUs, found 2"), ("trtllm-x-tp1", 2, "is not in the manifest"), ("", 0, "No GPUs")],
)
def test_a_nim_ends_on_too_few_gpus(profile: str, gpus: int, said: str) -> None:
    assert said in _ends(_nim(gpus=gpus, env={"NIM_MODEL_PROFILE": profile}))[1]


def test_a_profile_is_called_by_its_name_or_its_id() -> None:
    for each in ("vllm-fp8-tp2-pp1", nim.identity("vllm-fp8-tp2-pp1")):
        found = _said(_asked(nim.start(_nim(env={"NIM_MODEL_PROFILE": each}), IMAGE), "/v1/metadata"))
        assert found["profile"] == nim.identity("vllm-fp8-tp2-pp1")


# --- both -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("image", "engine"),
    [
        ("nvcr.io/nvidia/tritonserver@sha256:0", "triton"), ("registry.example.com/nv/tritonserver:26.10", "triton"),
        ("nvcr.io/nim/meta/llama-3.1-8b-instruct:1.3", "nim"), ("mirror.example.com:5000/nim/nvidia/x@sha256:0", "nim"),
        ("registry.example.com/serving/vllm@sha256:0", ""), ("nvcr.io/nvidia/tritonserver-sdk:1", ""), ("nim:1", ""),
    ],
)  # fmt: skip
def test_an_image_is_known_by_its_name_and_kwok_waits_for_the_same_ones(image: str, engine: str) -> None:
    assert images.engine({"image": image}) == engine
    assert bool(re.search(images.EITHER, image)) == bool(engine)


def test_a_sub_path_is_where_the_volume_begins() -> None:
    box = replace(_box(), mounts=[Mounted("/repo", dict(FILES), sub_path="repository")])
    assert box.folder("/repo") == {"rank": True}
    assert box.read("/repo/rank/1/model.onnx") == ""


def test_text_format_has_lists_messages_and_comments() -> None:
    assert pbtxt.parse(CONFIG)["instance_group"] == [{"kind": ["KIND_GPU"], "count": [1], "gpus": [0, 1]}]
    with pytest.raises(ValueError, match="Expected"):
        pbtxt.parse("input [ {")
