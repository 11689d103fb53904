"""What kubelet does not start with, on a cluster of the lab and by itself; and what the plan gives it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from podwright.components.design.platform import numa as planned
from podwright.components.model import Numa
from podwright.lab.openshift.kubelet_start import KubeletError, check
from podwright.lab.openshift.tuning import kubelet
from tests.lab.openshift.rack import Rack, node_ready

STATIC = {"memoryManagerPolicy": "Static"}


def _reserved(*amounts: str) -> dict[str, Any]:
    rows = [{"numaNode": node, "limits": {"memory": amount}} for node, amount in enumerate(amounts)]
    return {**STATIC, "reservedMemory": rows}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        _reserved("1124Mi"),
        _reserved("1Gi", "100Mi"),
        {**_reserved("1224Mi"), "kubeReserved": {"memory": "100Mi"}},
        {**_reserved("612Mi"), "systemReserved": {"memory": "512Mi"}},
        {**_reserved("1Gi"), "evictionHard": {"nodefs.available": "10%"}},
        {"reservedMemory": []},
    ],
)
def test_it_starts_where_what_is_reserved_by_numa_node_is_all_that_is_reserved(settings: dict[str, Any]) -> None:
    check(settings)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (STATIC, 'total amount "0Mi" of type "memory" is not equal to the value "1124Mi"'),
        (_reserved("1100Mi"), 'not equal to the value "1124Mi"'),
        (_reserved("1124Mi", "1Mi"), 'total amount "1125Mi"'),
        ({**_reserved("1124Mi"), "evictionHard": {"memory.available": "200Mi"}}, '"1224Mi"'),
        ({"topologyManagerPolicy": "single-numa"}, 'unknown policy: "single-numa"'),
        ({"topologyManagerScope": "node"}, 'unknown scope: "node"'),
        ({"cpuManagerPolicy": "Static"}, 'unknown policy: "Static"'),
        ({"memoryManagerPolicy": "static"}, 'unknown policy: "static"'),
        ({"cpuManagerPolicyOptions": {"full-pcpus-only": "true"}}, "unsupported options"),
        (_reserved("1 GiB"), "quantities must match"),
    ],
)
def test_it_does_not_start_with(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(KubeletError) as refused:
        check(settings)
    assert words in str(refused.value)


EVERY = [
    Numa.model_validate({"policy": policy, "scope": scope})
    for policy, scope in itertools.product(("best-effort", "restricted", "single-numa-node"), ("container", "pod"))
]


@pytest.mark.parametrize("numa", EVERY, ids=str)
def test_a_pool_has_the_same_with_and_without_a_performance_profile(numa: Numa) -> None:
    fields = planned.managers(numa, "0-3")
    check(fields)
    profile = {
        "metadata": {"annotations": {"kubeletconfig.experimental": str(planned.scope(numa)).replace("'", '"')}},
        "spec": {"cpu": {"reserved": "0-3"}, "numa": {"topologyPolicy": numa.policy}},
    }
    by_operator = kubelet(profile)
    check(by_operator)
    # What it reserves for the system it writes always; without the memory manager that stays OpenShift's here.
    amounts = {"evictionHard", "kubeReserved", "systemReserved"} if numa.policy == "best-effort" else set()
    assert fields == {key: value for key, value in by_operator.items() if key not in amounts}


@pytest.mark.rough
def test_a_node_whose_kubelet_refuses_its_file_stays_away_and_the_next_one_is_not_touched(cluster: Rack) -> None:
    before = {name: cluster.world.hosts[name].boots for name in ("gpu-1", "gpu-2")}
    cluster.kubectl("label", "mcp", "worker", "kind=worker")
    cluster.apply({
        "apiVersion": "machineconfiguration.openshift.io/v1", "kind": "KubeletConfig", "metadata": {"name": "wrong"},
        "spec": {
            "machineConfigPoolSelector": {"matchLabels": {"kind": "worker"}}, "kubeletConfig": _reserved("1000Mi"),
        },
    })  # fmt: skip

    def away() -> list[str]:
        return [item["metadata"]["name"] for item in cluster.items("nodes") if node_ready(item) != "True"]

    def restarted() -> list[str]:
        return [name for name, count in before.items() if cluster.world.hosts[name].boots > count]

    cluster.wait("a worker restarts", lambda: len(restarted()) == 1, 90)
    (first,) = restarted()
    cluster.wait("it is given up", lambda: away() == [f"{first}.lab.example.com"], 60)
    status = cluster.get("mcp", "worker")["status"]
    assert {row["type"]: row["status"] for row in status["conditions"]}["Updated"] == "False"
    assert status["unavailableMachineCount"] == 1 and restarted() == [first]
