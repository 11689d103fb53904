"""The lab's service mesh, part by part: what a pod in it takes, and who is in it."""

from typing import Any

import pytest

from podwright.lab.openshift.admin_policies import Policies
from podwright.lab.openshift.mesh.operator import _wanted, port_of
from podwright.lab.openshift.mesh.peers import Mesh, Ways
from podwright.lab.openshift.network_policies import Peer
from podwright.lab.openshift.ovn import end

INSIDE = Peer("chat", {}, {"app": "serve"}, "10.128.0.7", meshed=True)
OUTSIDE = Peer("other", {}, {"app": "x"}, "10.128.0.8")
MODE = "istio.io/dataplane-mode"


def _policy(spec: dict[str, Any], namespace: str = "chat", at: str = "2026-01-01") -> dict[str, Any]:
    return {"metadata": {"namespace": namespace, "name": "p", "creationTimestamp": at}, "spec": spec}


def _mode(mode: str) -> dict[str, Any]:
    return {"mtls": {"mode": mode}}


CHOSEN = {"selector": {"matchLabels": {"app": "serve"}}}
OPEN = {**CHOSEN, **_mode("STRICT"), "portLevelMtls": {"8000": {"mode": "PERMISSIVE"}}}
WHOLE, ROOT = _policy(_mode("STRICT")), _policy(_mode("STRICT"), "istio-system")
OTHERS = {"selector": {"matchLabels": {"app": "x"}}}
CASES: list[tuple[str, list[dict[str, Any]], list[int]]] = [
    ("nothing is asked for unless something says so", [], [8000, 9000]),
    ("of a namespace", [WHOLE], []),
    ("of another namespace", [_policy(_mode("STRICT"), "other")], [8000, 9000]),
    ("of the whole mesh", [ROOT], []),
    ("a namespace's own comes first", [ROOT, _policy(_mode("PERMISSIVE"))], [8000, 9000]),
    ("one that says nothing leaves it to the next", [ROOT, _policy(_mode("UNSET"))], []),
    ("a port is open", [WHOLE, _policy(OPEN)], [8000]),
    ("of other pods", [WHOLE, _policy({**OPEN, **OTHERS})], []),
    ("a pod's own comes before its namespace's", [WHOLE, _policy({**CHOSEN, **_mode("PERMISSIVE")})], [8000, 9000]),
    ("of two for one pod the older one", [_policy(OPEN, at="2026-02-01"), _policy({**CHOSEN, **_mode("STRICT")})], []),
    ("a tunnel cannot be switched off", [WHOLE, _policy({**CHOSEN, **_mode("DISABLE")})], []),
]


@pytest.mark.parametrize(("rows", "wanted"), [each[1:] for each in CASES], ids=[each[0] for each in CASES])
def test_what_a_pod_takes_in_the_clear(rows: list[dict[str, Any]], wanted: list[int]) -> None:
    ways = Ways(Policies(), Mesh(lambda: rows))
    assert [port for port in (8000, 9000) if ways.connects(OUTSIDE, INSIDE, port)] == wanted
    assert [port for port in (8000, 9000) if ways.enters(OUTSIDE, INSIDE, port)] == wanted
    assert ways.connects(INSIDE, INSIDE, 9000) and ways.enters(INSIDE, INSIDE, 9000), "by the tunnel, everything"
    assert ways.connects(INSIDE, OUTSIDE, 9000), "who is not in the mesh takes what the network lets through"
    assert ways.connects(OUTSIDE, INSIDE, 9000, "UDP")


def test_the_network_sees_the_tunnel_between_two_pods_of_the_mesh_and_no_other_port() -> None:
    for port, wanted in ((15008, True), (8000, False)):
        spec = {"podSelector": {}, "ingress": [{"ports": [{"port": port}]}]}
        ways = Ways(Policies([{"metadata": {"namespace": "chat", "name": "p"}, "spec": spec}]), Mesh())
        assert ways.connects(INSIDE, INSIDE, 8000) is wanted
        assert ways.connects(OUTSIDE, INSIDE, 8000) is not wanted


def _pod(**labels: str) -> dict[str, Any]:
    return {"metadata": {"namespace": "chat", "name": "a", "labels": labels}, "spec": {"containers": [{}]}}


def test_labels_say_who_is_taken_in_and_a_pods_own_comes_first() -> None:
    whole = {"chat": {"metadata": {"labels": {MODE: "ambient"}}}}
    assert _wanted(_pod(), whole) and not _wanted(_pod(), {})
    assert not _wanted(_pod(**{MODE: "none"}), whole) and _wanted(_pod(**{MODE: "ambient"}), {})
    host = _pod()
    host["spec"]["hostNetwork"] = True
    assert not _wanted(host, whole)


def test_a_pod_is_an_end_in_the_mesh_once_it_was_taken_in() -> None:
    pod = _pod()
    assert not end(pod, {}).meshed
    pod["metadata"]["annotations"] = {"ambient.istio.io/redirection": "enabled"}
    assert end(pod, {}).meshed


def test_where_a_probe_goes() -> None:
    box = {"ports": [{"name": "http", "containerPort": 8000}]}
    for probe, wanted in (({"httpGet": {"port": "http"}}, 8000), ({"tcpSocket": {"port": 9000}}, 9000)):
        assert port_of({"spec": {"containers": [{}, {**box, "readinessProbe": probe}]}}) == wanted
    assert port_of({"spec": {"containers": [{}]}}) == 0
