"""The NICs' driver of each pool: on the pool's nodes alone, never beside the cluster's own, never two on a node."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lab.openshift.manifests import nic_cluster_policy, operator
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough

SHAPE = {"workers": ("NVIDIA-H200", "NVIDIA-H200", "NVIDIA-H200"), "openshift": "4.20.3"}
HOME = "nvidia-network-operator"
WAIT = "network.nvidia.com/operator.mofed.wait"
WORKERS = ("gpu-1", "gpu-2", "gpu-3")


def _of_pool(name: str) -> dict[str, Any]:
    driver = nic_cluster_policy()["spec"]["ofedDriver"]
    return {
        "apiVersion": "mellanox.com/v1alpha1", "kind": "NicNodePolicy", "metadata": {"name": name},
        "spec": {"nodeSelector": {f"pool-{name}": ""}, "ofedDriver": driver, "tolerations": [{"operator": "Exists"}]},
    }  # fmt: skip


def _of_cluster() -> dict[str, Any]:
    policy = nic_cluster_policy()
    return {**policy, "spec": {key: value for key, value in policy["spec"].items() if key != "ofedDriver"}}


def _states(cluster: Rack) -> dict[str, str]:
    return {each["metadata"]["name"]: each.get("status", {}).get("state", "") for each in cluster.items("nnp")}


def _driven(cluster: Rack) -> dict[str, str]:
    pods = cluster.items("pods", "-n", HOME)
    found = ((pod["metadata"]["labels"].get("app", ""), pod["spec"]["nodeName"].split(".")[0]) for pod in pods)
    return {node: app for app, node in found if app.startswith("mofed")}


def _waits(cluster: Rack) -> list[str]:
    return [cluster.label(name, WAIT) or "" for name in WORKERS]


def _label(cluster: Rack, name: str, *labels: str) -> None:
    cluster.kubectl("label", "node", f"{name}.lab.example.com", *labels)


def test_01_a_pools_driver_is_on_its_nodes_alone(cluster: Rack) -> None:
    for name in WORKERS:
        _label(cluster, name, "feature.node.kubernetes.io/pci-15b3.present=true")
    _label(cluster, "gpu-1", "pool-a=")
    _label(cluster, "gpu-2", "pool-b=")
    cluster.apply(*operator(HOME))
    cluster.approve(HOME)
    cluster.apply(_of_pool("a"))
    cluster.wait("driven", lambda: _states(cluster) == {"a": "ready"})
    assert _driven(cluster) == {"gpu-1": "mofed-rhcos-a-ds"}
    assert _waits(cluster) == ["false", "", ""]


def test_02_nodes_of_no_pool_wait_for_no_driver(cluster: Rack) -> None:
    """They keep the driver of their system: the cluster's policy labels nodes that no pool's policy selects."""
    cluster.apply(_of_cluster())
    cluster.wait("nobody waits", lambda: _waits(cluster) == ["false", "false", "false"])
    cluster.apply(_of_pool("b"))
    cluster.wait("both", lambda: _states(cluster) == {"a": "ready", "b": "ready"})
    assert _driven(cluster) == {"gpu-1": "mofed-rhcos-a-ds", "gpu-2": "mofed-rhcos-b-ds"}


def test_03_a_node_that_two_policies_select_stops_both(cluster: Rack) -> None:
    _label(cluster, "gpu-3", "pool-a=", "pool-b=")
    cluster.wait("error", lambda: _states(cluster) == {"a": "error", "b": "error"})
    (reason, _) = [each["status"]["reason"] for each in cluster.items("nnp")]
    assert reason.startswith('node selector overlap detected: node "gpu-3.lab.example.com"')
    _label(cluster, "gpu-3", "pool-a-", "pool-b-")
    cluster.wait("both again", lambda: _states(cluster) == {"a": "ready", "b": "ready"})


def _version(cluster: Rack, version: str) -> None:
    change = f'{{"spec":{{"ofedDriver":{{"version":"{version}"}}}}}}'
    cluster.kubectl("patch", "nnp", "a", "--type=merge", "-p", change)


def _image(cluster: Rack, node: str) -> str:
    pods = cluster.items("pods", "-n", HOME, "-l", "nvidia.com/ofed-driver")
    found = (pod for pod in pods if pod["spec"]["nodeName"].startswith(f"{node}."))
    return str(next(found)["spec"]["containers"][0]["image"])


def _delete(cluster: Rack, node: str) -> None:
    name = f"{node}.lab.example.com"
    field = f"--field-selector=spec.nodeName={name}"
    cluster.kubectl("delete", "pods", "-n", HOME, "-l", "nvidia.com/ofed-driver", field)


def test_04_another_version_waits_until_somebody_deletes_the_pod(cluster: Rack) -> None:
    _version(cluster, "doca3.3.0-26.01-1.0.0.0-0")
    cluster.wait("not ready", lambda: _states(cluster) == {"a": "notReady", "b": "ready"})
    assert ":doca3.4.1-26.04-1.1.0.0-1-rhcos4.20-amd64" in _image(cluster, "gpu-1")
    assert _waits(cluster) == ["false", "false", "false"], "what runs goes on"
    _delete(cluster, "gpu-1")
    cluster.wait("ready", lambda: _states(cluster) == {"a": "ready", "b": "ready"})
    assert ":doca3.3.0-26.01-1.0.0.0-0-rhcos4.20-amd64" in _image(cluster, "gpu-1")


def test_05_a_version_that_nobody_publishes_starts_nowhere(cluster: Rack) -> None:
    _version(cluster, "doca3.9.9-26.10-9.9.9.9-9")
    cluster.wait("not ready", lambda: _states(cluster)["a"] == "notReady")
    _delete(cluster, "gpu-1")
    cluster.wait("no driver", lambda: _waits(cluster) == ["true", "false", "false"])
    _version(cluster, "doca3.4.1-26.04-1.1.0.0-1")
    cluster.wait("its template", lambda: "doca3.4.1" in str(cluster.get("ds", "mofed-rhcos-a-ds", "-n", HOME)["spec"]))
    _delete(cluster, "gpu-1")
    cluster.wait("ready", lambda: _states(cluster) == {"a": "ready", "b": "ready"})


def test_06_the_driver_is_in_one_kind_alone(cluster: Rack) -> None:
    cluster.apply(nic_cluster_policy(configured=False))
    cluster.wait("error", lambda: _states(cluster) == {"a": "error", "b": "error"})
    assert all("already defines ofedDriver" in each["status"]["reason"] for each in cluster.items("nnp"))
