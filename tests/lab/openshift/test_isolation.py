"""Teams on a cluster of the lab: a team's members take their own NetworkPolicies down, and other teams stay outside."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes
import pytest
from pulumi import automation

from podwright.components.design.platform import isolation, team
from podwright.components.model import Team, TeamIsolation
from tests.lab.openshift import meshed
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough
SHAPE = {"masters": 1, "workers": ("",)}
MEMBER = ("--as=member", "--as-group=data-members", "--as-group=system:authenticated")
TEAMS = {"chat": Team(), "data": Team(group="data-members"), "search": Team(reaches=("data",))}
EVERYTHING: dict[str, Any] = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "NetworkPolicy",
    "metadata": {"name": "everything", "namespace": "data"},
    "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"], "ingress": [{}], "egress": [{}]},
}


def _pod(namespace: str) -> dict[str, Any]:
    box = {"name": "serve", "image": "registry.example.com/serve", "ports": [{"containerPort": 8000}]}
    closed = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    safe = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    meta = {"name": "serve", "namespace": namespace}
    spec = {"containers": [{**box, "securityContext": closed}], "securityContext": safe}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


def _reaching(cluster: Rack, namespace: str) -> list[str]:
    return list(cluster.side.connections()["reached"][f"{namespace}/serve:8000"])


def _in_force(cluster: Rack, name: str) -> set[str]:
    rows = cluster.get("adminnetworkpolicy", name)["status"]["conditions"]
    return {row["type"] for row in rows if row["status"] == "True"}


@pytest.fixture(scope="module")
def teams(cluster: Rack) -> Rack:
    """Their namespaces as planned with a pod in each, and no AdminNetworkPolicy."""
    for name, section in TEAMS.items():
        reached_by = [other for other, each in TEAMS.items() if name in each.reaches]
        plan = team(name, section, trains=False, serves=True, reached_by=reached_by)
        cluster.apply(plan.namespace)
        cluster.apply(*plan.inside, _pod(name))
    wanted = {f"{name}/serve:8000" for name in TEAMS}
    cluster.wait("every pod runs", lambda: wanted <= set(cluster.side.connections()["reached"]), 60)
    return cluster


def _program(access: str) -> Any:
    def program() -> None:
        provider = pulumi_kubernetes.Provider("cluster", kubeconfig=access)
        inside = pulumi.ResourceOptions(provider=provider)
        for each in isolation.policies(TeamIsolation(), TEAMS):
            token = f"kubernetes:{each['apiVersion']}:{each['kind']}"
            pulumi.CustomResource(token, each["metadata"]["name"], dict(each), inside)

    return program


def test_a_team_without_its_policies_is_reached_by_those_alone_that_the_file_names(teams: Rack, tmp_path: Path) -> None:
    assert _reaching(teams, "data") == ["search/serve"], "as planned, policies of the namespaces decide"
    teams.kubectl("delete", "networkpolicies", "--all", "-n", "data", *MEMBER)
    teams.kubectl("delete", "networkpolicies", "--all", "-n", "chat")
    teams.wait("a team has taken its fence down", lambda: "chat/serve" in _reaching(teams, "data"))

    environment = {"PULUMI_BACKEND_URL": f"file://{tmp_path}", "PULUMI_CONFIG_PASSPHRASE": ""}
    options = automation.LocalWorkspaceOptions(work_dir=str(tmp_path), env_vars=environment)
    program = _program(teams.kubeconfig().read_text())
    stack = automation.create_or_select_stack("teams", "teams", program, opts=options)
    assert stack.up().summary.result == "succeeded"
    assert set(stack.preview().change_summary) == {automation.OpType.SAME}, "the second preview is empty"
    nodes = {f"Ready-In-Zone-{each['metadata']['name']}" for each in teams.items("nodes")}
    teams.wait("every node has it in force", lambda: _in_force(teams, "podwright-team-data") == nodes)
    teams.wait("it holds", lambda: _reaching(teams, "data") == ["search/serve"])
    assert _reaching(teams, "chat") == []
    teams.apply(EVERYTHING)
    teams.wait("its own policies say all", lambda: bool(teams.get("networkpolicy", "everything", "-n", "data")))
    assert _reaching(teams, "data") == ["search/serve"]
    refused = teams.kubectl("delete", "adminnetworkpolicy", "--all", *MEMBER, check=False)
    assert "cannot list resource" in refused or "forbidden" in refused.lower()
    assert teams.kubectl("auth", "can-i", "delete", "adminnetworkpolicies", *MEMBER, check=False).startswith("no")


def test_the_server_refuses_what_the_real_one_refuses(teams: Rack) -> None:
    (planned, *_) = isolation.policies(TeamIsolation(), TEAMS)
    beyond = {**planned, "metadata": {"name": "beyond"}, "spec": {**planned["spec"], "priority": 1001}}
    twice = {**planned, "kind": "BaselineAdminNetworkPolicy", "metadata": {"name": "second"}}
    twice["spec"] = {key: each for key, each in planned["spec"].items() if key != "priority"}
    for each, why in ((beyond, "less than or equal to 1000"), (twice, "default")):
        with pytest.raises(AssertionError, match=why):
            teams.apply(each)
    taken = {**planned, "metadata": {"name": "taken"}, "spec": {**planned["spec"], "priority": 100}}
    teams.apply(taken)
    teams.wait("no node enforces it", lambda: {
        row["status"] for row in teams.get("adminnetworkpolicy", "taken")["status"]["conditions"]
    } == {"False"})  # fmt: skip


def _into(cluster: Rack, pod: str) -> list[str]:
    return list(cluster.side.connections()["reached"].get(pod) or ())


def _ready(cluster: Rack, namespace: str, name: str) -> bool:
    rows = cluster.get("pod", name, "-n", namespace)["status"]["conditions"]
    return any(row["type"] == "Ready" and row["status"] == "True" for row in rows)


def _taken_in(cluster: Rack) -> set[str]:
    pods = [each for name in meshed.TEAMS for each in cluster.items("pods", "-n", name)]
    notes = "ambient.istio.io/redirection"
    return {each["metadata"]["name"] for each in pods if notes in each["metadata"].get("annotations", {})}


def test_a_team_in_the_mesh_takes_mutual_tls_alone_but_where_the_plan_opens_a_port(teams: Rack, tmp_path: Path) -> None:
    environment = {"PULUMI_BACKEND_URL": f"file://{tmp_path}", "PULUMI_CONFIG_PASSPHRASE": ""}
    options = automation.LocalWorkspaceOptions(work_dir=str(tmp_path), env_vars=environment)
    access = teams.kubeconfig().read_text()
    outside = meshed.program(access, installed=False, meshed=False)
    stack = automation.create_or_select_stack("mesh", "mesh", outside, opts=options)
    stack.up()
    teams.apply(
        *(meshed.pod(*each) for each in (("models", "serve"), ("models", "other"), ("web", "front"))),
        meshed.pod("web", "train", **{meshed.MODE: "none"}),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "openshift-monitoring"}},
        meshed.pod("openshift-monitoring", "prometheus"),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "stranger"}},
        meshed.pod("stranger", "curious"),
    )
    clear = ["openshift-monitoring/prometheus", "web/front", "web/train"]
    teams.wait("pods run", lambda: sorted(_into(teams, "models/serve:9000")) == clear, 60)

    meshed.subscribe(teams)
    stack.workspace.program = meshed.program(access, routed=True, installed=False, meshed=False)
    with ThreadPoolExecutor(1) as beside:  # on a slow machine nodes have changed before `up` has ended
        waiting = beside.submit(meshed.wait_for_nodes, teams)
        stack.up()
    assert "2 of 2 nodes to go" in waiting.result()[0]
    stack.workspace.program = meshed.program(access, installed=True, meshed=True)
    stack.up()
    assert set(stack.preview().change_summary) == {automation.OpType.SAME}, "the second preview is empty"
    teams.wait("its pods are taken in", lambda: _taken_in(teams) == {"serve", "other", "front"})
    network = teams.get("networks.operator.openshift.io", "cluster")["spec"]["defaultNetwork"]
    assert network["ovnKubernetesConfig"]["gatewayConfig"]["routingViaHost"] is True
    open_port = ["openshift-monitoring/prometheus", "web/front"]
    teams.wait("who is in the mesh comes in", lambda: sorted(_into(teams, "models/serve:8000")) == open_port)
    assert _into(teams, "models/serve:9000") == ["web/front"], "Prometheus has no certificate, nor has a training pod"
    assert _into(teams, "models/other:8000") == ["web/front"]
    everything = {**EVERYTHING, "metadata": {"name": "everything", "namespace": "models"}}
    teams.apply(everything)
    teams.wait("a team opens its network", lambda: "stranger/curious" in _into(teams, "models/serve:8000"))
    assert _into(teams, "models/other:8000") == ["web/front"], "and its pods still take nothing in the clear"
    teams.kubectl("delete", "networkpolicy", "everything", "-n", "models")
    assert _ready(teams, "models", "serve")
    teams.kubectl("delete", "networkpolicy", "mesh-probes", "-n", "models")
    teams.wait("kubelet's probes stay out", lambda: not _ready(teams, "models", "serve"))
    assert _ready(teams, "web", "front")
    stack.refresh()
    stack.up()
    teams.wait("they are let in", lambda: _ready(teams, "models", "serve"))

    stack.workspace.program = outside
    stack.up()
    teams.wait("its pods are let go", lambda: not _taken_in(teams))
    teams.wait("it is as it was", lambda: sorted(_into(teams, "models/serve:9000")) == clear)
    network = teams.get("networks.operator.openshift.io", "cluster")["spec"]["defaultNetwork"]
    assert network["ovnKubernetesConfig"]["gatewayConfig"] == {"ipv4": {}, "ipv6": {}, "routingViaHost": False}
    spaces = {each["metadata"]["name"] for each in teams.items("namespaces")}
    assert spaces.isdisjoint({"istio-system", "istio-cni", "ztunnel"})
    assert not any(teams.items(each) for each in ("istios", "istiocnis", "ztunnels"))
    assert not teams.items("peerauthentications", "-A")
