"""Triton and NIM: what their containers are started with, where they listen, and how long they are waited for."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.design.workloads import engines, monitor, service
from podwright.components.model import Cluster, Inference, load
from podwright.components.model.expand import expand
from podwright.components.model.loading import seconds
from tests.design import whole
from tools.generated import ROOT

GOLDEN = Path(__file__).with_name("engines.yaml")
EXAMPLE = ROOT / "tests/examples/platform/Pulumi.platform.yaml"


@pytest.fixture(scope="module")
def stack() -> Cluster:
    return load(EXAMPLE)


def _service(stack: Cluster, name: str, **changes: Any) -> Inference:
    return Inference.model_validate({**stack.workloads.inference[name].model_dump(), **changes})


def _container(stack: Cluster, name: str, **changes: Any) -> dict[str, Any]:
    deployment, *_ = service(name, _service(stack, name, **changes), whole.members(stack, "inference"))
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    return dict(container)


def _env(container: dict[str, Any]) -> dict[str, Any]:
    return {each["name"]: each.get("value", each.get("valueFrom")) for each in container["env"]}


def test_every_object_of_triton_and_of_a_nim(stack: Cluster) -> None:
    """Word by word."""
    made = [
        each
        for name in ("ranking", "assistant")
        for objects in (
            service(name, stack.workloads.inference[name], whole.members(stack, "inference")),
            monitor(name, stack.workloads.inference[name]),
        )
        for each in objects
    ]
    assert made == list(yaml.safe_load_all(GOLDEN.read_text()))


def test_triton_loads_what_is_named_and_lets_nobody_else_load(stack: Cluster) -> None:
    args = _container(stack, "ranking")["args"]
    assert args[:2] == ["tritonserver", "--model-repository=/models/repository"]
    assert [each for each in args if "model-control" in each or "load-model" in each] == [
        "--model-control-mode=explicit", "--load-model=rank", "--load-model=embed_v2",
    ]  # fmt: skip
    fences = [each for each in args if "restricted" in each]
    assert len(fences) == 2
    assert all("=model-repository," in each and each.endswith("=$(POD_UID)") for each in fences)
    assert _env(_container(stack, "ranking"))["POD_UID"] == {"fieldRef": {"fieldPath": "metadata.uid"}}


def test_triton_without_names_loads_all_and_nothing_changes_it(stack: Cluster) -> None:
    args = _container(stack, "ranking", triton=None)["args"]
    assert "--model-control-mode=none" in args
    assert not [each for each in args if "load-model" in each]


def test_triton_has_three_ports_and_monitoring_reads_the_third(stack: Cluster) -> None:
    ports = {each["name"]: each["containerPort"] for each in _container(stack, "ranking", port=9000)["ports"]}
    assert ports == {"http": 9000, "grpc": 8001, "metrics": 8002}
    policy, found = monitor("ranking", stack.workloads.inference["ranking"])
    assert [each["port"] for each in policy["spec"]["ingress"][0]["ports"]] == [8002]
    assert found["spec"]["endpoints"][0]["port"] == "metrics"
    assert monitor("assistant", stack.workloads.inference["assistant"]) == ()


@pytest.mark.parametrize(("engine", "port", "path"), [("vllm", 8000, "/metrics"), ("nim", 8000, "/v1/metrics")])
def test_other_engines_have_their_metrics_beside_what_they_serve(
    stack: Cluster, engine: str, port: int, path: str
) -> None:
    policy, found = monitor("chat", _service(stack, "chat", engine=engine, model="meta/x", metrics=True))
    assert [each["port"] for each in policy["spec"]["ingress"][0]["ports"]] == [port]
    (endpoint,) = found["spec"]["endpoints"]
    assert (endpoint["port"], endpoint["path"]) == ("http", path)


def test_the_key_of_a_nim_is_a_reference_and_without_a_secret_there_is_none(stack: Cluster) -> None:
    key = _env(_container(stack, "assistant"))["NGC_API_KEY"]
    assert key == {"secretKeyRef": {"name": "ngc-api", "key": "NGC_API_KEY"}}
    filled = _container(stack, "assistant", nim={"cache": "nim-cache", "ngc_secret": None})
    assert "NGC_API_KEY" not in json.dumps(filled)


def test_a_nim_keeps_its_model_in_the_claim_that_is_named_or_in_its_home(stack: Cluster) -> None:
    servers = whole.members(stack, "inference")
    sizes = {}
    for nim in ({"cache": "nim-cache"}, {}):
        found = _service(stack, "assistant", nim=nim)
        deployment, *_ = service("assistant", found, servers)
        pod = deployment["spec"]["template"]["spec"]
        (home,) = (each["emptyDir"]["sizeLimit"] for each in pod["volumes"] if each["name"] == "home")
        sizes[_env(pod["containers"][0])["NIM_CACHE_PATH"]] = home
    assert sizes == {"/cache": "8Gi", "/home/pod/.cache/nim": "149Gi"}


def test_clients_call_a_nim_by_the_name_in_the_file(stack: Cluster) -> None:
    assert _env(_container(stack, "assistant"))["NIM_SERVED_MODEL_NAME"] == "meta/llama-3.1-8b-instruct"
    assert _env(_container(stack, "assistant", served_name="chat"))["NIM_SERVED_MODEL_NAME"] == "chat"


@pytest.mark.parametrize(("name", "failures"), [("chat", 60), ("ranking", 60), ("assistant", 180)])
def test_a_nim_is_waited_for_as_long_as_nvidias_chart_waits(stack: Cluster, name: str, failures: int) -> None:
    probe = _container(stack, name)["startupProbe"]
    assert probe["failureThreshold"] * probe["periodSeconds"] == failures * 10


def test_a_service_is_alive_before_its_model_is_ready(stack: Cluster) -> None:
    probes = ("livenessProbe", "readinessProbe", "startupProbe")
    paths = {
        name: [_container(stack, name)[probe]["httpGet"]["path"] for probe in probes]
        for name in ("chat", "ranking", "assistant")
    }
    assert paths == {
        "chat": ["/health"] * 3,
        "ranking": ["/v2/health/live", "/v2/health/ready", "/v2/health/ready"],
        "assistant": ["/v1/health/live", "/v1/health/ready", "/v1/health/ready"],
    }


SIZED = {"engine": "triton", "sizing": {"parameters_billion": 100, "precision": "fp8"}}
"""100 GB, 800 Gb."""


@pytest.mark.parametrize(
    ("service", "found"),
    [
        (SIZED, 120 + 2 * 80),
        ({**SIZED, "gpus": 4}, 120 + 2 * 20),
        ({**SIZED, "gpus": 4, "slice": "1g.18gb"}, 120 + 2 * 80),
        ({**SIZED, "engine": "vllm"}, None),
        ({**SIZED, "engine": "nim"}, None),
        ({**SIZED, "engine": "nim", "nim": {"cache": "c"}}, None),
        ({**SIZED, "engine": "nim", "nim": {"cache": "c", "ngc_secret": None}}, 280),
        ({"engine": "triton"}, None),
        ({**SIZED, "sizing": {"parameters_billion": "many"}}, None),
        ({**SIZED, "sizing": {"parameters_billion": 10_000, "precision": "fp32"}}, 3600),
    ],
)
def test_what_is_read_from_a_volume_is_waited_for_as_storage_is_sized(
    service: dict[str, Any], found: int | None
) -> None:
    assert seconds(service, 10) == found
    assert seconds(service, None) is None


def test_a_stack_file_takes_the_time_from_storage(stack: Cluster) -> None:
    document = yaml.safe_load(EXAMPLE.read_text())["config"]["podwright:cluster"]
    document["storage"]["read"] = {"gbps_per_gpu": 1}
    sized = {"parameters_billion": 4, "precision": "fp8", "concurrency": 1}
    for name in ("ranking", "chat"):
        document["workloads"]["inference"][name]["sizing"] = sized
    services = expand(document).value["workloads"]["inference"]
    assert services["ranking"]["load_seconds"] == 120 + 2 * 32
    assert "load_seconds" not in services["chat"]
    assert stack.workloads.inference["ranking"].load_seconds is None


def test_a_model_is_downloaded_where_no_volume_has_it(stack: Cluster) -> None:
    downloads = {name: engines.downloads(each) for name, each in stack.workloads.inference.items()}
    assert not any(downloads.values())
    assert engines.downloads(_service(stack, "assistant", nim=None))
    assert engines.downloads(_service(stack, "chat", model="org/chat"))
