"""The router's stand-in without a cluster: what it admits, and what it makes of a Route's annotations."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.lab.openshift.ingress.admission import admissions
from podwright.lab.openshift.ingress.backend import ROUTER, Backend, identity
from podwright.lab.openshift.ingress.endpoints import Endpoint, endpoints


def _route(name: str = "a", namespace: str = "chat", at: int = 1, **spec: Any) -> dict[str, Any]:
    stamp = f"2026-11-25T10:00:{at:02d}Z"
    meta = {"name": name, "namespace": namespace, "uid": f"{namespace}/{name}", "creationTimestamp": stamp}
    return {"metadata": meta, "spec": {"host": "chat.apps.example.com", "to": {"name": "chat"}, **spec}}


def _refused(*routes: dict[str, Any]) -> dict[str, tuple[str, str]]:
    found = admissions(routes)
    return {each.route["metadata"]["name"]: (each.reason, each.message) for each in found if each.reason}


def test_of_one_name_the_oldest_route_has_it_and_its_namespace_every_path() -> None:
    first, path = _route("first", at=1), _route("path", at=2, path="/v1")
    again, other = _route("again", at=3), _route("other", "search", at=4, path="/v2")
    held = "a route in another namespace holds chat.apps.example.com and is older than other"
    assert _refused(other, again, path, first) == {
        "again": ("HostAlreadyClaimed", "route first already exposes chat.apps.example.com and is older"),
        "other": ("HostAlreadyClaimed", held),
    }


def test_a_route_that_is_refused_claims_nothing() -> None:
    assert set(_refused(_route("old", tls={"certificate": "x"}), _route("new", "search", at=2))) == {"old"}


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"host": ""}, "NoHostValue"),
        ({"host": "a_b.example.com"}, "InvalidHost"),
        ({"host": f"{'a' * 64}.example.com"}, "InvalidHost"),
        ({"wildcardPolicy": "Subdomain"}, "RouteNotAdmitted"),
        ({"tls": {"termination": "edge", "certificate": "no PEM"}}, "ExtendedValidationFailed"),
        ({"tls": {"termination": "passthrough"}, "path": "/x"}, "ExtendedValidationFailed"),
    ],
)
def test_what_it_does_not_serve(spec: dict[str, Any], reason: str) -> None:
    assert _refused(_route(**spec))["a"][0] == reason


ENDS = [Endpoint(f"pod-{number}", "chat", f"10.128.0.{number}", 8000) for number in range(3)]


def _backend(**notes: str) -> Backend:
    return Backend("chat", "chat", "", {f"{ROUTER}{key.replace('_', '-')}": each for key, each in notes.items()}, ENDS)


def _first(backend: Backend, source: str = "192.0.2.1", cookie: str = "") -> str:
    return backend.chosen(source, cookie)[0].pod


def _balanced(way: str) -> Backend:
    return Backend("chat", "chat", "", {f"{ROUTER}balance": way, f"{ROUTER}disable_cookies": "true"}, ENDS)


def test_a_cookie_comes_before_a_balance() -> None:
    kept = Backend("chat", "chat", "", {f"{ROUTER}balance": "leastconn"}, ENDS)
    assert {_first(kept, cookie=identity(ENDS[2])) for _ in range(9)} == {"pod-2"}
    turns = _balanced("roundrobin")
    assert {_first(turns, cookie=identity(ENDS[2])) for _ in range(9)} == {"pod-0", "pod-1", "pod-2"}


def test_leastconn_takes_the_pod_with_the_fewest_connections_and_source_the_same_one_always() -> None:
    least = _balanced("leastconn")
    with least.opened(ENDS[0]), least.opened(ENDS[2]):
        assert {_first(least) for _ in range(9)} == {"pod-1"}
    assert len({_first(_balanced("source"), "192.0.2.7") for _ in range(9)}) == 1


def test_what_does_not_match_is_left_out_without_a_word() -> None:
    assert (_backend(timeout="600s").seconds, _backend(timeout="10 minutes").seconds) == (600.0, 30.0)
    assert _backend(timeout="1500").seconds == 1.5
    assert _backend(balance="least").cookie
    assert (_backend(hsts_header="x").hsts, Backend("", "", "", {f"{ROUTER}hsts_header": "max-age=1"}, ()).hsts) == (
        "",
        "max-age=1",
    )


@pytest.mark.parametrize(
    ("text", "here"),
    [
        ("192.0.2.0/24", True),
        ("10.0.0.0/8", False),
        ("10.0.0.0/8 192.0.2.1", True),
        (" 10.0.0.0/8", True),
        ("ten", True),
        ("ten 10.0.0.0/8", False),
        ("10.0.0.0/8,192.0.2.0/24", True),
    ],
)
def test_a_list_of_sources_of_which_nothing_can_be_read_keeps_nobody_out(text: str, here: bool) -> None:
    assert Backend("", "", "", {f"{ROUTER}ip_allowlist": text}, ENDS).allows("192.0.2.1") is here


def test_a_source_is_refused_from_the_figure_on_and_another_one_is_not() -> None:
    limits = {f"{ROUTER}rate-limit-connections": "true", f"{ROUTER}rate-limit-connections.concurrent-tcp": "2"}
    limited = Backend("", "", "", limits, ())
    near, far = "192.0.2.1", "192.0.2.2"
    with limited.counted(near) as one, limited.counted(near) as two, limited.counted(far) as other:
        assert (one, two, other) == (True, False, True)
    with limited.counted(near) as again:
        assert again


def test_endpoints_are_the_ready_ones_at_the_port_that_the_route_names() -> None:
    def row(name: str, ready: bool) -> dict[str, Any]:
        return {"addresses": [f"10.0.0.{name}"], "conditions": {"ready": ready}, "targetRef": {"name": name}}

    def made(service: str, *rows: dict[str, Any]) -> dict[str, Any]:
        meta = {"namespace": "chat", "labels": {"kubernetes.io/service-name": service}}
        ports = [{"name": "http", "port": 8000}, {"name": "metrics", "port": 9000}]
        return {"metadata": meta, "ports": ports, "endpoints": list(rows)}

    slices = [made("chat", row("1", True), row("2", False)), made("other", row("3", True))]
    wanted = [(each.pod, each.port) for each in endpoints(_route(port={"targetPort": "http"}), slices)]
    assert wanted == [("1", 8000)]
    assert endpoints(_route(port={"targetPort": "https"}), slices) == []
