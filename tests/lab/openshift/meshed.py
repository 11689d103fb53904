"""Service Mesh as planned on a rack by Pulumi's automation, and two teams in it, or not."""

import asyncio
from typing import Any

import pulumi
import pulumi_kubernetes

from podwright.components.contract import Component
from podwright.components.design.operators import service_mesh
from podwright.components.design.platform import team
from podwright.components.manifests import Objects
from podwright.components.model import Operators, Team
from podwright.components.providers.openshift.gateway_mode import GatewayModeKind
from podwright.components.providers.protocol.kind import Context
from tests.lab.openshift.rack import Rack

PLANNED = service_mesh(Operators(release="2026.10"))
TEAMS = {"models": Team(), "web": Team(reaches=("models",))}
CLEAR: dict[str, dict[str, tuple[int, ...]]] = {"models": {"serve": (8000,)}, "web": {}}
"""Who is not in the mesh reaches port 8000 of one service in the clear."""
MODE = "istio.io/dataplane-mode"


class _Mesh(Component):
    """The plan's objects in its order, without what needs this program's own plugin."""

    TOKEN = "podwright:index:MeshOperator"
    PROVIDERS = ("kubernetes",)

    ready: pulumi.Output[str]

    def __init__(self, *, routed: bool, installed: bool, meshed: bool, opts: pulumi.ResourceOptions) -> None:
        super().__init__("mesh", "lab", {}, opts)
        objects, before = Objects(self), list[pulumi.Resource]()
        if routed or installed:
            before = [objects.patch(each, None) for each in PLANNED.beside]
        if installed:
            for stage in PLANNED.stages:
                before = [objects.add(each, before) for each in stage]
        for name, section in TEAMS.items():
            reached_by = [other for other, each in TEAMS.items() if name in each.reaches]
            clear = CLEAR[name] if meshed else None
            plan = team(name, section, trains=False, serves=True, reached_by=reached_by, clear=clear)
            inside = objects.following([objects.add(plan.namespace, before if meshed else [])])
            opened = [inside.add(each, part=name) for each in (*plan.inside, *plan.opened)]
            for each in plan.closed:
                inside.add(each, opened, part=name)
        self.finish(ready="mesh")


def program(access: str, *, routed: bool = False, installed: bool, meshed: bool) -> Any:
    """What the stack is made of. With `routed` alone, of what nodes follow before the mesh is installed."""

    def made() -> None:
        provider = pulumi_kubernetes.Provider("cluster", kubeconfig=access)
        _Mesh(routed=routed, installed=installed, meshed=meshed, opts=pulumi.ResourceOptions(providers=[provider]))

    return made


def wait_for_nodes(cluster: Rack) -> list[str]:
    """The plan's wait between the Network and what depends on it; what it tells meanwhile."""
    words: list[str] = []
    inputs = {"kubeconfig": cluster.kubeconfig().read_text(), "spec": PLANNED.gateways}
    asyncio.run(GatewayModeKind().create(inputs, Context(log=words.append)))
    return words


def subscribe(cluster: Rack) -> None:
    """The operator by its Subscription, approved."""
    cluster.apply(PLANNED.namespace, PLANNED.group, PLANNED.subscription)
    home, csv = PLANNED.namespace["metadata"]["name"], PLANNED.subscription["spec"]["startingCSV"]

    def plans() -> list[Any]:
        found = cluster.items("installplans", "-n", home)
        return [each for each in found if csv in each["spec"]["clusterServiceVersionNames"]]

    cluster.wait("a plan is offered", lambda: bool(plans()))
    name = plans()[0]["metadata"]["name"]
    cluster.kubectl("patch", "installplan", name, "-n", home, "--type=merge", "-p", '{"spec":{"approved":true}}')
    cluster.wait("it runs", lambda: cluster.get("csv", csv, "-n", home)["status"]["phase"] == "Succeeded", 90)


def pod(namespace: str, name: str, **labels: str) -> dict[str, Any]:
    """A pod with a probe that listens at two ports."""
    ports = [{"name": "http", "containerPort": 8000}, {"name": "admin", "containerPort": 9000}]
    box = {"name": "serve", "image": "registry.example.com/serve", "ports": ports}
    probe = {"readinessProbe": {"httpGet": {"path": "/health", "port": "http"}}}
    closed = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    safe = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    meta = {"name": name, "namespace": namespace, "labels": {"app.kubernetes.io/name": name, **labels}}
    spec = {"containers": [{**box, **probe, "securityContext": closed}], "securityContext": safe}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}
