"""Shared GPUs: one configuration a way to share, labels that name it, pods that ask for a share under its own name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podwright.components import model
from podwright.components.design.operators.device_plugin import REPLICAS
from podwright.components.design.workloads.engines.vllm import memory_share
from podwright.components.model import Cluster, Sharing
from tests.design import whole
from tests.design.goldens import cluster
from tools.generated import ROOT

FILE = ROOT / "tests/examples/sharing/Pulumi.sharing.yaml"
LABEL = "nvidia.com/device-plugin.config"


@pytest.fixture(scope="module")
def shared() -> Cluster:
    return model.load(FILE)


def _settings(defined: Cluster, kind: str) -> list[dict[str, Any]]:
    return [each for operator in whole.operators(defined) for each in operator.settings if each["kind"] == kind]


def _files(defined: Cluster) -> dict[str, dict[str, Any]]:
    (found,) = (
        each for each in _settings(defined, "ConfigMap") if each["metadata"]["name"] == "podwright-device-plugin"
    )
    return {name: json.loads(text) for name, text in found["data"].items()}


def test_nodes_name_a_configuration_that_is_there_and_others_share_nothing(shared: Cluster) -> None:
    labels = {node["metadata"]["name"]: node["metadata"]["labels"] for node in whole.platform(shared).nodes}
    chosen = {name: each[LABEL] for name, each in labels.items() if LABEL in each}
    assert chosen == {"dev-1": "time-slicing-4", "dev-2": "mps-6", "dev-3": "time-slicing-2"}
    files = _files(shared)
    assert set(chosen.values()) <= set(files)
    (policy,) = _settings(shared, "ClusterPolicy")
    default = policy["spec"]["devicePlugin"]["config"]["default"]
    assert "sharing" not in files[default]


def test_every_way_that_a_pool_may_take_is_there_before_a_node_asks_for_it(shared: Cluster) -> None:
    assert set(_files(shared)) == {"whole"} | {f"{mode}-{n}" for mode in ("time-slicing", "mps") for n in REPLICAS}


@pytest.mark.parametrize("name", ["time-slicing-4", "mps-6"])
def test_a_share_has_a_name_of_its_own_and_a_pod_takes_one(shared: Cluster, name: str) -> None:
    (way,) = _files(shared)[name]["sharing"].values()
    assert way["renameByDefault"] is True and way["failRequestsGreaterThanOne"] is True
    assert {each["replicas"] for each in way["resources"]} == {int(name.rpartition("-")[2])}


def test_mps_divides_no_slices(shared: Cluster) -> None:
    files = _files(shared)
    assert [each["name"] for each in files["mps-6"]["sharing"]["mps"]["resources"]] == ["nvidia.com/gpu"]
    assert "nvidia.com/mig-1g.18gb" in {
        each["name"] for each in files["time-slicing-2"]["sharing"]["timeSlicing"]["resources"]
    }


def test_replicas_ask_for_a_share_and_take_its_part_of_the_memory(shared: Cluster) -> None:
    pods = {
        each["metadata"]["name"]: each["spec"]["template"]["spec"]["containers"][0]
        for each in whole.workloads(shared)
        if each["kind"] == "Deployment"
    }
    asked = {
        name: next(key for key in pod["resources"]["limits"] if key.startswith("nvidia.com/"))
        for name, pod in pods.items()
    }
    assert asked["vectors"] == "nvidia.com/gpu.shared"
    assert asked["drafts"] == "nvidia.com/mig-1g.18gb.shared"
    args = pods["vectors"]["args"]
    assert args[args.index("--gpu-memory-utilization") + 1] == "0.150"


@pytest.mark.parametrize("replicas", REPLICAS)
def test_the_parts_of_all_shares_fit_one_gpu(replicas: int) -> None:
    assert 0 < float(memory_share(Sharing(mode="mps", replicas=replicas))) * replicas <= 0.9


def test_quotas_count_shares(shared: Cluster) -> None:
    hard = {
        each["metadata"]["namespace"]: each["spec"]["hard"]
        for each in whole.platform(shared).manifests
        if each["kind"] == "ResourceQuota"
    }
    assert hard["search"]["requests.nvidia.com/gpu.shared"] == "12"
    assert hard["chat"]["requests.nvidia.com/mig-1g.18gb.shared"] == "28"


def test_without_sharing_nothing_of_it_is_planned() -> None:
    lab = cluster("lab")
    assert "config" not in _settings(lab, "ClusterPolicy")[0]["spec"]["devicePlugin"]
    assert not any(LABEL in node["metadata"]["labels"] for node in whole.platform(lab).nodes)
