"""A service behind the inference gateway, as planned, by the real endpoint picker on a cluster of the lab.

Opt-in: `make soak SUITE=gateway`, which builds the picker (`python3 -m toolchain setup gateway`).
"""

import http.client
import json
import ssl
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes
import pytest
from pulumi import automation

from podwright.components.contract import Component
from podwright.components.design.platform import gateway, teams
from podwright.components.design.workloads import picked, service
from podwright.components.manifests import Objects
from podwright.components.model import ClientKeys, Inference, InferenceGateway, OpenShift, Team, load
from tests.lab.openshift import gateway_keys as keys
from tests.lab.openshift.inline import Alone, anywhere, stack
from tests.lab.openshift.rack import Rack
from tools.generated import ROOT

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]
SHAPE = {"workers": ("", "", "")}
MACHINES = {"inf-01": load(ROOT / "Pulumi.lab.yaml").servers["inf-01"]}
HOST = "chat.apps.lab.example.com"
IMAGE = "registry.example.com/gateway-api-inference-extension/epp@sha256:" + "7" * 64
FIXED = {
    "team": "chat", "pool": "inference", "replicas": 2, "image": "registry.example.com/serving/vllm", "model": "m",
    "memory_gib": 1, "cpus": 1, "load_seconds": 10, "gateway": {"host": HOST},
}  # fmt: skip
SECTION = InferenceGateway(picker_image=IMAGE)
CLIENTS = ClientKeys()
ROUTE, POOL = "httproute", "inferencepool"


KEYED = FIXED | {"gateway": {"host": HOST, "clients": {
    "portal": {"tokens": {"limit": 100, "per": "day"}}, "batch": {"requests": {"limit": 3, "per": "day"}},
}}}  # fmt: skip


def _openshift() -> OpenShift:
    found = load(ROOT / "Pulumi.lab.yaml").openshift
    assert found is not None
    return found.model_copy(update={"inference_gateway": SECTION})


def _planned(fixed: dict[str, Any]) -> list[dict[str, Any]]:
    """The service's objects as planned, on nodes that are in no pool."""
    inference = Inference.model_validate(fixed)
    deployment, *beside = service("chat", inference, MACHINES)
    anywhere(deployment)
    behind = list(picked("chat", inference, SECTION))
    for each in behind:
        if each["kind"] == "Deployment":
            anywhere(each)
    return [deployment, *beside, *behind]


class _Cluster(Component):
    """What a cluster has once, without an installation."""

    TOKEN = "podwright:index:OpenShiftCluster"
    PROVIDERS = ("kubernetes",)

    ready: pulumi.Output[str]

    def __init__(self, provider: pulumi.ProviderResource) -> None:
        super().__init__("lab", "lab", {}, pulumi.ResourceOptions(providers=[provider]))
        self.last = Objects(self).chain(gateway.plan(_openshift()), ())
        self.finish(ready="lab")


class Site:
    """The stack of a gateway and one service, on a cluster."""

    def __init__(self, cluster: Rack, folder: Path) -> None:
        self.cluster, self._access = cluster, cluster.kubeconfig().read_text()
        self.stack, self.fixed = stack("behind", "gateway", folder, self._program), FIXED

    def _program(self) -> None:
        provider = pulumi_kubernetes.Provider("cluster", kubeconfig=self._access, enable_server_side_apply=True)
        once = _Cluster(provider)
        Alone("chat", _planned(self.fixed), pulumi.ResourceOptions(providers=[provider], depends_on=list(once.last)))

    def previewed(self) -> set[Any]:
        """What a preview would do."""
        return set(self.stack.preview().change_summary)

    def page(self) -> dict[str, Any]:
        """What the lab says of its gateway."""
        return dict(self.cluster.side.gateway())

    def asked(self, count: int = 1, host: str = HOST, prompt: str = "") -> Counter[str]:
        """Who answers so many prompts, each another one or all of them one; of errors their status."""
        found: Counter[str] = Counter()
        context = ssl._create_unverified_context()
        for number in range(count):
            connection = http.client.HTTPSConnection("127.0.0.1", self.page()["port"], context=context, timeout=20)
            words = {"role": "user", "content": prompt or f"{number} and nothing else"}
            body = json.dumps({"model": "m", "messages": [words]})
            connection.request("POST", "/v1/chat/completions", body, {"Host": host, "Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            found[json.loads(text)["system_fingerprint"] if answer.status == 200 else str(answer.status)] += 1
            connection.close()
        return found

    def called(self, key: str, path: str = "/v1/chat/completions", **body: Any) -> tuple[int, bool]:
        """Status of a request with a key, and whether a replica got to know that."""
        context = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection("127.0.0.1", self.page()["port"], context=context, timeout=20)
        given = {"Host": HOST, "Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        said = {"model": "m", "messages": [{"role": "user", "content": "x"}], **body}
        connection.request("POST", path, json.dumps(said), given)
        answer = connection.getresponse()
        known = b'"with_key": true' in answer.read()
        connection.close()
        return answer.status, known

    def pods(self) -> list[str]:
        """Ready replicas by name."""
        rows = self.cluster.items("pods", "-n", "chat", "-l", "app.kubernetes.io/name=chat")
        return sorted(
            f"chat/{each['metadata']['name']}" for each in rows if "deletionTimestamp" not in each["metadata"]
        )

    def waits(self, pod: str, **load: float) -> None:
        """So many requests wait at one replica."""
        self.cluster.world.fault_handlers["requests"]({"pod": pod, **load})

    def parents(self, kind: str) -> dict[str, tuple[str, str]]:
        """Conditions of a route or pool, of its one gateway."""
        found = self.cluster.get(kind, "chat", "-n", "chat") or {}
        rows = found.get("status", {}).get("parents") or [{"conditions": []}]
        return {row["type"]: (row["status"], row["reason"]) for row in rows[0]["conditions"]}


@pytest.fixture(scope="module")
def site(cluster: Rack, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A team whose service is behind the gateway."""
    subprocess.run([sys.executable, "-m", "podwright.toolchain", "setup", "gateway"], cwd=ROOT, check=True)
    cluster.apply(teams.namespace("chat", rdma=False))
    cluster.apply(*teams.inside("chat", Team(), trains=False, serves=True))
    made = Site(cluster, tmp_path_factory.mktemp("stack"))
    made.stack.up()
    return made


def test_up_waits_until_the_gateway_the_route_and_the_pool_are_accepted(site: Site) -> None:
    assert site.parents(ROUTE) == {"Accepted": ("True", "Accepted"), "ResolvedRefs": ("True", "ResolvedRefs")}
    assert site.parents(POOL) == {"Accepted": ("True", "Accepted"), "ResolvedRefs": ("True", "ResolvedRefs")}
    assert site.previewed() == {automation.OpType.SAME}, "the second preview is empty"


def test_requests_go_where_nothing_waits(site: Site) -> None:
    first, other = site.pods()
    site.cluster.wait("both are known", lambda: len(site.page()["names"].get(HOST, [])) == 2, 60)
    site.cluster.wait("the picker picks", lambda: _picks(site), 60)
    site.waits(first, waiting=40)
    site.cluster.wait("the picker has read it", lambda: site.asked(4) == {other: 4}, 30)
    assert site.asked(30) == {other: 30}
    site.waits(first)
    site.waits(other, kv_percent=97)
    site.cluster.wait("a full cache counts too", lambda: site.asked(4) == {first: 4}, 30)
    assert site.asked(30) == {first: 30}
    site.waits(other)


def test_a_prompt_goes_where_its_beginning_is_known(site: Site) -> None:
    """Of two replicas that are idle alike."""
    prompt = "The same words of a long system prompt, once more and again. " * 200
    site.cluster.wait("the picker picks", lambda: _picks(site), 60)
    (known,) = site.asked(1, prompt=prompt)
    assert site.asked(20, prompt=prompt) == {known: 20}
    assert len(site.asked(40)) == 2, "other prompts go to both"


def _picks(site: Site) -> bool:
    before = site.page()["passed_by"]
    return "503" not in site.asked() and site.page()["passed_by"] == before


def test_a_lost_replica_loses_no_answer(site: Site) -> None:
    lost, _ = site.pods()
    site.cluster.kubectl("delete", "pod", lost.removeprefix("chat/"), "-n", "chat", "--wait=false")
    assert set(site.asked(40)) <= {*site.pods(), lost}
    site.cluster.wait("two again", lambda: len(site.page()["names"][HOST]) == 2, 60)


def test_without_its_picker_requests_go_by_turns(site: Site) -> None:
    """failureMode FailOpen."""
    before, pods = site.page()["passed_by"], site.pods()
    site.waits(pods[0], waiting=40)
    site.cluster.kubectl("scale", "deployment", "chat-picker", "-n", "chat", "--replicas=0")
    site.cluster.wait("no picker", lambda: set(site.asked(6)) == set(pods), 60)
    assert site.page()["passed_by"] > before
    site.cluster.kubectl("scale", "deployment", "chat-picker", "-n", "chat", "--replicas=1")
    site.cluster.wait("it is back", lambda: _picks(site) and site.asked(8) == {pods[1]: 8}, 60)
    site.waits(pods[0])


def test_the_gateway_reaches_the_picker_by_its_policy_alone(site: Site) -> None:
    text = json.dumps(site.cluster.get("networkpolicy", "chat-picker", "-n", "chat"))
    site.cluster.kubectl("delete", "networkpolicy", "chat-picker", "-n", "chat")
    site.cluster.wait("the gateway is kept out", lambda: not _picks(site), 60)
    kept = json.loads(text)
    kept["metadata"] = {key: kept["metadata"][key] for key in ("name", "namespace", "labels", "annotations")}
    site.cluster.apply(kept)
    site.cluster.wait("and let in again", lambda: _picks(site), 60)


def test_the_gateway_reaches_the_replicas_by_their_policy_alone(site: Site) -> None:
    kept = json.loads(json.dumps(site.cluster.get("networkpolicy", "chat-gateway", "-n", "chat")))
    site.cluster.kubectl("delete", "networkpolicy", "chat-gateway", "-n", "chat")
    site.cluster.wait("the gateway is kept out", lambda: site.asked(4) == {"503": 4}, 60)
    kept["metadata"] = {key: kept["metadata"][key] for key in ("name", "namespace", "labels", "annotations")}
    site.cluster.apply(kept)
    site.cluster.wait("and let in again", lambda: "503" not in site.asked(4), 60)


def test_what_is_wrong_is_said_on_the_objects(site: Site) -> None:
    """Refused as Istio refuses it."""
    found = site.cluster.get(ROUTE, "chat", "-n", "chat")
    backend = {"group": "inference.networking.k8s.io", "kind": "InferencePool", "name": "nobody"}
    spec = {**found["spec"], "hostnames": ["x.apps.lab.example.com"], "rules": [{"backendRefs": [backend]}]}
    other = {"apiVersion": found["apiVersion"], "kind": "HTTPRoute", "metadata": {"name": "lost", "namespace": "chat"}}
    site.cluster.apply({**other, "spec": spec})
    site.cluster.wait("no such pool", lambda: _reason(site, "lost", "chat", "ResolvedRefs") == "BackendNotFound", 30)
    site.cluster.apply({**other, "metadata": {"name": "foreign", "namespace": "default"}, "spec": spec})
    site.cluster.wait(
        "not its team", lambda: _reason(site, "foreign", "default", "Accepted") == "NotAllowedByListeners", 30
    )
    assert site.asked(host="x.apps.lab.example.com") == {"404": 1}


def _reason(site: Site, name: str, namespace: str, kind: str) -> str:
    found = site.cluster.get(ROUTE, name, "-n", namespace) or {}
    rows = (found.get("status", {}).get("parents") or [{"conditions": []}])[0]["conditions"]
    return next((str(row["reason"]) for row in rows if row["type"] == kind), "")


def test_nobody_gets_in_before_a_client_is_named(site: Site) -> None:
    """Connectivity Link stands, and the service has no policy of its own yet."""
    assert site.called("")[0] == 200, "as it was"
    keys.install(site.cluster, CLIENTS)
    site.cluster.wait("nobody is let in", lambda: site.called("")[0] == 403, 60)
    assert site.called(keys.KEYS["portal"])[0] == 403


def test_a_client_is_let_in_by_its_key_which_no_replica_gets_to_know(site: Site) -> None:
    site.fixed = KEYED
    site.stack.up()
    assert keys.enforced(site.cluster, "chat") == dict.fromkeys(keys.KINDS, ("True", "True"))
    assert site.previewed() == {automation.OpType.SAME}
    site.cluster.wait("it serves", lambda: site.called(keys.KEYS["portal"])[0] == 200, 60)
    assert site.called(keys.KEYS["portal"]) == (200, False)
    assert [site.called(each)[0] for each in ("", "wrong", *keys.NO_KEYS)] == [401] * (2 + len(keys.NO_KEYS))
    assert site.called(keys.KEYS["stranger"])[0] == 401, "a client of no service"


def test_requests_and_tokens_end_for_the_client_that_used_them(site: Site) -> None:
    assert [site.called(keys.KEYS["batch"])[0] for _ in range(5)] == [200, 200, 200, 429, 429]
    assert site.called(keys.KEYS["portal"], "/v1/responses", input="x")[0] == 403, "what nothing counts"
    assert site.called(keys.KEYS["portal"], stream=True, max_tokens=200)[0] == 200, "the one that goes beyond"
    assert site.called(keys.KEYS["portal"])[0] == 429, "a stream that nobody asked for its usage is counted"
    assert site.called(keys.KEYS["batch"])[0] == 429, "each has its own"


def test_without_counters_what_is_limited_is_refused_and_without_keys_everybody(site: Site) -> None:
    keys.scaled(site.cluster, "limitador", 0)
    site.cluster.wait("no counters", lambda: site.called(keys.KEYS["portal"])[0] == 500, 60)
    keys.scaled(site.cluster, "limitador", 1)
    site.cluster.wait("new counters", lambda: site.called(keys.KEYS["portal"])[0] == 200, 60)
    keys.shut(site.cluster, "authorino")
    site.cluster.wait("no way to Authorino", lambda: site.called(keys.KEYS["portal"])[0] == 500, 60)
    keys.opened(site.cluster, "authorino", CLIENTS)
    site.cluster.wait("and again", lambda: site.called(keys.KEYS["portal"])[0] == 200, 60)


def test_a_service_without_its_policy_is_closed_and_not_open(site: Site) -> None:
    site.cluster.kubectl("delete", "authpolicy", "chat", "-n", "chat")
    site.cluster.wait("nobody", lambda: site.called(keys.KEYS["portal"])[0] == 403, 60)


def test_everything_goes_with_the_stack(site: Site) -> None:
    site.stack.destroy()
    assert site.cluster.get("gatewayclass", gateway.CLASS) is None
    assert not [each for each in site.cluster.items("pods", "-n", "chat") if "picker" in each["metadata"]["name"]
                and "deletionTimestamp" not in each["metadata"]]  # fmt: skip
