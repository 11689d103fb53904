"""Pods take addresses from their node's part of a CIDRPool; a node that has none leaves them pending."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from podwright.lab.world.model import PortView
from tests.lab.openshift.manifests import network as sriov_network
from tests.lab.openshift.manifests import (
    nic_cluster_policy,
    node_policy,
    operator,
    operator_config,
    perftest_pod,
)
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.test_rails import LOG, OPTIONS, Leaf
from tests.lab.prepared import prepared

SHAPE = {"workers": ("NVIDIA-H200", "NVIDIA-H200", "NVIDIA-H200")}
pytestmark = pytest.mark.rough

HOME = "nvidia-network-operator"
PORTS = {"gpu-1": 1, "gpu-2": 3, "gpu-3": 5}
"""Leaf port of each worker's rail0."""
RAIL = json.dumps({"type": "nv-ipam", "poolName": "rail0", "poolType": "cidrpool"})


class Routed(Leaf):
    """A leaf whose ports each have the even address of a /31."""

    def port(self, name: str) -> PortView:
        number = int(name.rpartition("/")[2])
        return replace(super().port(name), routed=True, vlan=None, networks=(f"10.64.8.{2 * number}/31",))


def _node(name: str) -> str:
    return f"{name}.lab.example.com"


def _pool(*workers: str, **spec: Any) -> dict[str, Any]:
    names = [_node(name) for name in workers]
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]} for name in names]
    static = [{"nodeName": _node(name), "prefix": f"10.64.8.{2 * PORTS[name]}/31"} for name in workers]
    whole = {"cidr": "10.64.0.0/16", "perNodeNetworkPrefix": 31, "gatewayIndex": 0, "staticAllocations": static}
    return {
        "apiVersion": "nv-ipam.nvidia.com/v1alpha1", "kind": "CIDRPool",
        "metadata": {"name": "rail0", "namespace": HOME},
        "spec": {**whole, "routes": [{"dst": "10.64.0.0/16"}], "nodeSelector": {"nodeSelectorTerms": terms}, **spec},
    }  # fmt: skip


def _allocations(cluster: Rack) -> list[dict[str, str]]:
    found = cluster.get("cidrpool", "rail0", "-n", HOME) or {}
    rows: list[dict[str, str]] = found.get("status", {}).get("allocations", [])
    return rows


def _messages(cluster: Rack, *where: str) -> str:
    return str([event["message"] for event in cluster.items("events", *where)])


def _sent(cluster: Rack) -> tuple[int, str]:
    """What a client on gpu-1 ends with that sends to a server on gpu-2."""
    cluster.apply(perftest_pod("server", "gpu-2", ["ib_write_bw", *OPTIONS]))
    cluster.wait("server runs", lambda: cluster.pod("server")[0] == "Running")
    command = ["ib_write_bw", *OPTIONS, "--out_json", f"--out_json_file={LOG}", cluster.attached_address("server")]
    cluster.apply(perftest_pod("client", "gpu-1", command))
    found = cluster.ended("client")
    cluster.kubectl("delete", "pod", "client", "server")
    return found


def test_01_the_policy_brings_the_kind_controller_and_daemons(cluster: Rack) -> None:
    prepared(cluster.world).attach_switch("leaf-01", Routed())
    for name in PORTS:
        cluster.kubectl("label", "node", _node(name), "feature.node.kubernetes.io/pci-15b3.present=true")
    for package in ("nvidia-network-operator", "sriov-network-operator"):
        cluster.apply(*operator(package))
        cluster.approve(package)
    assert "the server doesn't have a resource type" in cluster.kubectl("get", "cidrpools", check=False)
    policy = nic_cluster_policy(configured=False)
    image = {"image": "nvidia-k8s-ipam", "repository": "nvcr.io/nvidia/mellanox", "version": "network-operator-v26.4.1"}
    policy["spec"]["nvIpam"] = {**image, "enableWebhook": False}
    cluster.apply(policy)
    cluster.wait("ready", lambda: cluster.get("nicclusterpolicy", "nic-cluster-policy")["status"]["state"] == "ready")
    states = cluster.get("nicclusterpolicy", "nic-cluster-policy")["status"]["appliedStates"]
    assert {"name": "state-nv-ipam-cni", "state": "ready"} in states
    assert cluster.get("daemonset", "nv-ipam-node", "-n", HOME)["status"]["numberReady"] == 6


def test_02_a_pool_gives_each_node_that_it_names_its_own_part(cluster: Rack) -> None:
    cluster.apply(operator_config(), node_policy(0), _pool("gpu-1", "gpu-2"))
    expected = [
        {"nodeName": _node(name), "prefix": f"10.64.8.{2 * PORTS[name]}/31", "gateway": f"10.64.8.{2 * PORTS[name]}"}
        for name in ("gpu-1", "gpu-2")
    ]
    cluster.wait("allocated", lambda: _allocations(cluster) == expected)
    cluster.wait("functions", lambda: all(cluster.allocatable(name, "openshift.io/rail0") == 1 for name in PORTS))


def test_03_a_pool_elsewhere_is_nobody_s(cluster: Rack) -> None:
    elsewhere = _pool("gpu-3")
    elsewhere["metadata"]["namespace"] = "default"
    cluster.apply(elsewhere)
    marker = _pool("gpu-3")
    marker["metadata"]["name"] = "later"
    cluster.apply(marker)
    cluster.wait("the later one is", lambda: "status" in cluster.get("cidrpool", "later", "-n", HOME))
    assert "status" not in cluster.get("cidrpool", "rail0", "-n", "default")
    cluster.kubectl("delete", "cidrpool", "later", "-n", HOME)
    cluster.kubectl("delete", "cidrpool", "rail0", "-n", "default")


def test_04_pods_of_one_attachment_get_their_node_s_address_and_reach_each_other(cluster: Rack) -> None:
    cluster.apply(sriov_network(0, ipam=RAIL))
    cluster.wait("attachment", lambda: cluster.get("net-attach-def", "rail0") is not None)
    code, text = _sent(cluster)
    assert code == 0, text
    assert json.loads(text)["results"]["BW_average"] > 360


def test_05_a_node_without_an_allocation_leaves_the_pod_pending(cluster: Rack) -> None:
    cluster.apply(perftest_pod("left-out", "gpu-3", ["ib_write_bw", *OPTIONS]))
    expected = 'code = NotFound desc = configuration for pool "rail0", poolType "cidrpool" not found'
    cluster.wait("event", lambda: expected in _messages(cluster).replace("\\'", "'"))
    assert cluster.pod("left-out")[0] == "Pending"
    cluster.apply(_pool("gpu-1", "gpu-2", "gpu-3"))
    cluster.wait("runs", lambda: cluster.pod("left-out")[0] == "Running")
    assert cluster.attached_address("left-out") == "10.64.8.11"
    cluster.kubectl("delete", "pod", "left-out")


def test_06_a_second_pod_finds_no_address(cluster: Rack) -> None:
    cluster.apply(node_policy(0, numVfs=2))
    cluster.wait("two functions", lambda: cluster.allocatable("gpu-3", "openshift.io/rail0") == 2, 60)
    cluster.wait("uncordoned", lambda: not any(n["spec"].get("unschedulable") for n in cluster.items("nodes")))
    for name in ("first", "second"):
        cluster.apply(perftest_pod(name, "gpu-3", ["ib_write_bw", *OPTIONS]))
    expected = 'code = ResourceExhausted desc = no free addresses in the pool "rail0", poolType "cidrpool"'
    cluster.wait("event", lambda: expected in _messages(cluster))
    pair = ("first", "second")
    cluster.wait("one runs", lambda: sorted(cluster.pod(name)[0] for name in pair) == ["Pending", "Running"])
    cluster.kubectl("delete", "pod", "first", "second")


def test_07_an_address_that_is_not_the_port_s_reaches_nobody(cluster: Rack) -> None:
    """Parts in the order of nodes' names, as a pool without static allocations divides itself."""
    cluster.apply(_pool("gpu-1", "gpu-2", staticAllocations=[]))
    cluster.kubectl("delete", "cidrpool", "rail0", "-n", HOME)
    cluster.apply(_pool("gpu-1", "gpu-2", staticAllocations=[]))
    cluster.wait("allocated", lambda: len(_allocations(cluster)) == 2)
    assert _allocations(cluster)[0]["prefix"] == "10.64.0.0/31"
    code, text = _sent(cluster)
    assert code == 1
    assert "Completion with error" in text


def test_08_a_pool_that_is_wrong_gives_nothing_and_the_reason_is_an_event(cluster: Rack) -> None:
    cluster.apply(_pool("gpu-1", gatewayIndex=2))
    expected = "gateway index is outside of the node prefix"
    cluster.wait("event", lambda: expected in _messages(cluster, "-n", HOME))
    cluster.wait("empty", lambda: _allocations(cluster) == [])
    refused = cluster.kubectl("apply", "-f", "-", stdin=json.dumps(_pool("gpu-1", cidr=None)), check=False)
    assert "spec.cidr" in refused
