"""The NVIDIA driver: its DaemonSet is updated OnDelete, so another version waits until somebody deletes its pods."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lab.openshift.manifests import cluster_policy, feature_discovery, operator
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough

GPU, HOME = "nvidia.com/gpu", "nvidia-gpu-operator"


def driver(version: str) -> dict[str, Any]:
    section = {"enabled": True, "repository": "nvcr.io/nvidia", "image": "driver", "version": version}
    return cluster_policy(driver=section)


def pods(cluster: Rack) -> dict[str, Any]:
    """The driver's pods by node, without the domain."""
    found = cluster.items("pods", "-n", HOME, "-l", "app.kubernetes.io/component=nvidia-driver")
    return {pod["spec"]["nodeName"].partition(".")[0]: pod for pod in found}


def state(cluster: Rack) -> str:
    return str(cluster.get("clusterpolicy", "gpu-cluster-policy")["status"]["state"])


def major(cluster: Rack, node: str) -> str | None:
    return cluster.label(node, "nvidia.com/cuda.driver.major")


def test_another_version_waits_on_every_node_until_its_pod_is_deleted(cluster: Rack) -> None:
    for package in ("nfd", "gpu-operator-certified"):
        cluster.apply(*operator(package))
        cluster.approve(package)
    cluster.apply(feature_discovery(), cluster_policy())
    cluster.wait("ready", lambda: state(cluster) == "ready" and cluster.allocatable("gpu-2", GPU) == 8)
    assert major(cluster, "gpu-1") == "595"
    before = {node: pod["metadata"]["uid"] for node, pod in pods(cluster).items()}
    cluster.apply(driver("580.95.05"))
    cluster.wait("not ready", lambda: state(cluster) == "notReady")
    assert {node: pod["metadata"]["uid"] for node, pod in pods(cluster).items()} == before
    assert cluster.allocatable("gpu-1", GPU) == 8, "what runs goes on"
    cluster.kubectl("delete", "pod", "-n", HOME, pods(cluster)["gpu-1"]["metadata"]["name"])
    cluster.wait("new driver", lambda: major(cluster, "gpu-1") == "580")
    assert (major(cluster, "gpu-2"), state(cluster)) == ("595", "notReady")
    cluster.kubectl("delete", "pod", "-n", HOME, pods(cluster)["gpu-2"]["metadata"]["name"])
    cluster.wait("all", lambda: major(cluster, "gpu-2") == "580" and state(cluster) == "ready")


def test_a_version_that_nobody_publishes_starts_nowhere(cluster: Rack) -> None:
    cluster.apply(driver("580.99.99"))
    cluster.wait("not ready", lambda: state(cluster) == "notReady")
    cluster.kubectl("delete", "pod", "-n", HOME, pods(cluster)["gpu-1"]["metadata"]["name"])
    cluster.wait("no GPUs", lambda: cluster.allocatable("gpu-1", GPU) == 0)
    assert pods(cluster)["gpu-1"]["status"]["phase"] == "Pending"
    assert cluster.allocatable("gpu-2", GPU) == 8
