"""Parts of the service mesh on the status screen: named with what follows and the operator's reason."""

import json
from typing import Any

from podwright.components.providers.status.mesh import unready
from podwright.components.providers.status.snapshot import Snapshot


def _part(status: str, **more: str) -> dict[str, Any]:
    row = {"type": "Ready", "status": status, **more}
    return {"metadata": {"name": "default"}, "status": {"conditions": [row]}}


def test_a_part_that_is_not_ready_is_named_with_what_follows() -> None:
    missing = _part("False", reason="DaemonSetNotReady", message="2 of 5 pods are ready")
    seen = Snapshot({"Istio": (_part("True"),), "ZTunnel": (missing,)})
    assert list(unready(seen)) == [
        "ZTunnel default is not ready, so that pods in the mesh of some node reach nobody: DaemonSetNotReady: "
        "2 of 5 pods are ready"
    ]
    assert list(unready(Snapshot())) == []


def _node(name: str, mode: str, ready: str = "True") -> dict[str, Any]:
    gateway = {"k8s.ovn.org/l3-gateway-config": json.dumps({"default": {"mode": mode}})}
    rows = [{"type": "Ready", "status": ready}]
    return {"metadata": {"name": name, "annotations": gateway}, "status": {"conditions": rows}}


def _network(*, by_the_host: bool) -> dict[str, Any]:
    config = {"ovnKubernetesConfig": {"gatewayConfig": {"routingViaHost": by_the_host}}}
    return {"metadata": {"name": "cluster"}, "spec": {"defaultNetwork": config}}


def _operator(kind: str, message: str) -> dict[str, Any]:
    rows = [{"type": kind, "status": "True", "message": message}]
    return {"metadata": {"name": "network"}, "status": {"conditions": rows}}


NODES = (_node("gpu-1", "local"), _node("gpu-2", "shared"), _node("gpu-3", "shared", "Unknown"))
BEHIND = (
    "OVN-Kubernetes does not route by the host on 1 of 2 nodes (gpu-2), so that probes of pods in the mesh fail there: "
)


def test_nodes_that_do_not_route_by_the_host_are_named_with_what_the_network_operator_says() -> None:
    asked = Snapshot({"Network": (_network(by_the_host=True),), "Node": NODES})
    assert list(unready(asked)) == [BEHIND + "ClusterOperator network says nothing of it"]
    for kind, word in (("Progressing", "is progressing"), ("Degraded", "is degraded")):
        seen = Snapshot({**asked.objects, "ClusterOperator": (_operator(kind, "3 out of 5 updated"),)})
        assert list(unready(seen)) == [f"{BEHIND}ClusterOperator network {word}: 3 out of 5 updated"]
    assert list(unready(Snapshot({**asked.objects, "Node": NODES[:1]}))) == []


def test_a_network_that_was_set_back_under_a_mesh_is_named_and_one_without_a_mesh_is_as_it_likes() -> None:
    back = {"Network": (_network(by_the_host=False),), "Node": NODES}
    assert list(unready(Snapshot({**back, "ZTunnel": (_part("True"),)}))) == [
        BEHIND + "Network cluster does not ask for it"
    ]
    assert list(unready(Snapshot(back))) == []
