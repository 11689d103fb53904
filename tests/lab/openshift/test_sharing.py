"""Shared GPUs as NVIDIA's device plugin shares them: names, counts, labels, and what it ends with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.lab.openshift.manifests import cluster_policy, feature_discovery, gpu_pod, operator
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough

GPU, SHARE = "nvidia.com/gpu", "nvidia.com/gpu.shared"
LABEL = "nvidia.com/device-plugin.config"


def _way(count: int, mode: str = "timeSlicing", **more: Any) -> str:
    rows = [{"name": GPU, "replicas": count}]
    way = {"renameByDefault": True, "failRequestsGreaterThanOne": True, "resources": rows, **more}
    return yaml.safe_dump({"version": "v1", "sharing": {mode: way}})


FILES = {
    "whole": yaml.safe_dump({"version": "v1"}), "four": _way(4), "mps": _way(6, "mps"), "many": _way(49, "mps"),
    "unnamed": _way(4, renameByDefault=False), "once": _way(1),
}  # fmt: skip


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rack]:
    rack = Rack(tmp_path_factory.mktemp("sharing") / "rack", masters=1)
    try:
        rack.install()
        for package in ("nfd", "gpu-operator-certified"):
            rack.apply(*operator(package))
            rack.approve(package)
        home = {"name": "sharing", "namespace": "nvidia-gpu-operator"}
        rack.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": home, "data": FILES}, feature_discovery())
        rack.apply(cluster_policy(devicePlugin={"enabled": True, "config": {"name": "sharing", "default": "whole"}}))
        rack.wait("GPUs", lambda: rack.allocatable("gpu-1", GPU) == 8 and rack.allocatable("gpu-2", GPU) == 8, 90)
        yield rack
    finally:
        rack.close()


def _choose(shared: Rack, name: str, node: str = "gpu-1") -> None:
    shared.kubectl("label", "node", f"{node}.lab.example.com", f"{LABEL}={name}", "--overwrite")


def test_01_shares_are_offered_under_their_own_name_and_labelled(shared: Rack) -> None:
    _choose(shared, "four")
    shared.wait("32 shares", lambda: shared.allocatable("gpu-1", SHARE) == 32)
    assert shared.allocatable("gpu-1", GPU) == 0
    shared.wait("labels", lambda: shared.label("gpu-1", "nvidia.com/gpu.sharing-strategy") == "time-slicing")
    assert shared.label("gpu-1", "nvidia.com/gpu.replicas") == "4"
    assert shared.label("gpu-1", "nvidia.com/gpu.product") == "NVIDIA-H200", "renamed: no -SHARED"
    assert shared.allocatable("gpu-2", GPU) == 8, "another node is not touched"


def test_02_a_pod_takes_one_and_two_end_in_an_error(shared: Rack) -> None:
    shared.apply(gpu_pod("one", SHARE, 1), gpu_pod("two", SHARE, 2))
    shared.wait("runs", lambda: shared.pod("one")[0] == "Running")
    shared.wait("fails", lambda: shared.pod("two")[0] == "Failed")
    assert "maximum request size for shared resources is 1; found 2" in shared.get("pod", "two")["status"]["message"]
    shared.kubectl("delete", "pod", "one", "two")


@pytest.mark.parametrize("name", ["sharing", "once", "many"])
def test_03_what_the_plugin_cannot_use_is_not_offered(shared: Rack, name: str) -> None:
    """The map's own name is no key of it; one replica is none; MPS serves 48 clients."""
    _choose(shared, "four", "gpu-2")
    shared.wait("shared", lambda: shared.allocatable("gpu-2", SHARE) == 32)
    _choose(shared, name, "gpu-2")
    words = {"sharing": "specified config sharing does not exist", "once": ">= 2", "many": "49 > 48"}[name]
    shared.wait("an event", lambda: any(words in str(each.get("message")) for each in shared.items("events", "-A")))
    # Config-manager leaves the file that was linked before; an MPS daemon that ends leaves the plugin waiting.
    kept = {"sharing": 32, "once": 32, "many": 0}[name]
    shared.wait("what is left", lambda: shared.allocatable("gpu-2", SHARE) == kept)
    _choose(shared, "whole", "gpu-2")
    shared.wait("whole again", lambda: shared.allocatable("gpu-2", GPU) == 8)


def test_04_mps_serves_whole_gpus(shared: Rack) -> None:
    _choose(shared, "mps")
    shared.wait("48 shares", lambda: shared.allocatable("gpu-1", SHARE) == 48)
    shared.wait("labels", lambda: shared.label("gpu-1", "nvidia.com/gpu.sharing-strategy") == "mps")


def test_05_without_a_name_of_its_own_a_share_is_taken_for_a_gpu(shared: Rack) -> None:
    _choose(shared, "unnamed")
    shared.wait("32 so-called GPUs", lambda: shared.allocatable("gpu-1", GPU) == 32)
    shared.wait("labels", lambda: shared.label("gpu-1", "nvidia.com/gpu.product") == "NVIDIA-H200-SHARED")
