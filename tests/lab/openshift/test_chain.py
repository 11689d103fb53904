"""The whole way by hand: NFD, SR-IOV, GPU, a training job with rails and a MIG pod; then one link at a time is cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from tests.lab.openshift.manifests import (
    OPERATORS,
    POOL_TAINT,
    SRIOV_NAMESPACE,
    cluster_policy,
    feature_discovery,
    gpu_pod,
    network,
    node_policy,
    operator,
    operator_config,
)
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough

SHAPE = {"workers": ("NVIDIA-H200", "NVIDIA-H200", "NVIDIA-H200")}
SERVING = "gpu-3.lab.example.com"
LAYOUT = {"version": "v1", "mig-configs": {
    "all-disabled": [{"devices": "all", "mig-enabled": False}],
    "serving": [{"devices": "all", "mig-enabled": True, "mig-devices": {"1g.18gb": 7}}],
}}  # fmt: skip
POLICY = cluster_policy(migManager={"enabled": True, "config": {"name": "site", "default": "all-disabled"}})


def _layouts() -> dict[str, Any]:
    meta = {"name": "site", "namespace": "nvidia-gpu-operator"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"config.yaml": yaml.safe_dump(LAYOUT)}}


def _job() -> dict[str, Any]:
    limits = {"nvidia.com/gpu": 8, "openshift.io/rail0": 1, "openshift.io/rail1": 1}
    pod = {
        "metadata": {"annotations": {"k8s.v1.cni.cncf.io/networks": "rail0,rail1"}, "labels": {"app": "train"}},
        "spec": {
            "restartPolicy": "Never", "tolerations": [POOL_TAINT],
            "nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-H200", "pool": "training"},
            "containers": [{"name": "main", "image": "x", "resources": {"limits": limits}}],
        },
    }  # fmt: skip
    spec = {"parallelism": 2, "completions": 2, "completionMode": "Indexed", "template": pod}
    return {
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "default"}, "spec": spec,
    }  # fmt: skip


def _train(cluster: Rack) -> list[dict[str, Any]]:
    return cluster.items("pods", "-n", "default", "-l", "app=train")


def _running(cluster: Rack) -> bool:
    phases = [pod["status"]["phase"] for pod in _train(cluster)]
    return phases == ["Running", "Running"]


@pytest.fixture(scope="module")
def chain(cluster: Rack) -> Rack:
    """Everything applied, every pod running. Pools keep training off the node that is about to be sliced."""
    for name in ("gpu-1", "gpu-2"):
        cluster.kubectl("label", "node", f"{name}.lab.example.com", "pool=training")
    for package in OPERATORS:
        cluster.apply(*operator(package))
    for package in OPERATORS:
        cluster.approve(package)
    cluster.apply(feature_discovery(prunerOnDelete=True), operator_config(), _layouts(), POLICY)
    cluster.apply(*(node_policy(rail) for rail in (0, 1)), *(network(rail) for rail in (0, 1)))
    cluster.kubectl("label", "node", SERVING, "nvidia.com/mig.config=serving")
    cluster.apply(_job(), gpu_pod("serve", "nvidia.com/mig-1g.18gb"))
    cluster.wait("the job runs", lambda: _running(cluster), 90)
    cluster.wait("the slice runs", lambda: cluster.pod("serve")[:2] == ("Running", SERVING), 60)
    return cluster


def test_everything_runs_where_it_should(chain: Rack) -> None:
    assert {pod["spec"]["nodeName"] for pod in _train(chain)} == {"gpu-1.lab.example.com", "gpu-2.lab.example.com"}
    assert chain.allocatable("gpu-3", "nvidia.com/mig-1g.18gb") == 56


def _scheduler(words: str) -> Callable[[Rack], bool]:
    return lambda cluster: all(words in str(pod["status"].get("conditions")) for pod in _train(cluster))


def _event(words: str) -> Callable[[Rack], bool]:
    return lambda cluster: words in str([event["message"] for event in cluster.items("events", "-n", "default")])


HOME = ("-n", SRIOV_NAMESPACE)
CUTS = [
    (("clusterpolicy", "gpu-cluster-policy"), POLICY, _scheduler("Insufficient nvidia.com/gpu")),
    (("sriovnetworknodepolicy", "rail1", *HOME), node_policy(1), _scheduler("Insufficient openshift.io/rail1")),
    (("sriovoperatorconfig", "default", *HOME), operator_config(), _scheduler("Insufficient openshift.io/rail0")),
    (("sriovnetwork", "rail1", *HOME), network(1), _event("cannot find a network-attachment-definition (rail1)")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "again", "reason"), CUTS, ids=lambda value: value[0] if isinstance(value, tuple) else ""
)
def test_one_cut_link_and_its_reason(
    chain: Rack, what: tuple[str, ...], again: dict[str, Any], reason: Callable[[Rack], bool]
) -> None:
    chain.kubectl("delete", "job", "train")
    chain.wait("its pods are gone", lambda: not _train(chain))
    chain.kubectl("delete", *what)
    if what[0] in ("clusterpolicy", "sriovoperatorconfig"):
        gone = "nvidia.com/gpu" if what[0] == "clusterpolicy" else "openshift.io/rail0"
        chain.wait("its resource goes", lambda: chain.allocatable("gpu-1", gone) == 0)
    elif what[0] == "sriovnetworknodepolicy":
        chain.wait("its resource goes", lambda: chain.allocatable("gpu-1", "openshift.io/rail1") == 0)
    job = _job()
    if what[0] == "clusterpolicy":
        # The product label goes with it; what is asked here is the resource.
        job["spec"]["template"]["spec"]["nodeSelector"] = {"pool": "training"}
    chain.apply(job)
    chain.wait("the real reason", lambda: len(_train(chain)) == 2 and reason(chain))
    chain.apply(again)
    chain.wait("it runs again", lambda: _running(chain), 60)


def test_pruned_labels_take_the_gpus_of_the_next_start(chain: Rack) -> None:
    """With prunerOnDelete the discovery's labels go: the operator no longer knows GPU nodes, and says so."""
    chain.kubectl("delete", "nodefeaturediscovery", "nfd-instance", "-n", "openshift-nfd")
    chain.wait("labels pruned", lambda: chain.label("gpu-1", "feature.node.kubernetes.io/pci-10de.present") is None)
    chain.wait("said", lambda: "NFD labels missing" in str(chain.get("clusterpolicy", "gpu-cluster-policy")["status"]))
    chain.apply(feature_discovery())
    chain.wait("back", lambda: chain.get("clusterpolicy", "gpu-cluster-policy")["status"]["state"] == "ready")
