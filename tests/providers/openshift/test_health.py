"""The gate before a node is taken away: what of the control plane holds it up, what does not, and for how long."""

from __future__ import annotations

from typing import Any, cast

import pytest

from podwright.components.providers.openshift import health
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.pools.budget import Budget
from podwright.components.providers.openshift.waiting import NODES
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.status.control_plane import store, troubles
from podwright.components.providers.status.snapshot import Snapshot

LOST = "2 of 3 members are available, cp-02 is unhealthy"


def _operator(name: str, available: str = "True", degraded: str = "False", message: str = "") -> dict[str, Any]:
    rows = [{"type": "Available", "status": available}, {"type": "Degraded", "status": degraded, "message": message}]
    return {"metadata": {"name": name}, "status": {"conditions": rows}}


def _etcd(degraded: str, **spec: Any) -> dict[str, Any]:
    row = {"type": "EtcdMembersDegraded", "status": degraded, "message": LOST}
    return {"metadata": {"name": "cluster"}, "spec": spec, "status": {"conditions": [row]}}


class Cluster:
    """Lists as an API server gives them, one answer after the other; the last one stays."""

    def __init__(self, *answers: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> None:
        self._answers = list(answers)
        self.asked = 0

    async def find(self, path: str) -> Any:
        if path.startswith(NODES):
            return {"metadata": {"name": path.rpartition("/")[2]}}
        if path == health.OPERATORS:
            self.asked += 1
        operators, etcds = self._answers[min(self.asked, len(self._answers)) - 1]
        return {"items": operators if path == health.OPERATORS else etcds}


async def _gate(cluster: Cluster, *despite: str, logged: list[str] | None = None) -> None:
    context = Context(log=(logged if logged is not None else []).append)
    await health.whole(cast(Kube, cluster), "gpu-01", "training", despite, context)


async def test_a_node_goes_where_all_is_well_and_where_the_cluster_knows_no_operators() -> None:
    await _gate(Cluster(([_operator("network")], [_etcd("False")])))
    await _gate(Cluster(([], [])))


@pytest.mark.parametrize(
    ("operators", "etcds", "words"),
    [
        ([_operator("etcd")], [_etcd("True")], f"etcd has lost a member: {LOST}"),
        (
            [_operator("network", degraded="True", message="no\n  CNI")],
            [],
            "ClusterOperator network is degraded: no CNI",
        ),
        ([_operator("dns", available="False")], [], "ClusterOperator dns is not available: it gives no reason"),
    ],
)
async def test_it_stays_and_the_error_tells_what_to_do(
    monkeypatch: pytest.MonkeyPatch, operators: list[Any], etcds: list[Any], words: str
) -> None:
    monkeypatch.setattr(health, "SETTLE_SECONDS", 0.1)
    with pytest.raises(ProviderError) as refused:
        await _gate(Cluster((operators, etcds)))
    assert words in str(refused.value)
    assert "before gpu-01 goes" in str(refused.value) and "pools.training.rollout.despite" in str(refused.value)


async def test_what_passes_by_itself_is_waited_for() -> None:
    logged: list[str] = []
    ill = ([_operator("network", degraded="True", message="rolling")], [_etcd("False")])
    cluster = Cluster(ill, ([_operator("network")], [_etcd("False")]))
    await _gate(cluster, logged=logged)
    assert cluster.asked == 2 and logged == ["gpu-01: waits, ClusterOperator network is degraded: rolling"]


async def test_an_operator_that_the_file_names_holds_nobody_up_and_etcd_always_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health, "SETTLE_SECONDS", 0.1)
    insights = _operator("insights", degraded="True", message="no way out of the site")
    await _gate(Cluster(([insights], [_etcd("False")])), "insights")
    with pytest.raises(ProviderError, match="etcd has lost a member"):
        await _gate(Cluster(([insights], [_etcd("True")])), "insights", "etcd")


async def test_a_roll_out_neither_cordons_the_node_nor_pauses_its_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster of this test answers reads alone: a write would be an error of another kind."""
    monkeypatch.setattr(health, "SETTLE_SECONDS", 0.1)
    budget = Budget(cast(Kube, Cluster(([], [_etcd("True")]))), {"pool": "training"}, ["gpu-01"])
    with pytest.raises(ProviderError, match="etcd has lost a member"):
        await budget.take("gpu-01", Context())


def test_status_names_each_trouble_of_the_control_plane() -> None:
    pressed = {"type": "DiskPressure", "status": "True", "message": "kubelet has disk pressure"}
    master = {"metadata": {"name": "cp-01", "labels": {"node-role.kubernetes.io/master": ""}}}
    worker = {"metadata": {"name": "gpu-01", "labels": {}}, "status": {"conditions": [pressed]}}
    row = {"type": "Degraded", "status": "True", "message": "1 nodes are reporting degraded status"}
    snapshot = Snapshot(
        {
            "ClusterOperator": (_operator("network"), _operator("monitoring", degraded="True", message="no room")),
            "Etcd": (_etcd("True"),),
            "Node": ({**master, "status": {"conditions": [pressed]}}, worker),
            "MachineConfigPool": ({"metadata": {"name": "master"}, "status": {"conditions": [row]}},),
        },
        {"etcd-0": 7 << 30, "etcd-1": 1 << 30},
    )
    assert list(troubles(snapshot)) == [
        f"etcd has lost a member: {LOST}",
        "ClusterOperator monitoring is degraded: no room",
        "control-plane node cp-01 has DiskPressure: kubelet has disk pressure",
        "MachineConfigPool master is degraded: 1 nodes are reporting degraded status",
        "etcd's store has 7168 MiB of 8 GiB; find what fills it before it takes no writes any more",
    ]


@pytest.mark.parametrize(("quota", "count"), [(8, 1), (16, 0)])
def test_a_store_is_compared_with_the_limit_of_the_cluster(quota: int, count: int) -> None:
    snapshot = Snapshot({"Etcd": (_etcd("False", backendQuotaGiB=quota),)}, {"etcd-0": 7 << 30})
    assert len(list(troubles(snapshot))) == count
    assert store(snapshot) == f"etcd's store has 7168 MiB of {quota} GiB"
    assert store(Snapshot()) == ""
