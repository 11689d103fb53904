"""NICs as mlx5 starts them, and what it takes to bring them into a lossless class: NVIDIA's two operators."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.lab.world.traffic import Flow
from tests.lab.openshift.manifests import (
    maintenance_config,
    nic_cluster_policy,
    nic_template,
    node_policy,
    operator,
    operator_config,
)
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.test_rails import Leaf

SHAPE = {"workers": ("NVIDIA-H200", "NVIDIA-H200", "NVIDIA-H200")}
pytestmark = pytest.mark.rough

WORKERS = ("gpu-1", "gpu-2", "gpu-3")
HOME = "nvidia-network-operator"
WAIT = "network.nvidia.com/operator.nic-configuration.wait"
MOFED = "network.nvidia.com/operator.mofed.wait"
RAW = [{"name": "CNP_DSCP_P1", "value": "48"}, {"name": "CNP_802P_PRIO_P1", "value": "6"}]


@pytest.fixture(scope="module")
def leaf(cluster: Rack) -> Leaf:
    made = Leaf()
    cluster.world.attach_switch("leaf-01", made)
    return made


def _nics(cluster: Rack) -> list[Any]:
    return [cluster.world.servers[name].nics[f"rail{rail}"] for name in WORKERS for rail in range(2)]


def _incast(cluster: Rack) -> float:
    """Gb/s that two senders get through to a third server on one rail."""
    for nic in _nics(cluster):
        nic.mtu = 9000
    flows = [Flow(f"{name}:rail0", "gpu-3:rail0") for name in WORKERS[:2]]
    return sum(each.gbps for each in cluster.world.traffic(flows, 0.01))


def _conditions(cluster: Rack) -> list[tuple[str, str]]:
    """(status, reason) of every rail's device, its observed generation compared with its own."""
    found = []
    for device in cluster.items("nicdevices", "-n", HOME):
        row = next(r for r in device["status"]["conditions"] if r["type"] == "ConfigUpdateInProgress")
        current = row.get("observedGeneration") == device["metadata"]["generation"]
        if device["status"]["type"] == "a2dc":
            found.append((row["status"], row["reason"] if current else "old"))
    return found


def _configured(cluster: Rack) -> bool:
    return _conditions(cluster) == [("False", "UpdateSuccessful")] * 6 and all(
        cluster.label(name, WAIT) == "false" for name in WORKERS
    )


def _boots(cluster: Rack) -> list[int]:
    return [cluster.world.hosts[name].boots for name in WORKERS]


def _functions(cluster: Rack) -> list[int]:
    return [cluster.allocatable(name, f"openshift.io/rail{rail}") for name in WORKERS for rail in range(2)]


def _cordoned(cluster: Rack) -> list[str]:
    return [node["metadata"]["name"] for node in cluster.items("nodes") if node["spec"].get("unschedulable")]


def test_01_a_nic_starts_without_trust_and_pause(cluster: Rack, leaf: Leaf) -> None:
    assert {(nic.trust_dscp, nic.pfc, nic.mtu) for nic in _nics(cluster)} == {(False, frozenset(), 1500)}
    assert _incast(cluster) < 120


def test_02_devices_are_found_and_wait_for_nobody(cluster: Rack) -> None:
    for name in WORKERS:
        cluster.kubectl("label", "node", f"{name}.lab.example.com", "feature.node.kubernetes.io/pci-15b3.present=true")
    for package in ("nvidia-network-operator", "sriov-network-operator"):
        cluster.apply(*operator(package))
        cluster.approve(package)
    cluster.apply(nic_cluster_policy())
    # An API server serves a new kind some moments after the definition is there.
    served = ("api-resources", "--api-group=configuration.net.nvidia.com", "-o", "name")
    cluster.wait("kinds come with the policy", lambda: "nicdevices." in cluster.kubectl(*served, check=False))
    cluster.wait("devices", lambda: _conditions(cluster) == [("False", "DeviceConfigSpecEmpty")] * 6)
    cluster.wait("nobody waits", lambda: all(cluster.label(name, WAIT) == "false" for name in WORKERS))
    (policy,) = cluster.items("nicclusterpolicies")
    assert "state-nic-configuration-operator" in {row["name"] for row in policy["status"]["appliedStates"]}


def test_03_without_the_maintenance_operator_nothing_is_written(cluster: Rack) -> None:
    before = _boots(cluster)
    cluster.apply(nic_template())
    cluster.wait("started", lambda: ("True", "UpdateStarted") in _conditions(cluster))
    assert _boots(cluster) == before
    assert _incast(cluster) < 120


def test_04_firmware_restarts_nodes_one_by_one(cluster: Rack) -> None:
    before, most = _boots(cluster), 0
    cluster.apply(*operator("nvidia-maintenance-operator"))
    cluster.approve("nvidia-maintenance-operator")
    cluster.apply(maintenance_config())

    def through() -> bool:
        nonlocal most
        most = max(most, len(_cordoned(cluster)))
        return _configured(cluster)

    cluster.wait("configured", through, 90)
    assert _boots(cluster) == [boots + 1 for boots in before]
    assert most == 1
    cluster.wait("given back", lambda: not _cordoned(cluster) and not cluster.items("nodemaintenances", "-A"))
    pools = cluster.items("machineconfigpools")
    assert not [pool for pool in pools if pool["spec"].get("paused")]


def test_05_the_operators_own_mark_of_notifications_is_queued_with_bulk(cluster: Rack) -> None:
    """DSCP 4 is in no class of the leaf: pause holds, and senders are told late."""
    assert {(nic.trust_dscp, nic.pfc, nic.cnp_dscp) for nic in _nics(cluster)} == {(True, frozenset({3}), 4)}
    assert 300 < _incast(cluster) < 350


def test_06_raw_values_put_notifications_into_their_class(cluster: Rack) -> None:
    before = _boots(cluster)
    cluster.apply(nic_template(rawNvConfig=RAW))
    cluster.wait("another restart", lambda: _boots(cluster) == [boots + 1 for boots in before], 90)
    cluster.wait("configured", lambda: _configured(cluster))
    assert {nic.cnp_dscp for nic in _nics(cluster)} == {48}
    assert _incast(cluster) > 360


def test_07_functions_need_the_firmware_where_the_plugin_is_off(cluster: Rack) -> None:
    config = operator_config()
    config["spec"] |= {
        "disablePlugins": ["mellanox"],
        "configDaemonNodeSelector": {"node-role.kubernetes.io/worker": "", MOFED: "false", WAIT: "false"},
    }
    cluster.apply(config, node_policy(0), node_policy(1, numVfs=2))
    where = ("sriovnetworknodestates", "gpu-1.lab.example.com", "-n", "openshift-sriov-network-operator")
    cluster.wait("refused", lambda: "exceeds totalvfs 1" in cluster.get(*where)["status"].get("lastSyncError", ""))
    cluster.apply(node_policy(1))
    cluster.wait("one function a rail", lambda: _functions(cluster) == [1] * 6)
    assert {nic.mtu for nic in _nics(cluster)} == {9000}


def test_08_a_driver_that_starts_again_is_configured_again(cluster: Rack) -> None:
    before = _boots(cluster)
    pods = cluster.items("pods", "-n", HOME, "-l", "app=mofed-rhcos-ds")
    first = next(pod for pod in pods if pod["spec"]["nodeName"].startswith("gpu-1"))["metadata"]["name"]
    memory = cluster.side._around.host_memory("gpu-1.lab.example.com")  # type: ignore[union-attr]
    driver = memory.driver
    cluster.kubectl("delete", "pod", first, "-n", HOME)
    cluster.wait("loaded anew", lambda: memory.driver != driver)
    cluster.wait("configured", lambda: _configured(cluster) and all(nic.pfc == {3} for nic in _nics(cluster)))
    cluster.wait("functions", lambda: cluster.allocatable("gpu-1", "openshift.io/rail0") == 1)
    assert _boots(cluster) == before
    assert _incast(cluster) > 360


def test_09_what_a_hand_changes_is_put_right_at_the_next_look(cluster: Rack) -> None:
    cluster.world.fault({"kind": "nic", "end": "gpu-2:rail1", "trust_dscp": False, "pfc": []})
    assert not cluster.world.servers["gpu-2"].nics["rail1"].trust_dscp
    cluster.wait("put right", lambda: cluster.world.servers["gpu-2"].nics["rail1"].pfc == {3})


def test_10_two_templates_for_one_nic_cancel_each_other(cluster: Rack) -> None:
    cluster.apply(nic_template("again"))
    cluster.wait("nothing is asked", lambda: set(_conditions(cluster)) == {("False", "DeviceConfigSpecEmpty")})
    cluster.wait("event", lambda: "again,rails" in str([e["message"] for e in cluster.items("events", "-n", HOME)]))
    cluster.kubectl("delete", "nicconfigurationtemplate", "again", "-n", HOME)
    cluster.wait("configured", lambda: _configured(cluster), 90)


def test_11_a_value_that_firmware_does_not_have_is_named(cluster: Rack) -> None:
    cluster.apply(nic_template(rawNvConfig=[*RAW, {"name": "CNP_DSP_P1", "value": "48"}]))
    cluster.wait("named", lambda: _conditions(cluster) == [("False", "IncorrectSpec")] * 6)


def test_12_the_schema_of_the_release_has_no_ecn(cluster: Rack) -> None:
    template = nic_template()
    template["spec"]["template"]["roceOptimized"]["qos"]["ecn"] = {"enabled": True, "priority": 3}
    with pytest.raises(AssertionError, match="ecn: field not declared in schema"):
        cluster.apply(template)
