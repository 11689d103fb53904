"""Another GPU driver in the stack file reaches every node in one `up`, pool by pool, and nothing is left to do."""

import json
from typing import Any

import pytest

from tests.e2e.site import Site
from tests.e2e.standing import kubectl
from tests.e2e.test_drift import drifted

pytestmark = pytest.mark.rough

MAJOR = "nvidia.com/cuda.driver.major"
# One pod may be away, and it is all there is: a service that fills its only node lets nobody drain it. Services come
# after operators in an update, so this one stands before another driver is asked for.
SMALL = {"workloads/inference/chat/replicas": 1}
ANOTHER = {"operators/gpu_driver": "580.95.05"}


def _majors(site: Site) -> set[str]:
    nodes: list[Any] = json.loads(kubectl(site, "get", "nodes", "-l", MAJOR, "-o", "json"))["items"]
    assert not [node for node in nodes if node["spec"].get("unschedulable")]
    return {node["metadata"]["labels"][MAJOR] for node in nodes}


def _rollouts(site: Site) -> dict[str, Any]:
    return {each.name: each.paths for each in site.preview() if each.type.endswith(":DriverRollout")}


def test_another_driver_reaches_every_node_in_one_up(site: Site) -> None:
    before = site.stack_file.read_text()
    assert _majors(site) == {"595"}
    try:
        site.edit(SMALL)
        site.up()
        site.edit(ANOTHER)
        moved = _rollouts(site)
        assert set(moved) == {"lab-gpu-driver-inference", "lab-gpu-driver-training"}
        assert all("spec.trigger" in paths for paths in moved.values())
        site.up()
        assert _majors(site) == {"580"}
        assert site.preview() == []
    finally:
        site.stack_file.write_text(before)
        site.up("--refresh", "--run-program")
    assert _majors(site) == {"595"}
    assert drifted(site) == {}
