"""What a kubelet registers its node with: the configuration on its disk, and only when it makes the node."""

from __future__ import annotations

from typing import Any

import pytest

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
