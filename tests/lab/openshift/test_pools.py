"""Machine config pools: who belongs to which, what reboots, one node at a time, and never past a disruption budget."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.lab.openshift.rack import Rack
from tests.waiting import PATIENCE

pytestmark = pytest.mark.rough

ROLE = "machineconfiguration.openshift.io/role"
NODES = ("gpu-1", "gpu-2")


def _pool(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfigPool", "metadata": {"name": name},
        "spec": {
            "machineConfigSelector": {
                "matchExpressions": [{"key": ROLE, "operator": "In", "values": ["worker", name]}],
            },
            "nodeSelector": {"matchLabels": {f"node-role.kubernetes.io/{name}": ""}},
        },
    }  # fmt: skip


def _machine_config(name: str, role: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig",
        "metadata": {"name": name, "labels": {ROLE: role}},
        "spec": {"config": {"ignition": {"version": "3.5.0"}}, **spec},
    }  # fmt: skip


def _status(cluster: Rack, pool: str) -> dict[str, Any]:
    found: dict[str, Any] = cluster.get("mcp", pool)["status"]
    return found


def _updated(cluster: Rack, pool: str) -> bool:
    return any(c["type"] == "Updated" and c["status"] == "True" for c in _status(cluster, pool)["conditions"])


def _boots(cluster: Rack) -> dict[str, int]:
    return {name: cluster.world.hosts[name].boots for name in NODES}


def test_01_a_fresh_cluster_has_its_two_pools(cluster: Rack) -> None:
    cluster.wait("worker pool", lambda: _status(cluster, "worker")["machineCount"] == 2 and _updated(cluster, "worker"))
    cluster.wait("master pool", lambda: _status(cluster, "master")["readyMachineCount"] == 3)
    notes = cluster.get("node", "gpu-1.lab.example.com")["metadata"]["annotations"]
    assert notes["machineconfiguration.openshift.io/currentConfig"].startswith("rendered-worker-")


def test_02_a_pool_that_adds_nothing_reboots_nobody(cluster: Rack) -> None:
    before = _boots(cluster)
    cluster.apply(_pool("training"))
    for name in NODES:
        cluster.kubectl("label", "node", f"{name}.lab.example.com", "node-role.kubernetes.io/training=")
    cluster.wait("claimed", lambda: _status(cluster, "training")["machineCount"] == 2 and _updated(cluster, "training"))
    cluster.wait("worker empty", lambda: _status(cluster, "worker")["machineCount"] == 0)
    assert _boots(cluster) == before


def test_03_a_node_of_two_custom_pools_is_left_alone(cluster: Rack) -> None:
    cluster.apply(_pool("serving"))
    cluster.kubectl("label", "node", "gpu-2.lab.example.com", "node-role.kubernetes.io/serving=")
    cluster.wait("left out", lambda: _status(cluster, "training")["machineCount"] == 1)
    cluster.wait("event", lambda: "belongs to 2 custom roles" in str([e["message"] for e in cluster.items("events")]))
    cluster.kubectl("label", "node", "gpu-2.lab.example.com", "node-role.kubernetes.io/serving-")
    cluster.wait("back", lambda: _status(cluster, "training")["machineCount"] == 2 and _updated(cluster, "training"))


def test_04_kernel_arguments_roll_out_one_node_at_a_time(cluster: Rack) -> None:
    before = _boots(cluster)
    cluster.apply(_machine_config("50-args", "training", kernelArguments=["iommu=pt"]))
    most = 0
    deadline = time.monotonic() + 60 * PATIENCE
    while not (_boots(cluster) == {n: b + 1 for n, b in before.items()} and _updated(cluster, "training")):
        assert time.monotonic() < deadline, "the roll-out does not end"
        most = max(most, sum(bool(n["spec"].get("unschedulable")) for n in cluster.items("nodes")))
    assert most == 1
    cluster.wait("uncordoned", lambda: not any(n["spec"].get("unschedulable") for n in cluster.items("nodes")))
    assert _status(cluster, "training")["unavailableMachineCount"] == 0


def test_05_a_budget_without_room_holds_the_drain(cluster: Rack) -> None:
    pod = {"containers": [{"name": "c", "image": "x"}], "nodeSelector": {"node-role.kubernetes.io/training": ""}}
    labels = {"app": "held"}
    cluster.apply(
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "held", "namespace": "default"},
         "spec": {"replicas": 1, "selector": {"matchLabels": labels},
                  "template": {"metadata": {"labels": labels}, "spec": pod}}},
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "held", "namespace": "default"},
         "spec": {"maxUnavailable": 0, "selector": {"matchLabels": labels}}},
    )  # fmt: skip
    cluster.wait("runs", lambda: cluster.items("pods", "-n", "default")[0]["status"]["phase"] == "Running")
    cluster.wait("budget seen", lambda: cluster.get("pdb", "held")["status"]["currentHealthy"] == 1)
    home = cluster.items("pods", "-n", "default")[0]["spec"]["nodeName"]
    before = cluster.get("node", home)["status"]["nodeInfo"]["bootID"]
    cluster.apply(_machine_config("51-args", "training", kernelArguments=["nosmt"]))

    def held() -> bool:
        notes = cluster.get("node", home)["metadata"]["annotations"]
        return "disruption budget" in notes.get("machineconfiguration.openshift.io/reason", "")

    cluster.wait("drain is held", held)
    assert cluster.get("node", home)["status"]["nodeInfo"]["bootID"] == before
    cluster.kubectl("delete", "pdb", "held")
    cluster.wait("goes on", lambda: _updated(cluster, "training"), 60)
    assert cluster.get("node", home)["status"]["nodeInfo"]["bootID"] != before


def test_06_a_paused_pool_waits(cluster: Rack) -> None:
    before = _boots(cluster)
    cluster.kubectl("patch", "mcp", "training", "--type=merge", "-p", '{"spec":{"paused":true}}')
    cluster.apply(_machine_config("52-args", "training", kernelArguments=["quiet"]))
    cluster.wait("not updated", lambda: not _updated(cluster, "training"))
    time.sleep(2)
    assert _boots(cluster) == before
    cluster.kubectl("patch", "mcp", "training", "--type=merge", "-p", '{"spec":{"paused":false}}')
    cluster.wait("goes on", lambda: _updated(cluster, "training"), 60)


def test_07_a_performance_profile_reserves_huge_pages_at_the_next_boot(cluster: Rack) -> None:
    assert cluster.get("node", "gpu-1.lab.example.com")["status"]["allocatable"]["hugepages-1Gi"] == "0"
    selector = {"node-role.kubernetes.io/training": ""}
    cluster.kubectl("label", "mcp", "training", f"{ROLE}=training")
    cluster.apply({
        "apiVersion": "performance.openshift.io/v2", "kind": "PerformanceProfile", "metadata": {"name": "training"},
        "spec": {
            "cpu": {"reserved": "0-7", "isolated": "8-255"}, "nodeSelector": selector,
            "hugepages": {"defaultHugepagesSize": "1G", "pages": [{"size": "1G", "count": 16}]},
            "machineConfigPoolSelector": {ROLE: "training"},
        },
    })  # fmt: skip

    def pages() -> list[str]:
        return [cluster.get("node", f"{n}.lab.example.com")["status"]["allocatable"]["hugepages-1Gi"] for n in NODES]

    cluster.wait("both booted with them", lambda: pages() == ["16Gi", "16Gi"], 60)
    cluster.wait("updated", lambda: _updated(cluster, "training"), 60)


def _tuned(cluster: Rack, node: str) -> tuple[str, str, str]:
    """Profile, Applied and Degraded of a node."""
    space = ("-n", "openshift-cluster-node-tuning-operator")
    profile = cluster.get("profiles.tuned.openshift.io", f"{node}.lab.example.com", *space)
    rows = {row["type"]: row["status"] for row in profile.get("status", {}).get("conditions", [])}
    return profile["spec"]["config"]["tunedProfile"], rows.get("Applied", ""), rows.get("Degraded", "")


def _own(include: str) -> dict[str, Any]:
    data = f"[main]\ninclude={include}\n[vm]\ntransparent_hugepages=always\n"
    rule = {"profile": "own", "priority": 15, "machineConfigLabels": {ROLE: "training"}}
    return {
        "apiVersion": "tuned.openshift.io/v1", "kind": "Tuned",
        "metadata": {"name": "own", "namespace": "openshift-cluster-node-tuning-operator"},
        "spec": {"profile": [{"name": "own", "data": data}], "recommend": [rule]},
    }  # fmt: skip


def test_08_a_tuned_object_is_applied_to_running_nodes_without_a_restart(cluster: Rack) -> None:
    made = ("openshift-node-performance-training", "True", "False")
    cluster.wait("that of the operator", lambda: [_tuned(cluster, n) for n in NODES] == [made] * 2)
    before = _boots(cluster)
    cluster.apply(_own("openshift-node-performance-training"))
    cluster.wait("applied", lambda: [_tuned(cluster, n) for n in NODES] == [("own", "True", "False")] * 2)
    cluster.apply(_own("openshift-node-performance-none"))
    cluster.wait("refused", lambda: [_tuned(cluster, n) for n in NODES] == [("own", "False", "True")] * 2)
    assert _boots(cluster) == before
    cluster.kubectl("delete", "tuned", "own", "-n", "openshift-cluster-node-tuning-operator")
    cluster.wait("as it was", lambda: [_tuned(cluster, n) for n in NODES] == [made] * 2)


def _worker(name: str, **meta: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", **meta},
        "spec": {"containers": [{"name": "main", "image": "x"}], "tolerations": [{"operator": "Exists"}]},
    }  # fmt: skip


def test_08_a_job_that_replaces_failed_pods_gets_another_one_for_a_deleted_one(cluster: Rack) -> None:
    template = {"metadata": {"labels": {"job": "again"}}, "spec": {**_worker("")["spec"], "restartPolicy": "Never"}}
    cluster.apply({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "again", "namespace": "default"},
        "spec": {"podReplacementPolicy": "Failed", "template": template},
    })  # fmt: skip

    def running() -> list[str]:
        pods = cluster.items("pods", "-l", "job=again")
        return [each["metadata"]["name"] for each in pods if each["status"]["phase"] == "Running"]

    cluster.wait("runs", lambda: len(running()) == 1)
    (first,) = running()
    cluster.kubectl("delete", "pod", first, "--wait=false")
    cluster.wait("another one runs", lambda: running() not in ([], [first]), 30)
    cluster.kubectl("delete", "job", "again")


def test_09_a_pod_that_is_gone_already_is_not_deleted_once_more(cluster: Rack) -> None:
    """kwok deletes by name: late, it would strike the next pod of that name."""
    done = {"pod-complete.stage.kwok.x-k8s.io/delay": "0.1s"}
    cluster.apply(_worker("twin", annotations=done))
    cluster.wait("ended", lambda: cluster.pod("twin")[0] == "Succeeded")
    cluster.kubectl("delete", "pod", "twin")
    time.sleep(1)
    said = (cluster.dir / "openshift/cluster/logs/kwok.log").read_text(encoding="utf-8").splitlines()
    assert [line for line in said if "default/twin" in line and ("Delete pod" in line or "pod-delete" in line)] == []
