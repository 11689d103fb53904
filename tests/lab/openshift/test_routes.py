"""A service's Route on a cluster of the lab: reached over TLS by the way that its policy opens, also in a drain."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes
import pytest
from pulumi import automation

from podwright.components.design.platform import teams
from podwright.components.design.workloads import route, service
from podwright.components.model import Inference, Team, load
from podwright.components.providers.protocol.kind import ProviderError
from tests.lab.openshift.inline import anywhere, stack
from tests.lab.openshift.loops import closing
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.repeated import repeated
from tests.lab.openshift.versions import HOST as HOST_OF_TALK
from tests.lab.openshift.versions import Probe, Stack, talk
from tests.lab.openshift.watching import HOST as HOST_WATCHED
from tests.lab.openshift.watching import NAME, Watching, failing, second
from tools.generated import ROOT

pytestmark = pytest.mark.rough
SHAPE = {"workers": ("", "")}
HOST = "chat-search.apps.lab.example.com"
CHAT = Inference.model_validate(
    {
        **{"team": "search", "pool": "inference", "replicas": 2, "image": "registry.example.com/vllm", "model": "m"},
        **{"memory_gib": 4, "route": {"host": HOST, "limits": {"connections": 4}}},
    }
)
MACHINES = {"inf-01": load(ROOT / "Pulumi.lab.yaml").servers["inf-01"]}
PROBE_SECONDS = 0.1


def _planned() -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]]:
    """Everything of the service but its way in, the policy, and the Route: as planned, on nodes without GPUs."""
    deployment, *beside = service("chat", CHAT, MACHINES)
    anywhere(deployment)
    closed = [teams.namespace("search", rdma=False), *teams.inside("search", Team(), trains=False, serves=True)]
    policy, made = route("chat", CHAT)
    return [*closed, deployment, *beside], policy, made


class Client:
    """Somebody outside the cluster who trusts the router's authority."""

    def __init__(self, cluster: Rack, host: str = HOST) -> None:
        self._cluster, self._host = cluster, host
        found = cluster.get("configmap", "default-ingress-cert", "-n", "openshift-config-managed")
        self._context = ssl.create_default_context(cadata=found["data"]["ca-bundle.crt"])

    @contextmanager
    def asked(self, path: str = "/", **headers: str) -> Iterator[http.client.HTTPResponse]:
        """An answer, read while the connection is open."""
        port = int(self._cluster.side.router()["port"])
        with (
            socket.create_connection(("127.0.0.1", port), 20) as raw,
            self._context.wrap_socket(raw, server_hostname=self._host) as tls,
        ):
            connection = http.client.HTTPConnection(self._host, timeout=20)
            connection.sock = tls
            connection.request("GET", path, headers={"Host": self._host, **headers})
            yield connection.getresponse()

    def status(self, path: str = "/") -> int:
        with self.asked(path) as answer:
            answer.read()
            return answer.status

    def pod(self) -> str:
        """Who answered; empty where nobody did."""
        with self.asked() as answer:
            text = answer.read()
            return str(json.loads(text)["pod"]) if answer.status == 200 else ""


@pytest.fixture(scope="module")
def client(cluster: Rack) -> Client:
    """One of a service whose Route exists and whose policy does not."""
    objects, _, made = _planned()
    cluster.apply(*objects[:1])
    cluster.apply(*objects[1:], made)
    cluster.wait("admitted", lambda: _admitted(cluster, "search") == ("True", ""))
    cluster.wait("both replicas are behind it", lambda: len(cluster.side.router()["routes"][HOST]) == 2, 90)
    return Client(cluster)


def _admitted(cluster: Rack, namespace: str) -> tuple[str, str]:
    (entry,) = cluster.get("route", "chat", "-n", namespace)["status"]["ingress"]
    (row,) = (each for each in entry["conditions"] if each["type"] == "Admitted")
    return row["status"], row.get("reason", "")


def test_without_its_policy_the_closed_network_keeps_routers_out(cluster: Rack, client: Client) -> None:
    assert client.status() == 503
    _, policy, _ = _planned()
    (rule,) = policy["spec"]["ingress"]
    half = {**policy, "spec": {**policy["spec"], "ingress": [{**rule, "from": rule["from"][:1]}]}}
    cluster.apply(half)
    time.sleep(1)
    assert client.status() == 503, "routers on the host's network are not in openshift-ingress"
    variants: Any = cluster.world.variants
    variants["routers"] = "pods"
    try:
        cluster.wait("routers in pods are let in", lambda: client.status() == 200)
    finally:
        variants["routers"] = "host-network"
    cluster.apply(policy)
    cluster.wait("routers are let in", lambda: client.status() == 200)


def test_a_source_beyond_its_limit_is_closed_and_within_it_is_not(cluster: Rack, client: Client) -> None:
    cluster.apply(_planned()[1])
    cluster.wait("routers are let in", lambda: client.status() == 200)
    found: list[int] = []

    def one() -> None:
        try:
            found.append(client.status("/?seconds=3"))
        except (http.client.HTTPException, OSError):
            found.append(0)

    several = [threading.Thread(target=one) for _ in range(6)]
    for each in several:
        each.start()
    for each in several:
        each.join()
    assert sorted(found) == [0, 0, 200, 200, 200, 200]


def test_a_younger_route_of_another_team_does_not_get_the_name(cluster: Rack, client: Client) -> None:
    del client
    _, _, made = _planned()
    cluster.apply(teams.namespace("other", rdma=False))
    cluster.apply({**made, "metadata": {**made["metadata"], "namespace": "other"}})
    cluster.wait("refused", lambda: _admitted(cluster, "other") == ("False", "HostAlreadyClaimed"))
    assert _admitted(cluster, "search") == ("True", "")


def test_a_drain_of_one_replicas_node_fails_no_answer(cluster: Rack, client: Client) -> None:
    cluster.apply(_planned()[1])
    cluster.wait("routers are let in", lambda: client.status() == 200)
    answers: list[str] = []
    over = threading.Event()

    def probe() -> None:
        while not over.is_set():
            try:
                answers.append(client.pod())
            except (http.client.HTTPException, OSError) as broken:
                answers.append(f"! {broken}")
            over.wait(PROBE_SECONDS)

    before = {each["metadata"]["name"]: each["spec"]["nodeName"] for each in _replicas(cluster)}
    leaving = sorted(before)[0]
    prober = threading.Thread(target=probe)
    prober.start()
    try:
        cluster.wait("it answers", lambda: leaving in answers)
        drain = ("drain", before[leaving], "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=40s")
        cluster.kubectl(*drain)
        cluster.wait("another replica is there", lambda: _elsewhere(cluster, before[leaving]), 40)
        cluster.wait("and answers", lambda: not set(before) >= set(answers[-4:]))
    finally:
        over.set()
        prober.join()
        cluster.kubectl("uncordon", before[leaving])
    assert len(answers) >= 10
    assert [each for each in answers if not each or each.startswith("!")] == []


def _stack(cluster: Rack, folder: Path, name: str, host: str) -> automation.Stack:
    """A program with one Route, as a stack would have it."""
    _, _, made = _planned()
    notes = {**made["metadata"]["annotations"], "pulumi.com/timeoutSeconds": "8"}
    meta = {**made["metadata"], "name": name, "annotations": notes}
    wanted = {**made, "metadata": meta, "spec": {**made["spec"], "host": host}}
    access = cluster.kubeconfig().read_text()

    def program() -> None:
        provider = pulumi_kubernetes.Provider("cluster", kubeconfig=access)
        inside = pulumi.ResourceOptions(provider=provider)
        pulumi.CustomResource("kubernetes:route.openshift.io/v1:Route", name, dict(wanted), inside)

    return stack(name, "routes", folder, program)


def test_up_ends_once_the_router_has_admitted_it_and_fails_where_it_does_not(
    cluster: Rack, client: Client, tmp_path: Path
) -> None:
    del client
    served = _stack(cluster, tmp_path / "served", "served", "served.apps.lab.example.com")
    assert served.up().summary.result == "succeeded"
    assert set(served.preview().change_summary) == {automation.OpType.SAME}, "the second preview is empty"
    refused = _stack(cluster, tmp_path / "refused", "refused", HOST)
    with closing(), pytest.raises(automation.errors.CommandError, match="Route"):
        refused.up()


def _weights(cluster: Rack, name: str = "talk") -> dict[str, int]:
    spec = cluster.get("route", name, "-n", "search")["spec"]
    return {each["name"]: each["weight"] for each in (spec["to"], *spec.get("alternateBackends", ()))}


def test_a_second_version_gets_its_share_and_the_ways_back_and_on_fail_no_answer(
    cluster: Rack, client: Client, tmp_path: Path
) -> None:
    del client
    old, new, broken = (f"registry.example.com/{each}" for each in ("vllm:1", "vllm:2", "tritonserver:0"))
    tenth = {"image": new, "replicas": 1, "percent": 10}
    talking = Stack(cluster.kubeconfig().read_text(), tmp_path / "talk", MACHINES)
    talking.up(talk(old, canary=tenth))
    user = Client(cluster, HOST_OF_TALK)
    cluster.wait("all replicas are behind it", lambda: len(cluster.side.router()["routes"][HOST_OF_TALK]) == 3)
    shared = [user.pod() for _ in range(100)]
    assert 9 <= sum(each.startswith("talk-canary-") for each in shared) <= 11
    probe = Probe(user.pod)
    with probe.running():
        with closing(), pytest.raises(automation.errors.CommandError, match="talk-canary"):
            talking.up(talk(old, canary={**tenth, "image": broken, "percent": 50}))
        assert _weights(cluster) == {"talk": 90, "talk-canary": 10}, "no request is given to what is not ready"
        talking.up(talk(old))
        assert _weights(cluster) == {"talk": 100}
        assert cluster.get("deployment", "talk-canary", "-n", "search") is None
        talking.up(talk(old, canary={"image": new, "replicas": 2, "percent": 100}))
        switched = time.monotonic()
        first = {each["metadata"]["name"] for each in _replicas(cluster, "talk")}
        talking.up(talk(new))
        promoted = time.monotonic()
        assert talking.settled()
    assert probe.failed == [], len(probe.answers)
    assert len(probe.answers) > 100
    assert first.isdisjoint(probe.since(switched)), "what is replaced has no requests any more"
    assert not any(each.startswith("talk-canary-") for each in probe.since(promoted)[-3:])


def test_a_version_that_came_with_its_service_stays_unasked(cluster: Rack, client: Client, tmp_path: Path) -> None:
    del client
    site = Watching(cluster, tmp_path / "watch", MACHINES)
    assert site.up(second(10), 2).endswith("no request has come to it, and 20 are needed")
    assert _weights(cluster, NAME) == {NAME: 90, f"{NAME}-canary": 10}
    site.known = {}
    with pytest.raises(ProviderError, match="not known after 2 seconds: no request has come to it"):
        site.up(second(20), 2)
    site.ends()


def test_a_second_version_that_answers_badly_loses_its_share_and_a_good_one_keeps_it(
    cluster: Rack, client: Client, tmp_path: Path
) -> None:
    del client
    site, user = Watching(cluster, tmp_path / "watch", MACHINES), Client(cluster, HOST_WATCHED)
    site.stack.up(second(0))
    cluster.wait("monitoring answers", lambda: any("thanos" in each for each in cluster.side.router()["routes"]), 60)
    cluster.wait("it answers", lambda: user.status() == 200)
    with repeated(user.status, 0.02):
        assert site.up(second(50)).endswith(" requests failed (0.0 %)")
        assert _weights(cluster, NAME) == {NAME: 50, f"{NAME}-canary": 50}
        with failing(site, 30), pytest.raises(ProviderError, match=r"failed \(.* its limit is 1 %; .*50 of 100 req"):
            site.up(second(80), 24)
        assert _weights(cluster, NAME) == {NAME: 50, f"{NAME}-canary": 50}
        # The Route's plan has the new weights: `up` has nothing to do there, and the watch gives them again.
        site.up(second(80), route=False)
        assert _weights(cluster, NAME) == {NAME: 20, f"{NAME}-canary": 80}
        site.stop_after = 1
        with pytest.raises(ProviderError, match="stopped while it was watched, as asked"):
            site.up(second(90), route=False)
        site.stop_after = 0
    with pytest.raises(ProviderError, match=r"not known after 2 seconds: .* and 20 are needed; .*80 of 100 req"):
        site.up(second(100), 2, route=False)
    assert site.stack.settled() and _weights(cluster, NAME) == {NAME: 20, f"{NAME}-canary": 80}
    site.stack.up(talk("registry.example.com/vllm:1", HOST_WATCHED))
    assert _weights(cluster, NAME) == {NAME: 100}, "nobody else owns a field of the Route"


def _replicas(cluster: Rack, service: str = "chat") -> list[Any]:
    found = cluster.items("pods", "-n", "search", "-l", f"app.kubernetes.io/name={service}")
    return [each for each in found if "deletionTimestamp" not in each["metadata"]]


def _elsewhere(cluster: Rack, node: str) -> bool:
    found = _replicas(cluster)
    names = [f"search/{each['metadata']['name']}" for each in found]
    served = cluster.side.router()["routes"][HOST]
    return (
        len(found) == 2 and sorted(served) == sorted(names) and all(each["spec"]["nodeName"] != node for each in found)
    )
