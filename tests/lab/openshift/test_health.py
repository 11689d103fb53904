"""A control-plane host that is gone, on a cluster of the lab: reported at once, and no node goes until it is back."""

from __future__ import annotations

import asyncio

import pytest

from podwright.components.providers.openshift import health
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.status.control_plane import store, troubles
from podwright.components.providers.status.snapshot import Snapshot, take
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough


def _seen(cluster: Rack) -> Snapshot:
    return asyncio.run(take(cluster.kubeconfig().read_text(), 10))


def _gate(cluster: Rack, seconds: float) -> None:
    kube = Kube(cluster.kubeconfig().read_text())
    asyncio.run(health.whole(kube, "gpu-1", "training", (), Context(timeout=seconds)))


def test_a_lost_member_holds_every_node_until_it_is_back(cluster: Rack) -> None:
    cluster.wait(
        "the operator has looked", lambda: bool(cluster.get("etcd.operator.openshift.io", "cluster")["status"])
    )
    well = _seen(cluster)
    assert list(troubles(well)) == []
    assert store(well).startswith("etcd's store has ") and store(well).endswith(" of 8 GiB")
    _gate(cluster, 5)

    cluster.world.power("cp-3", "ForceOff")
    cluster.wait("etcd reports it", lambda: any("has lost a member" in each for each in troubles(_seen(cluster))))
    with pytest.raises(ProviderError, match=r"2 of 3 members are available, cp-3\.lab\.example\.com is unhealthy"):
        _gate(cluster, 0.5)
    cluster.wait("its operator too", lambda: any("ClusterOperator etcd" in each for each in troubles(_seen(cluster))))

    cluster.world.power("cp-3", "On")
    _gate(cluster, 60)
    cluster.wait("all is well", lambda: list(troubles(_seen(cluster))) == [])
