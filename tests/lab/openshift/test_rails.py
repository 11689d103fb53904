"""RDMA reaches a pod through SR-IOV policy, network and request; what it then carries is the world's business."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from podwright.components.providers.openshift import ports
from podwright.lab.world.model import PortView
from podwright.lab.world.views import RoutingView
from tests.lab.openshift.manifests import (
    SRIOV_NAMESPACE,
    network,
    node_policy,
    operator,
    operator_config,
    perftest_pod,
    pool_config,
)
from tests.lab.openshift.rack import Rack
from tests.lab.prepared import prepared

SHAPE = {"workers": ("NVIDIA-H200", "NVIDIA-H200", "NVIDIA-H200")}
pytestmark = pytest.mark.rough

RAIL = "openshift.io/rail0"
OPTIONS = ["-F", "--report_gbits", "-D", "10", "-q", "4", "-x", "3", "--tclass", "106"]
SEQUENCE = "/sys/class/infiniband/*/ports/1/hw_counters/out_of_sequence"
LOG = "/dev/termination-log"


@dataclass
class Leaf:
    """One switch whose ports are all alike; `lossless` is the knob."""

    lossless: bool = True
    alive: bool = True
    down: set[str] = field(default_factory=set)

    def ports(self) -> list[str]:
        return [f"Ethernet1/{n}" for n in range(1, 65)]

    def admin_up(self, name: str) -> bool:
        return name not in self.down

    def port(self, name: str) -> PortView:
        return PortView(
            name=name, admin_up=name not in self.down, speed=400, mtu=9216, pfc_mode="on" if self.lossless else "off",
            no_drop={3: 3}, dscp_groups={26: 3, 48: 7}, ecn={3: (950000, 3000000)},
            group_mtu={3: 9216, 0: 9216, 7: 9216}, vlan=100, watchdog_on=True,
        )  # fmt: skip

    def routing(self) -> RoutingView:
        return RoutingView()


@pytest.fixture(scope="module")
def leaf(cluster: Rack) -> Leaf:
    made = Leaf()
    prepared(cluster.world).attach_switch("leaf-01", made)
    return made


def test_01_nothing_without_the_operator_config(cluster: Rack) -> None:
    cluster.apply(*operator("sriov-network-operator"))
    cluster.approve("sriov-network-operator")
    cluster.apply(node_policy(0))
    assert cluster.allocatable("gpu-1", RAIL) == -1
    cluster.apply(operator_config())
    cluster.wait("functions", lambda: all(cluster.allocatable(f"gpu-{n}", RAIL) == 1 for n in (1, 2, 3)))
    state = cluster.get("sriovnetworknodestates", "gpu-1.lab.example.com", "-n", SRIOV_NAMESPACE)
    assert state["status"]["syncStatus"] == "Succeeded"
    row = next(i for i in state["status"]["interfaces"] if i["pciAddress"] == "0000:10:00.0")
    assert (row["numVfs"], row["deviceID"], row["Vfs"][0]["pciAddress"]) == (1, "a2dc", "0000:10:00.2")
    assert cluster.allocatable("cp-1", RAIL) == -1


def test_02_policies_elsewhere_or_for_absent_nics_do_nothing(cluster: Rack) -> None:
    cluster.apply(node_policy(1, namespace="default"))
    policy = node_policy(1, nicSelector={"vendor": "15b3", "deviceID": "1021"})
    policy["metadata"]["name"] = "absent"
    cluster.apply(policy)
    cluster.wait("settles", lambda: cluster.allocatable("gpu-1", RAIL) == 1)
    assert cluster.allocatable("gpu-1", "openshift.io/rail1") == -1


def test_03_a_network_is_made_where_the_sriov_network_says(cluster: Rack) -> None:
    cluster.apply(network(0))
    cluster.wait("NAD", lambda: cluster.get("net-attach-def", "rail0") is not None)
    found = cluster.get("net-attach-def", "rail0")
    assert found["metadata"]["annotations"]["k8s.v1.cni.cncf.io/resourceName"] == RAIL
    assert json.loads(found["spec"]["config"])["ipam"]["type"] == "whereabouts"


def test_04_a_pod_with_a_missing_network_waits_with_its_event(cluster: Rack) -> None:
    cluster.apply(perftest_pod("lost", "gpu-1", ["ib_write_bw"], network="rail9"))
    cluster.wait("event", lambda: "rail9" in str([e["message"] for e in cluster.items("events")]))
    assert cluster.pod("lost")[0] == "Pending"
    cluster.kubectl("delete", "pod", "lost")


def test_05_without_a_function_there_is_no_device(cluster: Rack) -> None:
    cluster.apply(perftest_pod("bare", "gpu-1", ["ib_write_bw", "192.0.2.1"], rail=None))
    code, text = cluster.ended("bare")
    assert code == 1
    assert "Unable to find the Infiniband/RoCE device" in text
    cluster.kubectl("delete", "pod", "bare")


def test_06_a_client_without_a_server_ends_at_once(cluster: Rack, leaf: Leaf) -> None:
    cluster.apply(perftest_pod("alone", "gpu-1", ["ib_write_bw", *OPTIONS, "198.51.100.40"]))
    code, text = cluster.ended("alone")
    assert code == 1
    assert "Couldn't connect to 198.51.100.40:18515" in text
    cluster.kubectl("delete", "pod", "alone")


def _incast(cluster: Rack) -> tuple[list[float], list[int]]:
    """Two senders to one receiver: bandwidth per sender, and the receiver's two counter readings."""
    servers = " & ".join(f"ib_write_bw {' '.join(OPTIONS)} -p {18515 + n}" for n in range(2))
    script = f"cat {SEQUENCE} > {LOG}; {servers} & wait; cat {SEQUENCE} >> {LOG}"
    cluster.apply(perftest_pod("receiver", "gpu-3", ["sh", "-c", script]))
    cluster.wait("receiver", lambda: cluster.pod("receiver")[0] == "Running")
    address = cluster.attached_address("receiver")
    for n in range(2):
        command = ["ib_write_bw", *OPTIONS, "-p", str(18515 + n), "--out_json", f"--out_json_file={LOG}", address]
        cluster.apply(perftest_pod(f"sender-{n}", f"gpu-{n + 1}", command))
    found = [json.loads(cluster.ended(f"sender-{n}")[1])["results"]["BW_average"] for n in range(2)]
    _, text = cluster.ended("receiver")
    cluster.kubectl("delete", "pod", "receiver", "sender-0", "sender-1")
    return found, [int(line) for line in text.split()]


def test_07_incast_on_a_lossless_path(cluster: Rack, leaf: Leaf) -> None:
    leaf.lossless = True
    rates, (before, after) = _incast(cluster)
    assert 360 < sum(rates) < 400
    assert rates[0] == pytest.approx(rates[1])
    assert before == after


def test_08_the_same_incast_collapses_where_pfc_is_off(cluster: Rack, leaf: Leaf) -> None:
    leaf.lossless = False
    rates, (before, after) = _incast(cluster)
    assert sum(rates) < 120
    assert after > before
    leaf.lossless = True


def test_09_training_pods_run_and_are_slow(cluster: Rack, leaf: Leaf) -> None:
    containers = [{"name": "main", "image": "x", "resources": {"limits": {RAIL: 1}}}]
    template = {
        "metadata": {"annotations": {"k8s.v1.cni.cncf.io/networks": "rail0"}, "labels": {"job": "train"}},
        "spec": {
            "restartPolicy": "Never", "containers": containers,
            "nodeSelector": {"node-role.kubernetes.io/worker": ""},
        },
    }  # fmt: skip
    cluster.apply({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "default"},
                   "spec": {"parallelism": 3, "completions": 3, "template": template}})  # fmt: skip
    cluster.wait("three run", lambda: len(cluster.side.pods()["pods"]) == 3)
    counted = {end: dict(row) for end, row in cluster.world.counters.items()}
    fast = [row["gbps"] for row in cluster.side.pods()["pods"]]
    assert all(rate > 300 for rate in fast)
    assert {end: dict(row) for end, row in cluster.world.counters.items()} == counted, "looking changes nothing"
    leaf.lossless = False
    rows = cluster.side.pods()["pods"]
    assert all(row["gbps"] < 120 for row in rows)
    assert all("leaf-01" in str(row["reasons"]) for row in rows)
    leaf.lossless = True


def test_10_changing_functions_drains_their_holders_node_by_node(cluster: Rack) -> None:
    cluster.apply(node_policy(0, numVfs=2))
    cluster.wait("two functions", lambda: all(cluster.allocatable(f"gpu-{n}", RAIL) == 2 for n in (1, 2, 3)), 60)
    cluster.wait("uncordoned", lambda: not any(n["spec"].get("unschedulable") for n in cluster.items("nodes")))
    cluster.wait("the job is whole again", lambda: len(cluster.side.pods()["pods"]) == 3)


def test_11_the_rdma_plugin_needs_exclusive_mode_and_that_a_reboot(cluster: Rack) -> None:
    cluster.kubectl("delete", "job", "train")
    cluster.apply(network(0, metaPlugins='{"type": "rdma"}'))
    cluster.wait("chained", lambda: "rdma" in cluster.get("net-attach-def", "rail0")["spec"]["config"])
    cluster.apply(perftest_pod("moved", "gpu-1", ["ib_write_bw"]))
    cluster.wait("refused", lambda: "set to shared" in str([e["message"] for e in cluster.items("events")]))
    before = [cluster.world.hosts[f"gpu-{n}"].boots for n in (1, 2, 3)]
    cluster.apply(pool_config())

    def rebooted() -> bool:
        return [cluster.world.hosts[f"gpu-{n}"].boots for n in (1, 2, 3)] == [b + 1 for b in before]

    cluster.wait("each rebooted once", rebooted, 60)
    cluster.wait("uncordoned", lambda: not any(n["spec"].get("unschedulable") for n in cluster.items("nodes")))
    cluster.kubectl("delete", "pod", "moved", "--ignore-not-found")
    cluster.apply(perftest_pod("moved", "gpu-1", ["ib_write_bw"]))
    cluster.wait("attached", lambda: cluster.pod("moved")[0] == "Running")
    cluster.kubectl("delete", "pod", "moved")


def _expected(pci: str) -> list[dict[str, Any]]:
    rails = {"0": {"pci": "0000:10:00.0", "device": "a2dc"}, "1": {"pci": pci, "device": "a2dc"}}
    return [{"nodes": ["gpu-1.lab.example.com"], "vendor": "15b3", "rails": rails}]


def test_11a_a_node_state_lists_every_port_by_address_with_the_names_of_its_system(cluster: Rack) -> None:
    state = cluster.get("sriovnetworknodestates", "gpu-1.lab.example.com", "-n", SRIOV_NAMESPACE)
    states = {"gpu-1.lab.example.com": state}
    names = {each["pciAddress"]: each["name"] for each in ports.listed(state)}
    assert names == {"0000:01:00.0": "enp1s0np0", "0000:10:00.0": "enp16s0f0np0", "0000:20:00.0": "enp32s0f0np0"}
    assert list(ports.displaced(_expected("0000:20:00.0"), states)) == []
    (wrong,) = ports.displaced(_expected("0000:2a:00.0"), states)
    assert (
        "Ports of no rail: 0000:20:00.0 (enp32s0f0np0). If one of them is cabled as rail 1, write `nics: {1: " in wrong
    )


def test_12_deleting_the_policy_takes_the_rail_away(cluster: Rack) -> None:
    cluster.kubectl("delete", "sriovnetworknodepolicy", "rail0", "-n", SRIOV_NAMESPACE)
    cluster.wait("no functions", lambda: cluster.allocatable("gpu-1", RAIL) == 0)
    state = cluster.get("sriovnetworknodestates", "gpu-1.lab.example.com", "-n", SRIOV_NAMESPACE)
    assert len(ports.listed(state)) == 3, "ports are listed whether any policy is there or not"
    cluster.kubectl("delete", "sriovnetwork", "rail0", "-n", SRIOV_NAMESPACE)
    cluster.wait("no NAD", lambda: cluster.get("net-attach-def", "rail0") is None)
