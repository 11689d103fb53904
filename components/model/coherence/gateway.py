"""Services behind the inference gateway: there is one, its picker can read them, and nothing goes past it."""

from collections.abc import Iterator
from functools import partial

from podwright.components.model.catalogue.releases import RELEASE_SETS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.beside import alone
from podwright.components.model.coherence.keys import client_problems
from podwright.components.model.coherence.kserve import COMPONENT as KSERVE
from podwright.components.model.coherence.platform import members
from podwright.components.model.coherence.workloads import InferenceOn
from podwright.components.model.gateway import PICKER, ROUTER_CERTIFICATE, InferenceGateway
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.routes import apps_domain
from podwright.components.model.workloads import Inference

_LOC: Loc = ("openshift", "inference_gateway")
FIRST = (4, 21)
"""OpenShift whose Istio reads InferencePools of the stable kind (manifests/02-deployment.yaml of
openshift/cluster-ingress-operator: 1.26.8 in release-4.20, 1.27.8 in 4.21, 1.28.5 in 4.22; in
openshift-service-mesh/istio, pilot/pkg/config/kube/gateway/inferencepool_collection.go, 1.26 reads v1alpha2 of
x-k8s.io and 1.27 reads v1)."""


def _picked(given: InferenceOn) -> Iterator[Problem]:
    """What a picker chooses among are replicas of one vLLM, and every request passes it."""
    job, at = given.job, ("gateway",)
    if job.gateway is None:
        return
    if job.kind == KSERVE:
        message = "where KServe is, OpenShift AI has InferencePools of its own, and the gateway is not beside it"
        yield Problem(at, message, "write kind: deployment, or `route` in place of `gateway`", at_key=True)
    if job.engine != "vllm":
        message = f"its picker reads what waits of vLLM's metrics, and engine {job.engine} has others"
        yield Problem(at, message, "write `route` in its place: it counts open connections", at_key=True)
    if job.route is not None:
        message = "requests by its `route` pass the picker by, and each knows nothing of what the other sends"
        yield Problem(at, message, "leave one of them: `route` has balance, limits and sources", at_key=True)
    if job.canary is not None:
        message = "a canary's share is kept by the weights of a Route, and a picker goes by what waits"
        yield Problem(("canary",), message, "write `route: {balance: roundrobin}` in place of `gateway`", at_key=True)


def gateway_problems(section: Inference, gateway: InferenceGateway | None) -> list[Problem]:
    """Contradictions of a service and the gateway that it is given, by paths in the service."""
    if gateway is not None:
        return list(client_problems(section, gateway))
    if section.gateway is None:
        return []
    message = "the cluster has no inference gateway"
    hint = "add `openshift.inference_gateway` with picker_image, or write `route` in its place"
    return [Problem(("gateway",), message, hint, at_key=True)]


def _defined(cluster: Cluster) -> Iterator[Problem]:
    gateway = cluster.openshift.inference_gateway if cluster.openshift else None
    for name, service in cluster.workloads.inference.items():
        for problem in gateway_problems(service, gateway) if cluster.openshift else ():
            yield problem.moved(partial(_below, name))


def _below(name: str, loc: Loc) -> Loc:
    return ("workloads", "inference", name, *loc)


def _runs(cluster: Cluster) -> Iterator[Problem]:
    """OpenShift has what it takes, and its pods find a node."""
    if cluster.openshift is None or cluster.openshift.inference_gateway is None:
        return
    version = cluster.openshift.version
    if _minor(version) < FIRST:
        message = (
            f"Istio of OpenShift {version} reads no InferencePools of the stable kind: that of 4.21 and later does"
        )
        hint = f"install {_fitting()}, or take inference_gateway away and write `route`"
        yield Problem(_LOC, message, hint, at_key=True)
    tools = cluster.openshift.data_science
    if tools is not None and KSERVE in tools.components:
        message = "the KServe of OpenShift AI brings the kind of InferencePools too, of another release"
        hint = f"take {KSERVE} out of openshift.data_science.components, or inference_gateway away"
        yield Problem(_LOC, message, hint, at_key=True)
    if cluster.openshift.mirror is not None:
        message = "Service Mesh, which the Ingress Operator fetches for it, is named by no image set"
        yield Problem(
            _LOC, message, "take inference_gateway away: on a disconnected site it is not supported", at_key=True
        )
    if not any(pool.purpose == "cpu" and members(cluster.servers, name) for name, pool in cluster.pools.items()):
        message = "its pods run on no node: they tolerate no taint, and every pool but those for cpu has one"
        yield Problem(_LOC, message, "add a pool of purpose cpu with a server or more", at_key=True)


def _fitting() -> str:
    sets = {name: each.openshift for name, each in RELEASE_SETS.items() if _minor(each.openshift) >= FIRST}
    return " or ".join(f'OpenShift {minor} (operators.release "{name}")' for name, minor in sets.items())


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in version.split(".")[:2])


def _certified(cluster: Cluster) -> Iterator[Problem]:
    """The routers' certificate is for one label before the apps domain (RFC 9525, 6.3): the gateway has one alone."""
    gateway = cluster.openshift.inference_gateway if cluster.openshift else None
    if cluster.openshift is None or gateway is None or gateway.certificate != ROUTER_CERTIFICATE:
        return
    domain = apps_domain(cluster.name, cluster.openshift.domain)
    for name, service in cluster.workloads.inference.items():
        if service.gateway is not None and service.gateway.host.partition(".")[2] != domain:
            message = f"the routers' certificate is for names of one label before {domain}, and this is another name"
            loc: Loc = ("workloads", "inference", name, "gateway", "host")
            hint = f"write {name}.{domain}, or another Secret as openshift.inference_gateway.certificate"
            yield Problem(loc, message, hint)


def _names(cluster: Cluster) -> Iterator[Problem]:
    """A picker's objects have names to themselves."""
    for name, service in cluster.workloads.inference.items():
        if service.gateway is not None:
            yield from alone(cluster, name + PICKER, service.team, ("workloads", "inference", name, "gateway"))


INFERENCE = (_picked,)
CLUSTER = (_defined, _runs, _certified, _names)
