"""NVIDIADrivers: a cluster that hands its driver over keeps the pods that run until somebody deletes them."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.lab.openshift.manifests import POOL_TAINT, Manifest, cluster_policy, feature_discovery, operator
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.test_driver import GPU, HOME, major, pods, state

pytestmark = pytest.mark.rough

OWNER = "nvidia.com/gpu-operator.driver.owner"


def driver(name: str, version: str, **spec: Any) -> Manifest:
    image = {"repository": "nvcr.io/nvidia", "image": "driver", "version": version}
    given = {"driverType": "gpu", "default": False, **image, "upgradePolicy": {"autoUpgrade": False}}
    return {
        "apiVersion": "nvidia.com/v1alpha1", "kind": "NVIDIADriver", "metadata": {"name": name},
        "spec": {**given, "tolerations": [POOL_TAINT, {"operator": "Exists"}], **spec},
    }  # fmt: skip


def said(cluster: Rack, name: str) -> tuple[str, str]:
    """State and reason."""
    status = (cluster.get("nvidiadriver", name) or {}).get("status") or {}
    rows = {row["type"]: row["reason"] for row in status.get("conditions") or [] if row["status"] == "True"}
    return status.get("state", ""), rows.get("Ready") or rows.get("Error") or ""


def _runs(cluster: Rack, node: str, version: str) -> bool:
    return major(cluster, node) == version


def test_01_without_the_policys_word_they_do_nothing(cluster: Rack) -> None:
    for package in ("nfd", "gpu-operator-certified"):
        cluster.apply(*operator(package))
        cluster.approve(package)
    cluster.apply(feature_discovery(), cluster_policy())
    cluster.wait("ready", lambda: state(cluster) == "ready" and cluster.allocatable("gpu-2", GPU) == 8)
    cluster.kubectl("label", "node", "gpu-1.lab.example.com", "site/pool=a")
    cluster.apply(
        driver("default", "595.91.07", default=True), driver("a", "580.95.05", nodeSelector={"site/pool": "a"})
    )
    cluster.wait("disabled", lambda: said(cluster, "a")[0] == said(cluster, "default")[0] == "disabled")
    assert cluster.label("gpu-1", OWNER) is None


def test_02_pods_outlive_the_daemonset_that_the_policy_gives_up(cluster: Rack) -> None:
    before = {node: pod["metadata"]["uid"] for node, pod in pods(cluster).items()}
    cluster.apply(cluster_policy(driver={"enabled": True, "useNvidiaDriverCRD": True}))
    cluster.wait("given up", lambda: cluster.get("daemonset", "nvidia-driver-daemonset", "-n", HOME) is None)
    cluster.wait("owners", lambda: (cluster.label("gpu-1", OWNER), cluster.label("gpu-2", OWNER)) == ("a", "default"))
    cluster.wait("late", lambda: said(cluster, "a") == ("notReady", "DriverNotReady"))
    running = {
        each["spec"].get("nodeName", "").partition(".")[0]: each
        for each in cluster.items("pods", "-n", HOME, "-l", "app.kubernetes.io/component=nvidia-driver")
        if each["status"]["phase"] == "Running"
    }
    assert {node: pod["metadata"]["uid"] for node, pod in running.items()} == before
    assert not any(pod["metadata"].get("ownerReferences") for pod in running.values())
    assert cluster.allocatable("gpu-1", GPU) == 8, "what runs goes on"
    assert state(cluster) == "notReady"
    for each in running.values():
        cluster.kubectl("delete", "pod", "-n", HOME, each["metadata"]["name"])
    for node, version in (("gpu-1", "580"), ("gpu-2", "595")):
        cluster.wait("its own", partial(_runs, cluster, node, version))
    cluster.wait("ready", lambda: said(cluster, "a")[0] == said(cluster, "default")[0] == state(cluster) == "ready")


def test_03_two_that_select_one_node_are_refused_and_change_nothing(cluster: Rack) -> None:
    cluster.apply(driver("b", "570.195.03", nodeSelector={"node-role.kubernetes.io/worker": ""}))
    cluster.wait("refused", lambda: said(cluster, "b") == ("notReady", "ConflictingNodeSelector"))
    assert (cluster.label("gpu-1", OWNER), cluster.label("gpu-2", OWNER)) == ("a", "default")
    cluster.kubectl("delete", "nvidiadriver", "b")
    cluster.wait("ready again", lambda: said(cluster, "a")[0] == "ready")


def test_04_what_the_operator_does_not_complete_it_refuses(cluster: Rack) -> None:
    cluster.apply(driver("a", "580.95.05", nodeSelector={"site/pool": "a"}, gdrcopy={"enabled": True}))
    cluster.wait("no image", lambda: said(cluster, "a") == ("notReady", "ReconcileFailed"))
    gds = {"enabled": True, "repository": "nvcr.io/nvidia/cloud-native", "image": "nvidia-fs", "version": "2.29.4"}
    cluster.apply(driver("a", "580.95.05", nodeSelector={"site/pool": "a"}, gds=gds))
    cluster.wait("auto is refused", lambda: "OpenRM" in str(cluster.get("nvidiadriver", "a")["status"]))
    with pytest.raises(AssertionError, match="default NVIDIADriver must not use nodeSelector"):
        cluster.apply(driver("second", "580.95.05", default=True, nodeSelector={"a": "b"}))
