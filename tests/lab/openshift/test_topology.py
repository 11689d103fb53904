"""Pods that a node cannot align under a strict policy end with TopologyAffinityError, those that would take half a core
with SMTAlignmentError, and no others."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from podwright.components.design.platform import numa as planned
from podwright.components.model import Numa
from podwright.components.providers.status.diagnosis import diagnose
from podwright.components.providers.status.snapshot import take
from podwright.components.providers.status.verdict import Expected
from podwright.lab.openshift.controller import Surroundings
from podwright.lab.openshift.topology import Topology, exclusive, halves, mask
from tests.lab.openshift.rack import Rack
from tools.mistakes import mistakes

GPU, NIC = "nvidia.com/gpu", "openshift.io/rail5"
EMPTY = [{"cpu": 124, GPU: 4}, {"cpu": 124, GPU: 4, NIC: 1}]


@pytest.mark.parametrize(
    ("asked", "single", "restricted"),
    [
        ({"cpu": 64}, (0,), (0,)),
        ({"cpu": 64, GPU: 4}, (0,), (0,)),
        ({"cpu": 64, GPU: 8}, None, None),
        ({"cpu": 200, GPU: 8}, None, (0, 1)),
        ({"cpu": 64, GPU: 1, NIC: 1}, (1,), (1,)),
        ({"cpu": 200, GPU: 8, NIC: 1}, None, None),
        ({"cpu": 249}, None, None),
        ({}, (0,), (0,)),
    ],
)
def test_an_empty_node_serves_what_one_smallest_set_of_numa_nodes_has(
    asked: dict[str, int], single: Any, restricted: Any
) -> None:
    assert mask("single-numa-node", asked, EMPTY, EMPTY) == single
    assert mask("restricted", asked, EMPTY, EMPTY) == restricted


def test_what_is_taken_moves_a_pod_to_the_other_numa_node_and_never_over_both() -> None:
    busy = [{"cpu": 60, GPU: 4}, {"cpu": 124, GPU: 1}]
    assert mask("restricted", {"cpu": 100, GPU: 1}, EMPTY, busy) == (1,)
    assert mask("restricted", {"cpu": 100, GPU: 2}, EMPTY, busy) is None


def test_only_whole_processors_of_a_guaranteed_pod_are_its_own_and_devices_are_always() -> None:
    container = {"resources": {"limits": {"cpu": "4", "memory": "8Gi", GPU: "1"}}}
    assert dict(exclusive(container, guaranteed=True, memory=True)) == {"cpu": 4, "memory": 8192, GPU: 1}
    assert dict(exclusive(container, guaranteed=True, memory=False)) == {"cpu": 4, GPU: 1}
    assert dict(exclusive(container, guaranteed=False, memory=True)) == {GPU: 1}
    large = {"resources": {"limits": {"memory": "2Ti", "hugepages-1Gi": "1Ti"}}}
    mib = {"memory": 2 * 2**20, "hugepages-1Gi": 2**20}
    assert dict(exclusive(large, guaranteed=True, memory=True)) == mib, "as the API server writes 2048Gi and 1024Gi"
    half = {"resources": {"limits": {"cpu": "3500m"}}}
    assert dict(exclusive(half, guaranteed=True, memory=True)) == {}


WHOLE: dict[str, Any] = {"cpuManagerPolicy": "static", "cpuManagerPolicyOptions": {"full-pcpus-only": "true"}}


@pytest.mark.parametrize(
    ("limits", "quality", "file", "threads", "refused"),
    [
        ([{"cpu": "2"}], "Guaranteed", WHOLE, 2, None),
        ([{"cpu": "2"}, {"cpu": "3"}], "Guaranteed", WHOLE, 2, 3),
        ([{"cpu": "3"}], "Guaranteed", WHOLE, 1, None),
        ([{"cpu": "3"}], "Guaranteed", {"cpuManagerPolicy": "static"}, 2, None),
        ([{"cpu": "3"}], "Burstable", WHOLE, 2, None),
        ([{"cpu": "3500m"}], "Guaranteed", WHOLE, 2, None),
        ([{}], "Burstable", WHOLE, 2, None),
    ],
)
def test_half_a_core_is_refused_where_cores_are_given_whole(
    limits: list[dict[str, str]], quality: str, file: dict[str, Any], threads: int, refused: int | None
) -> None:
    boxes = [{"resources": {"limits": each}} for each in limits]
    why = halves({"spec": {"containers": boxes}, "status": {"qosClass": quality}}, file, threads)
    words = f"SMT Alignment Error: requested {refused} cpus not multiple cpus per core = {threads}"
    assert why == (None if refused is None else ("SMTAlignmentError", f"Pod was rejected: {words}"))


@pytest.mark.parametrize(("status", "threads"), [({"capacity": {"cpu": "128"}}, 2), ({"capacity": {}}, 1), ({}, 1)])
def test_a_node_that_has_reported_nothing_yet_gives_no_halves(status: dict[str, Any], threads: int) -> None:
    seen = object.__new__(Topology)
    server = SimpleNamespace(cpu=SimpleNamespace(sockets=2, cores=32))
    seen.around = cast(Surroundings, SimpleNamespace(server_of=lambda _name: server))
    assert seen._threads({"metadata": {"name": "gpu-1"}, "status": status}) == threads


def _pod(name: str, cpus: int, *, limited: bool = True) -> dict[str, Any]:
    amounts = {"cpu": str(cpus), "memory": "16Gi"}
    limits = amounts if limited else {"memory": "16Gi"}
    container = {
        "name": "main", "image": "registry.example.com/x", "resources": {"requests": amounts, "limits": dict(limits)},
    }  # fmt: skip
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
        "spec": {"nodeSelector": {"kubernetes.io/hostname": "gpu-1.lab.example.com"}, "containers": [container]},
    }  # fmt: skip


SECONDS = 10.0
"""In which `podwright status` has to say why a pod that somebody typed in does not run."""


TYPED = {"requests larger than any node", "single-numa-node for pods over two NUMA nodes"}
"""Mistakes of the requirement documents that are typed in here."""


def test_every_mistake_that_status_names_is_typed_here() -> None:
    assert {each.what for each in mistakes() if each.live == "status"} == TYPED


def _shown(cluster: Rack, name: str) -> tuple[str, str]:
    """State and reason of a pod by `podwright status`, where the stack has a workload in its namespace."""
    wanted = [Expected("Deployment", "default", "chat", 0)]
    snapshot = asyncio.run(take(cluster.kubeconfig().read_text(encoding="utf-8"), SECONDS))
    (found,) = (each for each in diagnose(snapshot, wanted) if each.name == name)
    return found.state, found.reason


def _reported(cluster: Rack, name: str, words: str) -> bool:
    """Whether it says so in time."""
    begun = time.monotonic()
    while words not in _shown(cluster, name)[1]:
        if time.monotonic() - begun > SECONDS:
            return False
        time.sleep(0.2)
    return True


@pytest.mark.rough
def test_status_names_a_request_that_is_larger_than_any_node(cluster: Rack) -> None:
    cluster.apply(_pod("huge", 300))
    assert _reported(cluster, "huge", "Insufficient cpu")
    assert _shown(cluster, "huge")[0] == "Pending"
    cluster.kubectl("delete", "pod", "huge", "--now")


@pytest.mark.rough
def test_the_planned_file_starts_and_a_node_refuses_what_the_scheduler_took_for_room(cluster: Rack) -> None:
    cluster.kubectl("label", "mcp", "worker", "kind=worker")
    numa = Numa.model_validate({"policy": "single-numa-node"})
    cluster.apply({
        "apiVersion": "machineconfiguration.openshift.io/v1", "kind": "KubeletConfig", "metadata": {"name": "numa"},
        "spec": {
            "machineConfigPoolSelector": {"matchLabels": {"kind": "worker"}},
            "kubeletConfig": planned.managers(numa, "0-1,64-65,128-129,192-193"),
        },
    })  # fmt: skip

    def updated() -> bool:
        status = cluster.get("mcp", "worker")["status"]
        names = {row["name"] for row in status["configuration"]["source"]}
        return "99-worker-generated-kubelet" in names and status["updatedMachineCount"] == 2

    cluster.wait("both workers run it", updated, 120)
    cluster.wait("whole", lambda: cluster.get("mcp", "worker")["status"]["readyMachineCount"] == 2, 60)

    def phase(name: str) -> str:
        return cluster.pod(name)[0]

    # 124 of the 128 threads of a socket are pods'.
    for name, cpus, expected in (("one", 60, "Running"), ("other", 100, "Running"), ("third", 90, "Failed")):
        cluster.apply(_pod(name, cpus))
        cluster.wait(f"{name}: {expected}", lambda name=name, expected=expected: phase(name) == expected)  # type: ignore[misc]
    status = cluster.get("pod", "third")["status"]
    assert status["reason"] == "TopologyAffinityError" and "Topology locality" in status["message"]
    assert _reported(cluster, "third", "Topology locality") and _shown(cluster, "third")[0] == "Failed"
    cluster.kubectl("delete", "pod", "one", "third", "--now")
    cluster.apply(_pod("fourth", 90))
    cluster.wait("room again", lambda: phase("fourth") == "Running")
    cluster.apply(_pod("spans", 26))
    cluster.wait("26 fit beside 90", lambda: phase("spans") == "Running")
    # The store of a job as it was planned before, and as it is: half a core of its own, and a part of what is shared.
    cluster.apply(_pod("half", 1))
    cluster.wait("half a core is refused", lambda: phase("half") == "Failed")
    assert cluster.get("pod", "half")["status"]["reason"] == "SMTAlignmentError"
    assert _reported(cluster, "half", "requested 1 cpus not multiple cpus per core = 2")
    cluster.apply(_pod("shared", 1, limited=False))
    cluster.wait("shared", lambda: phase("shared") == "Running")
