"""The router's stand-in over TLS, on objects that nobody keeps: what it answers, and what it writes of Routes."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.controller import Answered, Surroundings
from podwright.lab.openshift.controlplane import POWERED_LABEL
from podwright.lab.openshift.ingress import PLACES, router
from podwright.lab.openshift.ingress.backend import ROUTER
from podwright.lab.openshift.ingress.router import ROUTES, SLICES, Router
from podwright.lab.openshift.kinds import NAMESPACES, NODES, PODS
from podwright.lab.openshift.mesh.peers import Mesh
from podwright.lab.openshift.ovn import ADMIN, POLICIES
from podwright.lab.openshift.serving.box import Answer, Request, Served

HOST = "chat.apps.lab.example.com"
Row = dict[str, Any]


class Objects:
    """What the API server would have; statuses and ConfigMaps that are written are kept."""

    def __init__(self) -> None:
        self.items: dict[str, list[Row]] = {}
        self.written: dict[str, Row] = {}

    def list(self, kind: Kind, namespace: str | None = None) -> list[Row]:
        rows = self.items.get(kind.plural, [])
        return [each for each in rows if namespace in (None, each["metadata"].get("namespace"))]

    def find(self, kind: Kind, name: str, namespace: str = "") -> Row | None:
        rows = self.list(kind, namespace or None)
        return next((each for each in rows if each["metadata"]["name"] == name), None)

    def get(self, path: str) -> Row:
        assert path.endswith("/ingresses/cluster")
        return {"spec": {"domain": "apps.lab.example.com"}}

    def merge(self, path: str, body: Row, subresource: str = "") -> Row:
        self.written[path] = body
        name = path.rpartition("/")[2]
        if subresource:
            next(each for each in self.items["routes"] if each["metadata"]["name"] == name).update(body)
        return body


class Site:
    """A router, two replicas behind a Route, and the policies between."""

    def __init__(self, **notes: str) -> None:
        self.objects = Objects()
        self.variants = {"routers": "host-network"}
        meta = {"namespace": "chat", "name": "chat", "uid": "1", "creationTimestamp": "2026-11-25T10:00:00Z"}
        marked = {f"{ROUTER}{key}": value for key, value in notes.items()}
        self.route: Row = {"metadata": {**meta, "annotations": marked}, "spec": {"host": HOST, "to": {"name": "chat"}}}
        self.pods = [self._pod(f"chat-{number}") for number in range(2)]
        ends = [
            {"addresses": [f"10.128.0.{index}"], "targetRef": {"name": pod["metadata"]["name"]}}
            for index, pod in enumerate(self.pods)
        ]
        labels = {"kubernetes.io/service-name": "chat"}
        self.slice: Row = {
            "metadata": {"namespace": "chat", "name": "chat-a", "labels": labels},
            "ports": [{"name": "http", "port": 8000}],
            "endpoints": ends,
        }
        self.objects.items = {
            ROUTES.plural: [self.route],
            SLICES.plural: [self.slice],
            PODS.plural: self.pods,
            NAMESPACES.plural: [{"metadata": {"name": name, "labels": dict(each)}} for name, each in PLACES.items()],
            POLICIES.plural: [],
        }
        held = self.objects
        cache = SimpleNamespace(
            list=held.list, get=held.find, listen=lambda *_: None, settle=lambda *_: None, put=lambda *_: None
        )
        api = SimpleNamespace(get=held.get, ensure=lambda *_: None, merge=held.merge)
        self.served: dict[tuple[str, str], Served] = {}
        self.answered: Answered = {}
        self.faults: dict[str, Any] = {}
        around = SimpleNamespace(
            api=api, cache=cache, served=self.served, answered=self.answered, router_port=0, mesh=Mesh(),
            world=SimpleNamespace(variants=self.variants, fault_handlers=self.faults),
        )  # fmt: skip
        self.router = Router(cast("Surroundings", around))
        self.router.reconcile()

    def beside(self, weight: int, other: int, ready: int = 1) -> None:
        """A second service of the Route, of so many pods, and the weights of both."""
        spec = self.route["spec"]
        spec["to"]["weight"] = weight
        spec["alternateBackends"] = [{"kind": "Service", "name": "new", "weight": other}]
        pods = [self._pod(f"new-{number}") for number in range(ready)]
        ends = [
            {"addresses": [f"10.128.1.{index}"], "targetRef": {"name": pod["metadata"]["name"]}}
            for index, pod in enumerate(pods)
        ]
        meta = {"namespace": "chat", "name": "new-a", "labels": {"kubernetes.io/service-name": "new"}}
        self.objects.items[PODS.plural] = [*self.pods, *pods]
        self.objects.items[SLICES.plural] = [self.slice, {**self.slice, "metadata": meta, "endpoints": ends}]
        self.router.reconcile()

    def of_new(self, count: int, **headers: str) -> int:
        """Requests of so many that the second service answers."""
        return sum(self.ask(**headers)[1].startswith("new-") for _ in range(count))

    @staticmethod
    def _pod(name: str) -> Row:
        ports = [{"name": "http", "containerPort": 8000}]
        return {
            "metadata": {"namespace": "chat", "name": name, "labels": {"app": "chat"}},
            "spec": {"containers": [{"name": "serve", "ports": ports}]},
            "status": {"phase": "Running"},
        }

    def close(self) -> None:
        assert self.router.listener is not None
        self.router.listener.stop()

    def ask(self, path: str = "/", host: str = HOST, **headers: str) -> tuple[int, str, dict[str, str]]:
        """Status, the pod that answered and headers. Raises OSError or HTTPException where it is closed."""
        bundle = self.objects.written["/api/v1/namespaces/openshift-config-managed/configmaps/default-ingress-cert"]
        context = ssl.create_default_context(cadata=bundle["data"]["ca-bundle.crt"])
        port = self.router.page()["port"]
        with (
            socket.create_connection(("127.0.0.1", port), 10) as raw,
            context.wrap_socket(raw, server_hostname=host) as tls,
        ):
            connection = http.client.HTTPConnection(host, timeout=10)
            connection.sock = tls
            connection.request("GET", path, headers={"Host": host, **headers})
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text)["pod"] if answer.status == 200 else "", dict(answer.headers)

    def closed(self, *ingress: Row) -> None:
        """One policy for the pods, with these rules."""
        spec = {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": list(ingress)}
        self.objects.items[POLICIES.plural] = [{"metadata": {"namespace": "chat", "name": "p"}, "spec": spec}]


@pytest.fixture
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    made = Site(**getattr(request, "param", {"disable_cookies": "true"}))
    try:
        yield made
    finally:
        made.close()


def test_a_server_of_models_that_is_known_answers_itself(site: Site) -> None:
    def echo(request: Request) -> Answer:
        return Answer(200, json.dumps({"pod": f"{request.method} {request.path}"}).encode())

    for number in range(2):
        site.served["chat", f"chat-{number}"] = Served({8000: echo})
    assert site.ask("/v2/health/live")[:2] == (200, "GET /v2/health/live")
    for number in range(2):
        site.served["chat", f"chat-{number}"] = Served({9000: echo})
    assert site.ask("/v2/health/live")[1] in ("chat-0", "chat-1"), "it listens elsewhere"


def test_a_pod_on_a_host_without_power_is_waited_for_before_another_one_answers(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody refuses the connection there, and the pod is Running and ready until its node is given up."""
    monkeypatch.setattr(router, "CONNECT_SECONDS", 0.2)
    powered = {POWERED_LABEL: "true"}
    site.objects.items[NODES.plural] = [
        {"metadata": {"name": "one", "labels": powered}}, {"metadata": {"name": "two", "labels": {}}},
    ]  # fmt: skip
    for pod, node in zip(site.pods, ("one", "two"), strict=True):
        pod["spec"]["nodeName"] = node
    began = time.monotonic()
    assert {site.ask()[1] for _ in range(12)} == {"chat-0"}
    assert time.monotonic() - began > router.CONNECTS * 0.2, "the other one is asked first sometimes"
    assert site.router.page()["redispatched"] > 0
    site.objects.items[NODES.plural][0]["metadata"]["labels"] = {}
    assert site.ask()[0] == 503
    site.objects.items[NODES.plural] = [{"metadata": {"name": name, "labels": powered}} for name in ("one", "two")]
    assert {site.ask()[1] for _ in range(30)} == {"chat-0", "chat-1"}


def test_a_route_is_admitted_and_answers_by_its_name_alone(site: Site) -> None:
    (entry,) = site.route["status"]["ingress"]
    assert (entry["host"], entry["routerName"]) == (HOST, "default")
    assert [(each["type"], each["status"]) for each in entry["conditions"]] == [("Admitted", "True")]
    assert {site.ask()[1] for _ in range(20)} == {"chat-0", "chat-1"}
    assert site.ask(host="other.apps.lab.example.com")[0] == 503
    written = dict(site.objects.written)
    site.router.reconcile()
    assert site.objects.written == written, "a second pass writes nothing"


def test_policies_of_the_pods_decide_and_where_the_router_is(site: Site) -> None:
    site.closed()
    assert site.ask()[0] == 503
    pods = {"namespaceSelector": {"matchLabels": dict(PLACES["openshift-ingress"])}}
    site.closed({"from": [pods]})
    assert site.ask()[0] == 503
    site.variants["routers"] = "pods"
    assert site.ask()[0] == 200
    site.closed({"from": [{"namespaceSelector": {"matchLabels": dict(PLACES["openshift-host-network"])}}]})
    assert site.ask()[0] == 503
    site.variants["routers"] = "host-network"
    assert site.ask()[0] == 200


def test_what_an_administrator_allows_or_denies_comes_before_policies_of_the_namespace(site: Site) -> None:
    routers = {"namespaces": {"matchLabels": dict(PLACES["openshift-ingress"])}}
    rule = {"action": "Deny", "from": [routers]}
    everywhere = {"priority": 50, "subject": {"namespaces": {}}, "ingress": [rule]}
    site.objects.items[ADMIN.plural] = [{"metadata": {"name": "a"}, "spec": everywhere}]
    assert site.ask()[0] == 200, "a router on the host's network is no pod that a rule could name"
    site.variants["routers"] = "pods"
    assert site.ask()[0] == 503
    site.closed()
    rule["action"] = "Allow"
    assert site.ask()[0] == 200


def test_one_that_ends_answers_while_its_hook_runs_and_without_a_hook_another_one_does(site: Site) -> None:
    gone, stays = site.pods
    gone["metadata"]["deletionTimestamp"] = "2026-11-25T11:00:00Z"
    assert {site.ask()[1] for _ in range(10)} == {stays["metadata"]["name"]}
    assert site.router.page()["redispatched"] > 0
    gone["spec"]["containers"][0]["lifecycle"] = {"preStop": {"sleep": {"seconds": 15}}}
    assert {site.ask()[1] for _ in range(20)} == {"chat-0", "chat-1"}
    gone["status"]["phase"] = stays["status"]["phase"] = "Failed"
    assert site.ask()[0] == 503


@pytest.mark.parametrize("site", [{"balance": "roundrobin"}], indirect=True)
def test_a_cookie_keeps_a_client_at_a_pod_until_that_is_gone(site: Site) -> None:
    _, first, headers = site.ask()
    cookie = headers["Set-Cookie"].partition(";")[0]
    assert {site.ask(Cookie=cookie)[1] for _ in range(10)} == {first}
    site.slice["endpoints"] = [row for row in site.slice["endpoints"] if row["targetRef"]["name"] != first]
    site.router.reconcile()
    status, other, _ = site.ask(Cookie=cookie)
    assert status == 200 and other != first


@pytest.mark.parametrize("site", [{"timeout": "200ms", "hsts_header": "max-age=86400"}], indirect=True)
def test_a_pod_that_is_silent_for_too_long_is_504_and_headers_are_the_routes(site: Site) -> None:
    assert site.ask("/?seconds=0.5")[0] == 504
    status, _, headers = site.ask("/?seconds=0.05")
    assert status == 200 and headers["Strict-Transport-Security"] == "max-age=86400"


LIMIT = {"rate-limit-connections": "true", "rate-limit-connections.concurrent-tcp": "3"}


@pytest.mark.parametrize("site", [LIMIT], indirect=True)
def test_a_source_beyond_its_limit_is_closed(site: Site) -> None:
    found: list[int] = []

    def one() -> None:
        try:
            found.append(site.ask("/?seconds=1")[0])
        except (http.client.HTTPException, OSError):
            found.append(0)

    several = [threading.Thread(target=one) for _ in range(4)]
    for each in several:
        each.start()
    for each in several:
        each.join()
    assert sorted(found) == [0, 0, 200, 200]


@pytest.mark.parametrize("site", [{"ip_allowlist": "10.0.0.0/8"}], indirect=True)
def test_a_client_that_is_not_in_the_list_is_closed(site: Site) -> None:
    with pytest.raises((http.client.HTTPException, OSError)):
        site.ask()


def test_without_a_route_there_is_no_port() -> None:
    made = Site()
    made.close()
    fresh = Router(made.router.around)
    made.objects.items[ROUTES.plural] = []
    fresh.reconcile()
    assert fresh.page()["port"] is None
