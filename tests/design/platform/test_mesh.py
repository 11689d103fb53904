"""What a service mesh plans: word by word, in which order, and who comes in where by the lab's own evaluator."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.design.platform import isolation, team
from podwright.components.design.workloads import clear
from podwright.components.design.workloads.route import entry
from podwright.components.model import Cluster, Inference, InferenceRoute, Team, TeamIsolation, load
from podwright.components.model.service_mesh import TUNNEL
from podwright.lab.openshift.admin_policies import Policies
from podwright.lab.openshift.mesh.peers import Mesh, Ways
from podwright.lab.openshift.network_policies import Peer
from tests.components.recording import register
from tests.components.test_graph import before, named
from tests.design.once import meshed
from tests.design.whole import platform, workloads
from tests.design.with_gateway import with_gateway, with_mesh
from tools.generated import ROOT

GOLDEN = Path(__file__).with_name("mesh.yaml")
MODE, NAME = "istio.io/dataplane-mode", "kubernetes.io/metadata.name"


def _made(cluster: Cluster) -> list[dict[str, Any]]:
    (operator,) = meshed(cluster)
    own = [each for each in platform(cluster).manifests if each["metadata"].get("namespace") in ("chat", "research")]
    spaces = [each for each in platform(cluster).manifests if each["kind"] == "Namespace"]
    wanted = ("NetworkPolicy", "PeerAuthentication")
    teams = [each for each in spaces if each["metadata"]["name"] in ("chat", "research")]
    return [*operator.manifests, *teams, *(each for each in own if each["kind"] in wanted)]


def test_every_object_of_a_mesh_and_of_teams_in_it() -> None:
    """Word by word."""
    assert _made(with_mesh()) == list(yaml.safe_load_all(GOLDEN.read_text()))


def test_without_the_key_nothing_of_it_is_planned() -> None:
    cluster = with_gateway()
    assert meshed(cluster) == []
    text = str(platform(cluster).manifests)
    assert not any(word in text for word in (MODE, "istio-discovery", "15008", "169.254.7.127"))
    made = register(cluster)
    assert not any("Mesh" in each.type or "sailoperator" in each.type for each in made.values())
    assert MODE not in str([each.inputs for each in made.values()])


def test_proxies_stand_before_the_label_and_open_ports_before_the_rest_is_closed() -> None:
    made = register(with_mesh())

    def first(name: str) -> set[str]:
        return {made[each].type.rpartition(":")[2] + " " + made[each].name for each in before(made, named(made, name))}

    proxies = {f"{kind} lab-mesh-{kind.lower()}-default" for kind in ("Istio", "IstioCNI", "ZTunnel")}
    assert proxies <= first("chat-namespace-chat")
    peers = {"PeerAuthentication lab-chat-peerauthentication-chat"}
    assert peers <= first("chat-peerauthentication-default")
    assert proxies - {"ZTunnel lab-mesh-ztunnel-default"} <= first("mesh-ztunnel-default")
    assert "NetworkPatch lab-mesh-network-cluster" in first("mesh-gateway-mode")
    waited = "GatewayMode lab-mesh-gateway-mode"
    for each in ("mesh-istio-default", "mesh-istiocni-default", "mesh-ztunnel-default", "chat-namespace-chat"):
        assert waited in first(each), "nothing of the mesh before every node routes by the host"


def test_training_is_left_outside_whatever_kind_of_job_it_is() -> None:
    jobs = [each for each in register(with_mesh()).values() if each.type.endswith(("batch/v1:Job", ":JobSet"))]
    own = [each for each in jobs if each.inputs["metadata"]["namespace"] == "research"]
    assert own and all(f"'{MODE}': 'none'" in str(each.inputs["spec"]) for each in own)


def _peer(namespace: str, labels: dict[str, str] | None = None, *, mesh: bool = False) -> Peer:
    return Peer(namespace, {NAME: namespace}, labels or {}, "10.128.0.9", meshed=mesh)


def _ways(**teams: Team) -> Ways:
    """Two teams in the mesh as planned, and what a service with a Route has besides."""
    service = Inference(
        team="chat", pool="p", replicas=1, image="vllm", model="m", memory_gib=1, cpus=1, load_seconds=10,
        route=InferenceRoute(host="chat.example.com"), port=8000,
    )  # fmt: skip
    made = [entry("chat", service)]
    for name, section in teams.items():
        reached_by = [other for other, each in teams.items() if name in each.reaches]
        ports = clear({"chat": service}, name)
        plan = team(name, section, trains=True, serves=True, reached_by=reached_by, clear=ports)
        made += [*plan.inside, *plan.opened, *plan.closed]
    admin = isolation.policies(TeamIsolation(), teams)
    network = [each for each in made if each["kind"] == "NetworkPolicy"]
    peers = [each for each in made if each["kind"] == "PeerAuthentication"]
    return Ways(Policies(network, admin), Mesh(lambda: peers))


def test_who_comes_in_where() -> None:
    """By the evaluator of NetworkPolicies and AdminNetworkPolicies, and the mesh behind them."""
    ways = _ways(chat=Team(), search=Team(reaches=("chat",)), other=Team())
    chat = _peer("chat", {"app.kubernetes.io/name": "chat", "podwright.io/workload": "inference"}, mesh=True)
    beside = _peer("chat", {"app.kubernetes.io/name": "tool"}, mesh=True)
    training = _peer("chat", {MODE: "none"})
    router = Peer("openshift-ingress", {"policy-group.network.openshift.io/ingress": ""}, {"router": "default"})
    prometheus = _peer("openshift-monitoring")
    probe = Peer("openshift-host-network", {}, None, "169.254.7.127")
    host = Peer("openshift-host-network", {}, None, "192.0.2.20")
    both = {8000: True, 9000: True}
    wanted: list[tuple[Peer, Peer, dict[int, bool]]] = [
        (beside, chat, both),
        (_peer("search", mesh=True), chat, both),
        (_peer("search"), chat, {8000: False, 9000: False}),
        (_peer("other", mesh=True), chat, {8000: False, 9000: False}),
        (_peer("stranger"), chat, {8000: False, 9000: False}),
        (router, chat, {8000: True, 9000: False}),
        (router, beside, {8000: False, 9000: False}),
        (prometheus, chat, {8000: True, 9000: False}),
        (prometheus, beside, {8000: False, 9000: False}),
        (host, chat, {8000: False, 9000: False}),
        (training, chat, {8000: False, 9000: False}),
        (training, training, both),
        (beside, training, both),
        (_peer("search", mesh=True), training, both),
    ]
    for source, target, ports in wanted:
        assert {port: ways.connects(source, target, port) for port in ports} == ports, (source, target)
    assert ways.policies.enters(probe, chat, 8000) and not ways.policies.enters(host, chat, 8000)


def test_a_port_is_opened_for_those_alone_who_have_a_way_to_it() -> None:
    cluster = with_mesh()
    assert clear(cluster.workloads.inference, "chat") == {"chat": (8000,), "chat-picker": (9002,)}
    bare = cluster.workloads.inference["chat"].model_copy(update={"gateway": None})
    assert clear({"chat": bare}, "chat") == {} and clear({"chat": bare}, "research") == {}
    scraped = bare.model_copy(update={"metrics": True, "engine": "triton"})
    assert clear({"chat": scraped}, "chat") == {"chat": (8002,)}


def _two_versions(**changes: Any) -> Cluster:
    """A service of a team in the mesh, reached by a Route, and a second version of it."""
    cluster = with_mesh()
    canary = {"percent": 50, "replicas": 1, "model": "other/model"}
    route = {"host": "chat.example.com", "balance": "roundrobin"}
    own = cluster.workloads.inference["chat"].model_dump(exclude_unset=True) | {"gateway": None, "replicas": 1}
    chat = Inference.model_validate(own | {"route": route, "canary": canary} | changes)
    return cluster.model_copy(update={"workloads": cluster.workloads.model_copy(update={"inference": {"chat": chat}})})


def test_both_versions_of_a_service_are_reached_by_the_router() -> None:
    def opened(**changes: Any) -> dict[str, tuple[int, ...]]:
        return clear(_two_versions(**changes).workloads.inference, "chat")

    assert opened() == {"chat": (8000,), "chat-canary": (8000,)}
    assert opened(port=8080) == {"chat": (8080,), "chat-canary": (8080,)}
    assert opened(engine="triton", metrics=True) == {"chat": (8000, 8002), "chat-canary": (8000, 8002)}
    assert opened(route=None) == {}, "nobody outside the mesh reaches either"


def _admitted(cluster: Cluster) -> Iterator[tuple[str, str, int]]:
    """Team, name of pods and port where a NetworkPolicy of a team in the mesh admits another namespace in the clear."""
    section = cluster.openshift.service_mesh if cluster.openshift else None
    for each in (*platform(cluster).manifests, *workloads(cluster)):
        team = each["metadata"].get("namespace")
        if each["kind"] != "NetworkPolicy" or section is None or team not in section.teams:
            continue
        for rule in each["spec"].get("ingress", ()):
            ports = {port["port"] for port in rule.get("ports", ())} - {TUNNEL}
            if ports and any("namespaceSelector" in peer for peer in rule["from"]):
                name = each["spec"]["podSelector"]["matchLabels"]["app.kubernetes.io/name"]
                yield from ((team, name, port) for port in ports)


def _permissive(cluster: Cluster) -> set[tuple[str, str, int]]:
    return {
        (each["metadata"]["namespace"], each["spec"]["selector"]["matchLabels"]["app.kubernetes.io/name"], int(port))
        for each in platform(cluster).manifests
        if each["kind"] == "PeerAuthentication"
        for port, one in each["spec"].get("portLevelMtls", {}).items()
        if one == {"mode": "PERMISSIVE"}
    }


EXAMPLES = [
    pytest.param(lambda path=path: load(path), id=path.name)
    for path in sorted((ROOT / "tests/examples").glob("*/Pulumi.*.yaml"))
    if "service_mesh" in path.read_text()
]


@pytest.mark.parametrize("made", [*EXAMPLES, with_mesh, _two_versions, lambda: _two_versions(metrics=True)])
def test_whoever_a_network_policy_admits_in_the_clear_the_mesh_admits_too(made: Any) -> None:
    """And nobody else: one of them alone is a way that is closed, or one that nobody knows of."""
    cluster = made()
    admitted = set(_admitted(cluster))
    assert admitted and admitted == _permissive(cluster)
