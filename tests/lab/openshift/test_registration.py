"""What a kubelet registers its node with: the configuration on its disk, and only when it makes the node."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.lab.openshift.api import Api, ApiError
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.test_pools import _pool, _updated

pytestmark = pytest.mark.rough

NODE = "gpu-1.lab.example.com"
TAINT = {"key": "example.com/training", "value": "yes", "effect": "NoSchedule"}


def _config(name: str, pool: str, **settings: Any) -> dict[str, Any]:
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1", "kind": "KubeletConfig", "metadata": {"name": name},
        "spec": {"machineConfigPoolSelector": {"matchLabels": {"pool": pool}}, "kubeletConfig": settings},
    }  # fmt: skip


def _taints(cluster: Rack) -> list[dict[str, Any]]:
    taints = cluster.get("node", NODE)["spec"].get("taints") or []
    return [each for each in taints if not each["key"].startswith("node.kubernetes.io/")]


def _again(cluster: Rack) -> None:
    """The node goes, and its kubelet starts."""
    cluster.kubectl("delete", "node", NODE)
    cluster.world.fault({"kind": "kubelet", "server": "gpu-1"})
    cluster.wait("registered", lambda: any(each["metadata"]["name"] == NODE for each in cluster.items("nodes")))


def _last(cluster: Rack, name: str) -> dict[str, Any]:
    conditions = cluster.get("kubeletconfig", name).get("status", {}).get("conditions") or [{}]
    return dict(conditions[-1])


def test_01_a_node_that_is_there_gets_no_taint_from_its_kubelets_file(cluster: Rack) -> None:
    pool = _pool("training")
    pool["metadata"]["labels"] = {"pool": "training"}
    cluster.apply(pool)
    before = cluster.world.hosts["gpu-1"].boots
    cluster.kubectl("label", "node", NODE, "node-role.kubernetes.io/training=")
    cluster.apply(_config("own", "training", registerWithTaints=[TAINT]))
    cluster.wait("rolled out", lambda: cluster.world.hosts["gpu-1"].boots > before and _updated(cluster, "training"))
    assert _last(cluster, "own")["type"] == "Success"
    assert cluster.get("machineconfig", "99-training-generated-kubelet")
    assert _taints(cluster) == []


def test_02_a_node_that_its_kubelet_makes_has_it_from_the_first_moment(cluster: Rack) -> None:
    for _ in range(2):
        _again(cluster)
        assert _taints(cluster) == [TAINT]


def test_03_what_the_operator_does_not_allow_is_refused_and_renders_nothing(cluster: Rack) -> None:
    cluster.apply(_config("bad", "training", cgroupDriver="cgroupfs"))
    cluster.wait("refused", lambda: _last(cluster, "bad").get("type") == "Failure")
    assert "cgroupDriver is not allowed to be set" in _last(cluster, "bad")["message"]
    cluster.apply(_config("nobodys", "other", registerWithTaints=[TAINT]))
    cluster.wait("no pool", lambda: "does not match any MachineConfigPools" in _last(cluster, "nobodys")["message"])
    assert not [each for each in cluster.items("machineconfigs") if "generated-kubelet-" in each["metadata"]["name"]]


def test_04_a_second_one_for_a_pool_hides_the_first(cluster: Rack) -> None:
    before = cluster.world.hosts["gpu-1"].boots
    cluster.kubectl("label", "node", NODE, "node-role.kubernetes.io/training=")
    cluster.apply(_config("second", "training", maxPods=300))
    cluster.wait("rolled out", lambda: cluster.world.hosts["gpu-1"].boots > before and _updated(cluster, "training"))
    assert cluster.get("machineconfig", "99-training-generated-kubelet-1")
    _again(cluster)
    assert _taints(cluster) == []


def test_05_a_kubelet_takes_a_node_that_is_there_as_it_is_and_may_not_change_its_taints(cluster: Rack) -> None:
    cluster.kubectl("delete", "node", NODE)
    made = {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE, "labels": {"example.com/mine": "yes"}},
        "spec": {"taints": [TAINT]},
    }  # fmt: skip
    cluster.apply(made)
    cluster.world.fault({"kind": "kubelet", "server": "gpu-1"})
    cluster.wait("registered", lambda: cluster.get("node", NODE)["status"]["nodeInfo"]["kubeletVersion"])
    labels = cluster.get("node", NODE)["metadata"]["labels"]
    assert labels["example.com/mine"] == "yes" and labels["kubernetes.io/hostname"] == NODE
    assert not [key for key in labels if key.startswith("node-role.kubernetes.io/")], "kubelet adds no role later"
    assert _taints(cluster) == [TAINT]
    plane = cluster.side.cluster.plane
    assert plane is not None
    kubelet = Api(plane.access(f"system:node:{NODE}", "system:nodes"))
    path = f"/api/v1/nodes/{NODE}"
    with pytest.raises(ApiError, match="is not allowed to modify taints"):
        kubelet.merge(path, {"spec": {"taints": None}})
    with pytest.raises(ApiError, match="is not allowed to modify labels: node-role"):
        kubelet.merge(path, {"metadata": {"labels": {"node-role.kubernetes.io/worker": ""}}})
    with pytest.raises(ApiError, match="is not allowed to modify node"):
        kubelet.merge(path.replace("gpu-1", "gpu-2"), {"metadata": {"labels": {"example.com/mine": "no"}}})
    kubelet.close()
    cluster.kubectl("label", "node", NODE, "node-role.kubernetes.io/worker=")
