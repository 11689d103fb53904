"""GPUs reach a pod only through the whole chain: OLM, NFD, ClusterPolicy, operands, MIG."""

from __future__ import annotations

import time
from typing import Any

import pytest
import yaml

from podwright.lab.openshift.cache import Cache
from tests.lab.openshift.manifests import POOL_TAINT, cluster_policy, feature_discovery, gpu_pod, operator
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough

GPU = "nvidia.com/gpu"
PRESENT = "feature.node.kubernetes.io/pci-10de.present"


def test_01_a_manual_subscription_waits_for_approval(cluster: Rack) -> None:
    cluster.apply(*operator("nfd"))
    cluster.wait("a plan", lambda: bool(cluster.items("installplans", "-n", "openshift-nfd")))
    plan = cluster.items("installplans", "-n", "openshift-nfd")[0]
    cluster.wait(
        "waits", lambda: cluster.get("sub", "nfd", "-n", "openshift-nfd")["status"].get("state") == "UpgradePending"
    )
    assert plan["spec"]["approved"] is False
    assert cluster.get("crd", "nodefeaturediscoveries.nfd.openshift.io") is None, (
        "the bundle brings its CRDs, not the cluster"
    )
    assert cluster.csv_phase("nfd") is None
    cluster.approve("nfd")
    cluster.wait(
        "latest", lambda: cluster.get("sub", "nfd", "-n", "openshift-nfd")["status"]["state"] == "AtLatestKnown"
    )


def test_02_without_operator_group_nothing_resolves(cluster: Rack) -> None:
    namespace, group, subscription = operator("gpu-operator-certified")
    cluster.apply(namespace, subscription)
    time.sleep(3)
    assert cluster.items("installplans", "-n", "nvidia-gpu-operator") == []
    events = cluster.items("events", "-n", "nvidia-gpu-operator")
    assert any("expected 1" in e["message"] for e in events)
    cluster.apply(group)
    cluster.approve("gpu-operator-certified")


def test_03_no_labels_without_a_discovery_and_no_gpus_without_labels(cluster: Rack) -> None:
    cluster.apply(cluster_policy())
    cluster.wait(
        "says why",
        lambda: "NFD labels missing" in str((cluster.get("clusterpolicy", "gpu-cluster-policy") or {}).get("status")),
    )
    assert cluster.label("gpu-1", PRESENT) is None
    assert cluster.allocatable("gpu-1", GPU) == -1
    cluster.apply(feature_discovery())
    cluster.wait("NFD label", lambda: cluster.label("gpu-1", PRESENT) == "true")
    cluster.wait("8 GPUs", lambda: cluster.allocatable("gpu-1", GPU) == 8 and cluster.allocatable("gpu-2", GPU) == 8)
    cluster.wait("ready", lambda: cluster.get("clusterpolicy", "gpu-cluster-policy")["status"]["state"] == "ready")
    assert cluster.label("gpu-1", "nvidia.com/gpu.product") == "NVIDIA-H200"
    assert cluster.label("cp-1", PRESENT) is None


def test_04_a_pod_gets_its_gpus(cluster: Rack) -> None:
    cluster.apply(gpu_pod("whole", GPU, 8))
    cluster.wait("runs", lambda: cluster.pod("whole")[0] == "Running")
    cluster.apply(gpu_pod("greedy", GPU, 16))
    cluster.wait("explained", lambda: "Insufficient nvidia.com/gpu" in cluster.pod("greedy")[2])
    cluster.kubectl("delete", "pod", "greedy", "whole")


def test_05_labels_of_the_operator_are_put_back(cluster: Rack) -> None:
    cluster.kubectl(
        "label", "node", "gpu-1.lab.example.com", "nvidia.com/gpu.product=NVIDIA-H100-SXM5-80GB", "--overwrite"
    )
    cluster.wait("put back", lambda: cluster.label("gpu-1", "nvidia.com/gpu.product") == "NVIDIA-H200")


def test_06_mig_by_the_operators_map_and_by_the_sites(cluster: Rack) -> None:
    layout = {"version": "v1", "mig-configs": {
        "all-disabled": [{"devices": "all", "mig-enabled": False}],
        "serving": [{"devices": "all", "mig-enabled": True, "mig-devices": {"1g.18gb": 3, "4g.71gb": 1}}],
        "impossible": [{"devices": "all", "mig-enabled": True, "mig-devices": {"3g.71gb": 2, "1g.18gb": 1}}],
    }}  # fmt: skip
    cluster.apply({"apiVersion": "v1", "kind": "ConfigMap",
                   "metadata": {"name": "site-mig", "namespace": "nvidia-gpu-operator"},
                   "data": {"config.yaml": yaml.safe_dump(layout)}})  # fmt: skip
    cluster.apply(
        cluster_policy(migManager={"enabled": True, "config": {"name": "site-mig", "default": "all-disabled"}})
    )
    node = "gpu-2.lab.example.com"
    cluster.kubectl("label", "node", node, "nvidia.com/mig.config=serving", "--overwrite")
    cluster.wait("24 slices", lambda: cluster.allocatable("gpu-2", "nvidia.com/mig-1g.18gb") == 24)
    assert cluster.label("gpu-2", "nvidia.com/mig.config.state") == "success"
    assert cluster.allocatable("gpu-2", "nvidia.com/mig-4g.71gb") == 8
    assert cluster.allocatable("gpu-2", GPU) == 0
    cluster.apply(gpu_pod("slice", "nvidia.com/mig-1g.18gb"))
    cluster.wait("runs", lambda: cluster.pod("slice")[:2] == ("Running", node))
    cluster.kubectl("label", "node", node, "nvidia.com/mig.config=all-disabled", "--overwrite")
    cluster.wait("in use", lambda: cluster.label("gpu-2", "nvidia.com/mig.config.state") == "failed")
    cluster.kubectl("delete", "pod", "slice")
    cluster.kubectl("label", "node", node, "nvidia.com/mig.config=impossible", "--overwrite")
    time.sleep(2)
    assert cluster.label("gpu-2", "nvidia.com/mig.config.state") == "failed"
    assert cluster.allocatable("gpu-2", "nvidia.com/mig-1g.18gb") == 24, "a refused layout changes nothing"


def test_07_a_taint_that_operands_do_not_tolerate_keeps_gpus_away(cluster: Rack) -> None:
    node = "gpu-1.lab.example.com"
    cluster.kubectl("taint", "node", node, "pool=training:NoExecute")
    cluster.wait("plugin evicted", lambda: cluster.allocatable("gpu-1", GPU) == 0)
    pool = {"key": "pool", "operator": "Exists"}
    cluster.apply(cluster_policy(daemonsets={"tolerations": [POOL_TAINT, pool]}))
    cluster.wait("back", lambda: cluster.allocatable("gpu-1", GPU) == 8)
    cluster.kubectl("taint", "node", node, "pool-")


def test_08_deleting_the_policy_takes_the_gpus_away(cluster: Rack) -> None:
    cluster.kubectl("delete", "clusterpolicy", "gpu-cluster-policy")
    cluster.wait("no GPUs", lambda: cluster.allocatable("gpu-1", GPU) == 0)
    cluster.wait("no product label", lambda: cluster.label("gpu-1", "nvidia.com/gpu.product") is None)
    cluster.apply(gpu_pod("late", GPU))
    cluster.wait("explained", lambda: "Insufficient nvidia.com/gpu" in cluster.pod("late")[2])
    cluster.apply(cluster_policy())
    cluster.wait("runs", lambda: cluster.pod("late")[0] == "Running")


def test_09_an_operator_outlives_its_subscription_and_blocks_the_next(cluster: Rack) -> None:
    cluster.kubectl("delete", "sub", "nfd", "-n", "openshift-nfd")
    time.sleep(2)
    assert cluster.csv_phase("nfd") == "Succeeded"
    cluster.apply(operator("nfd")[2])
    cluster.wait(
        "refused",
        lambda: (
            "is not referenced by a subscription" in str(cluster.get("sub", "nfd", "-n", "openshift-nfd").get("status"))
        ),
    )
    cluster.kubectl("delete", "csv", "nfd.4.22.0", "-n", "openshift-nfd")
    cluster.wait(
        "deployment collected",
        lambda: cluster.get("deployment", "nfd-controller-manager", "-n", "openshift-nfd") is None,
    )
    cluster.approve("nfd")
    assert cluster.get("crd", "nodefeaturediscoveries.nfd.openshift.io") is not None


def test_10_what_the_watch_has_not_told_yet_is_not_planned_again(
    cluster: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = Cache._take

    def late(self: Cache, held: Any, event: Any) -> None:
        if event["object"]["kind"] == "ClusterServiceVersion":
            time.sleep(1.0)
        take(self, held, event)

    monkeypatch.setattr(Cache, "_take", late)
    cluster.apply(*operator("sriov-network-operator"))
    cluster.approve("sriov-network-operator")
    namespace = "openshift-sriov-network-operator"
    cluster.wait(
        "latest",
        lambda: cluster.get("sub", "sriov-network-operator", "-n", namespace)["status"]["state"] == "AtLatestKnown",
    )
    assert len(cluster.items("installplans", "-n", namespace)) == 1
