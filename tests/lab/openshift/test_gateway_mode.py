"""A cluster of the lab changes its gateway mode node by node, and pods in the mesh are probed where it has come."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
import yaml

from podwright.components.providers.openshift import gateway_mode
from podwright.components.providers.openshift.gateway_mode import GatewayModeKind, Rollout, look, mode_of
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.status.mesh import unready
from podwright.components.providers.status.snapshot import Snapshot
from tests.lab.openshift import meshed
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.test_isolation import _ready, _taken_in

pytestmark = pytest.mark.rough
SHAPE = {"masters": 1, "workers": ("", "")}
(NETWORK,) = meshed.PLANNED.beside
NETWORKS = "networks.operator.openshift.io"
BACK = {**NETWORK, "spec": {}}
"""Applied by server-side apply and without force, as the plan does."""


def _seen(cluster: Rack) -> Rollout:
    return asyncio.run(look(Kube(cluster.kubeconfig().read_text())))


def _modes(cluster: Rack) -> set[str]:
    return {mode_of(each) for each in cluster.items("nodes")}


def _gateway(cluster: Rack) -> dict[str, Any]:
    config = cluster.get(NETWORKS, "cluster")["spec"]["defaultNetwork"]["ovnKubernetesConfig"]
    return dict(config["gatewayConfig"])


def _settled(cluster: Rack) -> bool:
    """What an eye on conditions and counts would take for the end of a rollout."""
    (status,) = [each["status"] for each in cluster.items("daemonsets", "-n", gateway_mode.HOME)]
    rows = {each["type"]: each["status"] for each in cluster.get("clusteroperator", "network")["status"]["conditions"]}
    counts = {status[key] for key in ("desiredNumberScheduled", "updatedNumberScheduled", "numberAvailable")}
    return counts == {3} and rows["Progressing"] == "False" and rows["Degraded"] == "False"


@pytest.fixture(scope="module")
def shared(cluster: Rack) -> Rack:
    """As installed."""
    cluster.wait("every node has its gateway", lambda: _modes(cluster) == {"shared"} and _settled(cluster), 60)
    return cluster


def test_nodes_follow_one_by_one_while_conditions_are_of_before(shared: Rack) -> None:
    assert _gateway(shared)["routingViaHost"] is False
    shared.apply(NETWORK)
    assert _settled(shared), "right behind the change nothing says that there is anything to come"
    assert len(_seen(shared).behind("local")) == 3
    words = meshed.wait_for_nodes(shared)
    assert _modes(shared) == {"local"}
    assert _seen(shared).behind("local") == {}
    counted = [next(text for text in words if f"{number} of 3 nodes to go" in text) for number in (3, 2, 1)]
    assert counted == sorted(counted, key=words.index), "node by node"
    shared.wait("the operator is done", lambda: _settled(shared))
    shared.apply(BACK)
    shared.wait("nodes go back", lambda: _modes(shared) == {"shared"} and _settled(shared), 60)


def test_a_network_that_routes_by_the_host_already_is_left_so(shared: Rack) -> None:
    def set_by_a_person(*, by_the_host: bool) -> None:
        config = {"ovnKubernetesConfig": {"gatewayConfig": {"routingViaHost": by_the_host}}}
        change = json.dumps({"spec": {"defaultNetwork": config}})
        shared.kubectl("patch", NETWORKS, "cluster", "--type=merge", "-p", change)

    set_by_a_person(by_the_host=True)
    meshed.wait_for_nodes(shared)
    shared.apply(NETWORK)
    assert meshed.wait_for_nodes(shared) == [], "nothing to wait for"
    shared.apply(BACK)
    assert _gateway(shared)["routingViaHost"] is True and _modes(shared) == {"local"}
    set_by_a_person(by_the_host=False)
    shared.wait("nodes go back", lambda: _modes(shared) == {"shared"} and _settled(shared), 60)
    refused = shared.kubectl("apply", "--server-side", "-f", "-", stdin=yaml.safe_dump(NETWORK), check=False)
    assert "conflict" in refused, "what a person has set to false is not taken over"
    change = [{"op": "remove", "path": "/spec/defaultNetwork/ovnKubernetesConfig/gatewayConfig"}]
    shared.kubectl("patch", NETWORKS, "cluster", "--type=json", "-p", json.dumps(change))
    shared.wait("the operator fills it in", lambda: _gateway(shared) == {
        "ipv4": {}, "ipv6": {}, "routingViaHost": False})  # fmt: skip


def test_a_lost_node_holds_up_the_others_of_a_small_cluster_and_is_named(
    shared: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway_mode, "STALLED_SECONDS", 15.0)
    shared.world.power("gpu-2", "ForceOff")
    lost = "gpu-2.lab.example.com"
    shared.wait("it is lost", lambda: _seen(shared).lost == {lost}, 60)
    shared.apply(NETWORK)
    inputs = {"kubeconfig": shared.kubeconfig().read_text(), "spec": meshed.PLANNED.gateways}
    with pytest.raises(ProviderError, match=rf"2 of 3 nodes are not: cp-1.*gpu-1.*{lost} is lost"):
        asyncio.run(GatewayModeKind().create(inputs, Context()))
    shared.wait("the operator calls it hung", lambda: "RolloutHung" in str(
        shared.get("clusteroperator", "network")["status"]["conditions"]), 60)  # fmt: skip
    kinds = {"Node": "nodes", "ClusterOperator": "clusteroperators", "Network": NETWORKS}
    snapshot = Snapshot({kind: tuple(shared.items(plural)) for kind, plural in kinds.items()})
    (line,) = unready(snapshot)
    assert "on 2 of 2 nodes" in line and "rollout is not making progress" in line
    shared.world.power("gpu-2", "On")
    asyncio.run(GatewayModeKind().create(inputs, Context()))
    shared.wait("all three", lambda: _modes(shared) == {"local"} and _settled(shared), 60)
    shared.apply(BACK)
    shared.wait("nodes go back", lambda: _modes(shared) == {"shared"} and _settled(shared), 60)


def test_pods_that_come_into_the_mesh_before_their_node_are_not_ready(shared: Rack) -> None:
    meshed.subscribe(shared)
    for stage in meshed.PLANNED.stages:
        shared.apply(*stage)
    for kind in ("istio", "istiocni", "ztunnel"):
        shared.kubectl("wait", kind, "default", "--for=condition=Ready", "--timeout=90s")
    for name in meshed.TEAMS:
        meta = {"name": name, "labels": {meshed.MODE: "ambient"}}
        shared.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
    shared.apply(meshed.pod("web", "front"), meshed.pod("models", "serve"))
    shared.wait("its pods are taken in", lambda: _taken_in(shared) == {"front", "serve"}, 60)
    shared.wait("kubelet's probes fail", lambda: not _ready(shared, "web", "front"))
    shared.apply(NETWORK)
    assert not _ready(shared, "web", "front"), "a Network that asks for it is no node that does it"
    meshed.wait_for_nodes(shared)
    shared.wait("probes arrive", lambda: _ready(shared, "web", "front") and _ready(shared, "models", "serve"))
