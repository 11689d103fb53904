"""A pool that divides its GPUs in different ways: its layout in MIG manager's map, on its nodes, and in their offer."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.cli.offers import planned
from podwright.components import model
from podwright.components.model import Cluster
from podwright.lab.openshift.gpu import mig
from podwright.lab.openshift.hardware import GPUS
from tests.design import whole
from tools.generated import ROOT

NAME = "4x1x3g.71gb-1x2g.35gb-2x1g.18gb_2x7x1g.18gb_2xwhole"


@pytest.fixture(scope="module")
def mixed() -> Cluster:
    return model.load(ROOT / "tests/examples/sharing/Pulumi.sharing.yaml")


def _map(defined: Cluster) -> dict[str, Any]:
    (found,) = (
        each
        for operator in whole.operators(defined)
        for each in operator.settings
        if each["metadata"]["name"] == "podwright-mig-layouts"
    )
    return mig.parse(found["data"]["config.yaml"])


def _nodes(defined: Cluster) -> dict[str, dict[str, Any]]:
    rollouts = whole.rollouts(defined, whole.compute(defined).digests)
    return {node["name"]: node["mig"] for spec in rollouts.values() for node in spec["nodes"] if "mig" in node}


def test_the_map_and_the_roll_out_have_the_layout_under_one_name(mixed: Cluster) -> None:
    found = _nodes(mixed)
    assert found["dev-4"]["layout"] == NAME
    assert _map(mixed)[NAME] == found["dev-4"]["config"]
    assert found["dev-3"] == {"layout": "all-1g.18gb", "resources": ["nvidia.com/mig-1g.18gb.shared"]}, "as it was"


def test_pods_find_what_the_layout_makes_of_the_gpus(mixed: Cluster) -> None:
    placed = mig.instances(_map(mixed)[NAME], GPUS["NVIDIA-H200-NVL"], 8)
    offered = mig.resources(placed, "mixed")
    assert offered == {
        "nvidia.com/mig-1g.18gb": 22, "nvidia.com/mig-2g.35gb": 4, "nvidia.com/mig-3g.71gb": 4, "nvidia.com/gpu": 2
    }  # fmt: skip
    assert set(_nodes(mixed)["dev-4"]["resources"]) == set(offered)
    assert planned(mixed, mixed.servers["dev-4"]) == offered
    assert whole.node_pools(mixed)["mixed"].rails.whole_gpus == 2


def test_a_cluster_without_such_a_pool_has_the_map_it_had(mixed: Cluster) -> None:
    said = mixed.model_dump(mode="json")
    said["pools"]["mixed"] |= {"mig_gpus": [], "mig": "all-1g.18gb"}
    without = _map(model.Cluster.model_validate(said))
    assert {name: rows for name, rows in _map(mixed).items() if name != NAME} == without
