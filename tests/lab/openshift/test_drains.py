"""Drains that were interrupted: who began one finds in annotations where it stopped, and what is left stays left."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.lab.openshift.manifests import (
    OPERATORS,
    SRIOV_NAMESPACE,
    node_policy,
    operator,
    operator_config,
    pool_config,
)
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough

SHAPE = {"masters": 1, "workers": ("NVIDIA-H200", "NVIDIA-H200")}
RAIL = "openshift.io/rail0"
MCO = "machineconfiguration.openshift.io/"
SRIOV = "sriovnetwork.openshift.io/"
NODE = "gpu-1.lab.example.com"


def notes(cluster: Rack, *what: str) -> dict[str, str]:
    """Annotations of an object."""
    found: dict[str, str] = cluster.get(*what)["metadata"].get("annotations", {})
    return found


def cordoned(cluster: Rack) -> list[str]:
    return [n["metadata"]["name"] for n in cluster.items("nodes") if n["spec"].get("unschedulable")]


def restart(cluster: Rack) -> None:
    """Every operator's pods at once."""
    assert cluster.world.fault_handlers["controllers"]({})["restarted"] > 5


def pool(cluster: Rack, name: str) -> dict[str, Any]:
    found: dict[str, Any] = cluster.get("mcp", name)
    return found


def updated(cluster: Rack, name: str) -> bool:
    rows = pool(cluster, name)["status"]["conditions"]
    return any(row["type"] == "Updated" and row["status"] == "True" for row in rows)


@pytest.fixture
def budget(cluster: Rack) -> Iterator[None]:
    """A pod on gpu-1 that holds a rail if there are any, and a budget that lets nobody evict it."""
    rails = {"limits": {RAIL: 1}, "requests": {RAIL: 1}} if cluster.allocatable("gpu-1", RAIL) > 0 else {}
    labels = {"app": "held"}
    cluster.apply(
        {"apiVersion": "v1", "kind": "Pod",
         "metadata": {"name": "held", "namespace": "default", "labels": labels},
         "spec": {"nodeSelector": {"kubernetes.io/hostname": NODE},
                  "containers": [{"name": "c", "image": "x", "resources": rails}]}},
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "held", "namespace": "default"},
         "spec": {"maxUnavailable": 0, "selector": {"matchLabels": labels}}},
    )  # fmt: skip
    cluster.wait("runs", lambda: cluster.pod("held")[0] == "Running")
    cluster.wait("budget seen", lambda: cluster.get("pdb", "held")["status"]["currentHealthy"] == 1)
    yield
    cluster.kubectl("delete", "pdb,pod", "held", "--ignore-not-found")


def _machine_config(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig",
        "metadata": {"name": "50-training", "labels": {f"{MCO}role": "training"}},
        "spec": {"config": {"ignition": {"version": "3.5.0"}}, **spec},
    }  # fmt: skip


def _pool() -> dict[str, Any]:
    values = ["worker", "training"]
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfigPool",
        "metadata": {"name": "training"},
        "spec": {
            "machineConfigSelector": {"matchExpressions": [{"key": f"{MCO}role", "operator": "In", "values": values}]},
            "nodeSelector": {"matchLabels": {"node-role.kubernetes.io/training": ""}},
        },
    }  # fmt: skip


def test_01_machine_config_goes_on_after_its_operator_was_restarted(cluster: Rack, budget: None) -> None:
    cluster.apply(_pool())
    cluster.apply(_machine_config(kernelArguments=["iommu=pt"]))
    cluster.wait("rendered", lambda: updated(cluster, "training"))
    boots = cluster.world.hosts["gpu-1"].boots
    cluster.kubectl("label", "node", NODE, "node-role.kubernetes.io/training=")
    cluster.wait("the drain is held", lambda: "budget" in notes(cluster, "node", NODE)[f"{MCO}reason"])
    asked = notes(cluster, "node", NODE)
    assert asked[f"{MCO}desiredDrain"] == f"drain-{asked[f'{MCO}desiredConfig']}"
    assert asked.get(f"{MCO}lastAppliedDrain") != asked[f"{MCO}desiredDrain"]
    restart(cluster)
    cluster.kubectl("delete", "pdb", "held")
    cluster.wait("done", lambda: notes(cluster, "node", NODE)[f"{MCO}state"] == "Done", 60)
    done = notes(cluster, "node", NODE)
    assert done[f"{MCO}lastAppliedDrain"] == done[f"{MCO}desiredDrain"] == f"uncordon-{done[f'{MCO}currentConfig']}"
    assert cluster.world.hosts["gpu-1"].boots == boots + 1
    assert cordoned(cluster) == []


def test_02_a_pool_deleted_during_a_drain_does_not_strand_its_node(cluster: Rack, budget: None) -> None:
    """The configuration that the node runs is gone from the API, not from its disk: it still has to be left."""
    before = notes(cluster, "node", NODE)[f"{MCO}currentConfig"]
    assert before.startswith("rendered-training-")
    boots = cluster.world.hosts["gpu-1"].boots
    cluster.kubectl("label", "node", NODE, "node-role.kubernetes.io/training-")
    cluster.wait("the drain is held", lambda: "budget" in notes(cluster, "node", NODE)[f"{MCO}reason"])
    cluster.kubectl("delete", "machineconfig", "50-training")
    cluster.kubectl("delete", "mcp", "training")
    cluster.wait("its configuration went with it", lambda: cluster.get("machineconfig", before) is None)
    restart(cluster)
    assert cordoned(cluster) == [NODE]
    cluster.kubectl("delete", "pdb", "held")
    cluster.wait("done", lambda: notes(cluster, "node", NODE)[f"{MCO}state"] == "Done", 60)
    assert notes(cluster, "node", NODE)[f"{MCO}currentConfig"].startswith("rendered-worker-")
    assert cluster.world.hosts["gpu-1"].boots == boots + 1
    assert cordoned(cluster) == []


def test_03_a_desired_configuration_that_is_gone_degrades_the_node_until_it_is_back(cluster: Rack) -> None:
    cluster.apply(_machine_config(kernelArguments=["nosmt"]))
    cluster.apply(_pool())
    cluster.wait("rendered", lambda: updated(cluster, "training"))
    cluster.kubectl("patch", "mcp", "worker", "--type=merge", "-p", '{"spec":{"paused":true}}')
    wanted = pool(cluster, "training")["spec"]["configuration"]["name"]
    cluster.kubectl("label", "node", NODE, "node-role.kubernetes.io/training=")
    cluster.wait("told", lambda: notes(cluster, "node", NODE)[f"{MCO}desiredConfig"] == wanted)
    cluster.kubectl("label", "node", NODE, "node-role.kubernetes.io/training-")
    cluster.kubectl("delete", "mcp", "training")
    cluster.kubectl("delete", "machineconfig", wanted, "--ignore-not-found")
    cluster.wait("settles", lambda: notes(cluster, "node", NODE)[f"{MCO}state"] in ("Degraded", "Done"), 60)
    cluster.apply(_pool())
    cluster.kubectl("label", "node", NODE, "node-role.kubernetes.io/training=")
    cluster.wait("back", lambda: notes(cluster, "node", NODE)[f"{MCO}currentConfig"] == wanted, 60)
    cluster.wait("whole", lambda: updated(cluster, "training") and cordoned(cluster) == [], 60)
    cluster.kubectl("label", "node", NODE, "node-role.kubernetes.io/training-")
    cluster.kubectl("patch", "mcp", "worker", "--type=merge", "-p", '{"spec":{"paused":false}}')
    cluster.wait("home", lambda: updated(cluster, "worker") and cordoned(cluster) == [], 60)
    cluster.kubectl("delete", "mcp", "training")
    cluster.kubectl("delete", "machineconfig", "50-training")


def _install(cluster: Rack) -> None:
    cluster.apply(*operator("sriov-network-operator"))
    cluster.approve("sriov-network-operator")
    cluster.apply(operator_config())


def _rails(cluster: Rack, count: int) -> bool:
    return [cluster.allocatable(f"gpu-{n}", RAIL) for n in (1, 2)] == [count, count]


def _state(cluster: Rack) -> dict[str, str]:
    return notes(cluster, "sriovnetworknodestates", NODE, "-n", SRIOV_NAMESPACE)


def test_04_sriov_asks_drains_and_gives_back_by_annotation(cluster: Rack) -> None:
    _install(cluster)
    cluster.apply(node_policy(0))
    cluster.wait("functions", lambda: _rails(cluster, 1), 60)
    assert notes(cluster, "node", NODE)[f"{SRIOV}state"] == "Idle"
    assert (_state(cluster)[f"{SRIOV}current-state"], _state(cluster)[f"{SRIOV}desired-state"]) == ("Idle", "Idle")
    assert cluster.get("sriovnetworknodestates", "cp-1.lab.example.com", "-n", SRIOV_NAMESPACE) is None


def test_05_sriov_goes_on_after_its_operator_was_restarted(cluster: Rack, budget: None) -> None:
    cluster.apply(node_policy(0, numVfs=2))
    cluster.wait("draining", lambda: _state(cluster)[f"{SRIOV}current-state"] == "Draining" and cordoned(cluster) != [])
    assert notes(cluster, "node", NODE)[f"{SRIOV}state"] == "Drain_Required"
    assert pool(cluster, "worker")["spec"]["paused"] is True
    assert notes(cluster, "mcp", "worker")[f"{SRIOV}state"] == "Paused"
    restart(cluster)
    cluster.kubectl("delete", "pdb", "held")
    cluster.wait("functions", lambda: _rails(cluster, 2), 60)
    cluster.wait("given back", lambda: cordoned(cluster) == [])
    cluster.wait("unpaused", lambda: not pool(cluster, "worker")["spec"]["paused"])
    assert notes(cluster, "mcp", "worker")[f"{SRIOV}state"] == "Idle"


def test_06_what_a_removed_operator_leaves_is_finished_by_the_next_one(cluster: Rack, budget: None) -> None:
    namespace, _, _, csv = OPERATORS["sriov-network-operator"]
    cluster.apply(node_policy(0, numVfs=1))
    cluster.wait("draining", lambda: _state(cluster)[f"{SRIOV}current-state"] == "Draining" and cordoned(cluster) != [])
    cluster.kubectl("delete", "sriovoperatorconfig", "default", "-n", namespace)
    cluster.kubectl("delete", "subscription", "sriov-network-operator", "-n", namespace)
    cluster.kubectl("delete", "csv", csv, "-n", namespace)
    cluster.wait("states are gone", lambda: cluster.items("sriovnetworknodestates", "-n", namespace) == [])
    cluster.kubectl("delete", "pdb", "held")
    assert cordoned(cluster) == [NODE]
    assert notes(cluster, "node", NODE)[f"{SRIOV}state"] == "Drain_Required"
    assert pool(cluster, "worker")["spec"]["paused"] is True
    _install(cluster)
    cluster.wait("functions", lambda: _rails(cluster, 1), 60)
    cluster.wait("given back", lambda: cordoned(cluster) == [])
    cluster.wait("unpaused", lambda: not pool(cluster, "worker")["spec"]["paused"])


def test_07_both_operators_take_turns(cluster: Rack) -> None:
    """SR-IOV waits for a pool that is being updated, and the pool waits while SR-IOV drains."""
    boots = cluster.world.hosts["gpu-1"].boots
    cluster.apply({**_machine_config(kernelArguments=["quiet"]), "metadata": {
        "name": "60-worker", "labels": {f"{MCO}role": "worker"}}})  # fmt: skip
    cluster.apply(pool_config())

    def whole() -> bool:
        states = cluster.items("sriovnetworknodestates", "-n", SRIOV_NAMESPACE)
        modes = [state["status"]["system"]["rdmaMode"] for state in states]
        return modes == ["exclusive"] * 2 and updated(cluster, "worker") and cordoned(cluster) == []

    cluster.wait("both done", whole, 90)
    assert cluster.world.hosts["gpu-1"].boots == boots + 2


def test_08_a_pool_remade_during_a_drain_and_sriov_wait_for_each_other(cluster: Rack, budget: None) -> None:
    """As on a site: the operator waits for the pool to be updated, the pool for its node; a person ends that."""
    cluster.apply(_pool())
    cluster.kubectl("label", "node", NODE, "node-role.kubernetes.io/training=")

    def moved() -> bool:
        return notes(cluster, "node", NODE)[f"{MCO}currentConfig"].startswith("rendered-training-")

    cluster.wait("moved", lambda: moved() and updated(cluster, "training"))
    cluster.apply(node_policy(0, numVfs=3))
    cluster.wait("draining", lambda: _state(cluster)[f"{SRIOV}current-state"] == "Draining" and cordoned(cluster) != [])
    assert pool(cluster, "training")["spec"]["paused"] is True
    cluster.kubectl("delete", "mcp", "training")
    cluster.apply(_pool())
    cluster.wait("seen", lambda: not updated(cluster, "training"))
    cluster.kubectl("delete", "pdb", "held")
    time.sleep(3)
    assert _state(cluster)[f"{SRIOV}current-state"] == "Draining"
    assert cordoned(cluster) == [NODE]
    cluster.kubectl("uncordon", NODE)
    cluster.wait("functions", lambda: _rails(cluster, 3), 60)
    cluster.wait("whole", lambda: updated(cluster, "training") and cordoned(cluster) == [])
