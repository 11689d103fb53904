"""The service mesh: who is in it is defined, nothing that it would close is used, its release is one that is known."""

from collections.abc import Iterator
from typing import Final

from podwright.components.model.catalogue.istio import ISTIO, istio, minor
from podwright.components.model.catalogue.packages import MESH
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.references import reference
from podwright.components.model.operators import Operators
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.service_mesh import NAMESPACES, RESERVED, WHOLE, ServiceMesh

_LOC: Loc = ("openshift", "service_mesh")
APART: Final = (4, 22)
"""OpenShift whose Ingress Operator brings Istio for gateways by itself (openshift/enhancements,
ingress/gateway-api-without-olm.md). Up to 4.21 a GatewayClass of its controller has it make a Subscription of Service
Mesh in openshift-operators (https://github.com/openshift/cluster-ingress-operator, release-4.20,
pkg/operator/controller/gatewayclass/subscription.go). Ours is in a namespace of its own, and OLM runs no second
operator that provides the same kinds to every namespace: its ClusterServiceVersion fails, by
InterOperatorGroupOwnerConflict (https://olm.operatorframework.io/docs/advanced-tasks/operator-scoping-with-operatorgroups/)."""


def pin_problems(operators: Operators) -> list[Problem]:
    """A release of the operator whose Istio is not known."""
    pin = operators.pins.get(MESH.package)
    if pin is None or istio(pin.csv):
        return []
    known = ", ".join(f"{first}.{second}" for first, second in ISTIO)
    message = f"which Istio {pin.csv} installs in ambient mode is not known: it is for {known}"
    return [Problem(("pins", MESH.package, "csv"), message, f"pin {MESH.csv}, or another one of these")]


def _who(cluster: Cluster) -> Iterator[Problem]:
    section = _section(cluster)
    if cluster.openshift is None or section is None:
        return
    for place, name in enumerate(section.teams):
        if name in section.teams[:place]:
            yield Problem((*_LOC, "teams", place), f"{name} is named twice", "remove it")
        yield from reference((*_LOC, "teams", place), name, cluster.teams, "team", "openshift.teams")
    for name in NAMESPACES:
        if name in cluster.teams:
            message = f"{name} is a namespace of Service Mesh, whose pods may do anything on a node"
            yield Problem(("openshift", "teams", name), message, "give the team another name", at_key=True)
    for name, team in cluster.teams.items():
        for place, other in enumerate(team.reaches):
            if other in section.teams and name not in section.teams:
                message = f"pods of {other} take mutual TLS alone, and {name} is not in the mesh"
                hint = f"add {name} to openshift.service_mesh.teams, or take {other} out of `reaches`"
                yield Problem(("openshift", "teams", name, "reaches", place), message, hint)


def _closed(cluster: Cluster) -> Iterator[Problem]:
    """What others make in a namespace, or reach there, of which this program cannot say at which port."""
    section, tools = _section(cluster), cluster.openshift.data_science if cluster.openshift else None
    for place, name in enumerate(section.teams if section else ()):
        if tools is not None and name in tools.teams:
            message = f"routers would reach no workbench of {name}: what stands before one is not in the mesh's plan"
            hint = f"take {name} out of openshift.service_mesh.teams, or out of openshift.data_science.teams"
            yield Problem((*_LOC, "teams", place), message, hint)
    for name, service in cluster.workloads.inference.items():
        loc: Loc = ("workloads", "inference", name)
        if section is None or service.team not in section.teams:
            continue
        if service.kind == "kserve":
            message = f"KServe's own way to a service is not in the plan of the mesh, and team {service.team} is in it"
            hint = "write kind: deployment, or take the team out of openshift.service_mesh.teams"
            yield Problem((*loc, "kind"), message, hint)
        if name == WHOLE:
            message = (
                f"the PeerAuthentication called {WHOLE} is that of the whole namespace, and this service has its own"
            )
            hint = "give the service another name, or take the team out of openshift.service_mesh.teams"
            yield Problem(loc, message, hint, at_key=True)
        if service.port in RESERVED:
            message = f"in a pod of the mesh its proxy listens at port {service.port}"
            yield Problem((*loc, "port"), message, "take another port, such as 8000")


def _runs(cluster: Cluster) -> Iterator[Problem]:
    section = _section(cluster)
    if cluster.openshift is None or section is None:
        return
    if cluster.operators is not None:
        yield from (each.moved(lambda loc: ("operators", *loc)) for each in pin_problems(cluster.operators))
    version = cluster.openshift.version
    # OpenShift AI always has a gateway, whichever components are on (red-hat-data-services/rhods-operator, rhoai-3.4,
    # internal/controller/services/gateway/gateway_support.go, createGatewayClass).
    gateways = " and ".join(
        name for name in ("inference_gateway", "data_science") if getattr(cluster.openshift, name) is not None
    )
    if gateways and (minor(version) or (0, 0)) < APART:
        message = f"the Ingress Operator of OpenShift {version} makes a Subscription of Service Mesh in "
        message += f"openshift-operators for {gateways}: OLM runs no second one for every namespace beside it"
        hint = f"install OpenShift 4.22, or take service_mesh away, or {gateways}"
        yield Problem(_LOC, message, hint, at_key=True)


def _section(cluster: Cluster) -> ServiceMesh | None:
    return cluster.openshift.service_mesh if cluster.openshift else None


CLUSTER = (_who, _closed, _runs)
