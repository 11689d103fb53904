"""Rules about services that users reach: how they start, scale, move and are balanced."""

import re
from collections.abc import Iterator
from typing import Any, Final

from .kubernetes import SERVICE, containers, kind, of_kind, pod_spec, runs_pods
from .resource import Resource
from .rule import NotApplicable, Props, Rule, items, strings

_BUSY: Final = re.compile(r"dcgm_fi_dev_(gpu|mem_copy)_util", re.IGNORECASE)
_PATIENCE: Final = 60
"""Seconds: a model of some size loads for minutes, and one that hangs later is to be found within one."""
_SERVICES: Final = ("Deployment", "StatefulSet", SERVICE)
_ROUTER: Final = "haproxy.router.openshift.io/"
_SEVERAL: Final = 2
_OWN: Final = "vllm:"
"""Beginning of metrics that only a replica has."""
_OF_PODS: Final = ("cpu", "memory")
"""Triggers that are never active without a pod (https://keda.sh/docs/2.19/scalers/cpu/)."""


def _name(resource: Resource) -> str:
    return str((resource.props.get("metadata") or {}).get("name") or resource.name)


def _scales(resource: Resource) -> Iterator[str]:
    what = kind(resource)
    if what not in ("HorizontalPodAutoscaler", "ScaledObject"):
        raise NotApplicable("nothing scales pods")
    spec = resource.props.get("spec") or {}
    sources = [
        str(((each.get(form) or {}).get("metric") or {}).get("name") or "")
        for each in items(spec.get("metrics"))
        for form in ("pods", "object", "external")
    ]
    sources += [text for each in items(spec.get("triggers")) for text in strings(each.get("metadata")).values()]
    for text in sources:
        if found := _BUSY.search(text):
            yield f"{what} {_name(resource)} scales by {found[0]}"
    if what == "ScaledObject" and _stays_away(spec):
        yield f"ScaledObject {_name(resource)} goes to 0 replicas by a metric that only its replicas have"


def _stays_away(spec: Props) -> bool:
    """Whether KEDA takes the last replica away, and no trigger is ever active without one.

    minReplicaCount is 0 where it is not written, and idleReplicaCount is what a service has while no trigger is active
    (kedacore/keda 2.19.0, pkg/scaling/executor/scale_scaledobjects.go). Any other trigger, of time for one, wakes it.
    """
    triggers = list(items(spec.get("triggers")))
    its_own = [any(_OWN in text for text in strings(each.get("metadata")).values()) for each in triggers]
    wakes = [not own and each.get("type") not in _OF_PODS for own, each in zip(its_own, triggers, strict=True)]
    return (not spec.get("minReplicaCount") or spec.get("idleReplicaCount") == 0) and any(its_own) and not any(wakes)


def _starts(resource: Resource) -> Iterator[str]:
    boxes = [box for box in containers(pod_spec(resource)) if box.get("livenessProbe")]
    if kind(resource) not in _SERVICES or not boxes:
        raise NotApplicable("no service with a liveness probe")
    for box in boxes:
        delay = int(box["livenessProbe"].get("initialDelaySeconds") or 0)
        if not box.get("startupProbe") and (delay >= _PATIENCE or _gpus(box)):
            yield f"{kind(resource)} {_name(resource)}: container {box.get('name')} has no startupProbe"


def _gpus(box: Any) -> bool:
    asked = box.get("resources") or {}
    keys = {**strings(asked.get("limits")), **strings(asked.get("requests"))}
    return any(key.startswith("nvidia.com/") for key in keys)


def _budget(resource: Resource) -> Iterator[str]:
    if kind(resource) != "PodDisruptionBudget":
        raise NotApplicable("no disruption budget")
    spec = resource.props.get("spec") or {}
    name = f"PodDisruptionBudget {_name(resource)}"
    if spec.get("minAvailable") is not None:
        yield f"{name} counts what stays (minAvailable): a change of replicas makes it all, or none"
    elif spec.get("maxUnavailable") in (0, "0", "0%"):
        yield f"{name} lets no pod go: no node of it is ever drained"
    if spec.get("unhealthyPodEvictionPolicy") != "AlwaysAllow":
        yield f"{name} keeps pods that never became ready on their node"


def _balance(resource: Resource) -> Iterator[str]:
    if kind(resource) != "Route":
        raise NotApplicable("no route")
    notes = strings((resource.props.get("metadata") or {}).get("annotations"))
    way, cookies = notes.get(f"{_ROUTER}balance", ""), notes.get(f"{_ROUTER}disable_cookies", "")
    if way and cookies.lower() not in ("true", "1"):
        yield f"Route {_name(resource)} balances by {way}, and its cookie keeps each client at one pod"


def _shares(resource: Resource) -> Iterator[str]:
    if kind(resource) != "Route":
        raise NotApplicable("no route")
    spec = resource.props.get("spec") or {}
    targets = [target for target in (spec.get("to"), *items(spec.get("alternateBackends"))) if target]
    if sum(each.get("weight") != 0 for each in targets) < _SEVERAL:
        raise NotApplicable("no route of several services")
    notes = strings((resource.props.get("metadata") or {}).get("annotations"))
    way = notes.get(f"{_ROUTER}balance", "roundrobin")
    if way != "roundrobin":
        yield f"Route {_name(resource)} divides requests by weight and balances by {way}, which keeps no share"
    if notes.get(f"{_ROUTER}disable_cookies", "").lower() not in ("true", "1"):
        yield f"Route {_name(resource)} divides requests by weight, and its cookie keeps each client at one service"


def _ingress(resource: Resource) -> Iterator[str]:
    if kind(resource) != "Ingress":
        raise NotApplicable("no Ingress")
    notes = strings((resource.props.get("metadata") or {}).get("annotations"))
    found = sorted(key for key in notes if key.startswith("nginx.ingress.kubernetes.io/"))
    chosen = str((resource.props.get("spec") or {}).get("ingressClassName") or "")
    if found or chosen == "nginx":
        yield f"Ingress {_name(resource)} is written for ingress-nginx ({found[0] if found else 'ingressClassName'})"


def _ports(resource: Resource) -> Iterator[str]:
    if kind(resource) != "NetworkPolicy":
        raise NotApplicable("no network policy")
    spec = resource.props.get("spec") or {}
    for rule in (*items(spec.get("ingress")), *items(spec.get("egress"))):
        for row in items(rule.get("ports")):
            if isinstance(row.get("port"), str):
                yield f"NetworkPolicy {_name(resource)} names port {row['port']}, which opens every port"


SERVING: tuple[Rule, ...] = (
    Rule(
        id="workloads-scale-by-what-waits",
        title="Services scale by what waits, not by how busy a GPU is",
        why="DCGM_FI_DEV_GPU_UTIL has no value on a MIG slice, and is full long before requests queue; a metric that "
        "only running replicas have never brings back the first one.",
        fix="Write workloads.inference.<name>.scale: by vllm:num_requests_waiting and vllm:kv_cache_usage_perc, with "
        "one replica at least (minReplicaCount, which is 0 unless it is written; no idleReplicaCount), or with a "
        "trigger beside them that wakes it, such as cron.",
        reference="https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/feature-overview.html",
        severity="medium",
        types=of_kind("HorizontalPodAutoscaler", "ScaledObject"),
        check=_scales,
    ),
    Rule(
        id="workloads-start-is-waited-for",
        title="A model that loads is waited for by a startup probe",
        why="Weights load for minutes. A liveness probe alone either ends the pod while it loads, again and again, or "
        "waits so long that one that hangs later is not found.",
        fix="Add a startupProbe (periodSeconds × failureThreshold = the longest load), and a short livenessProbe.",
        reference="https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/",
        severity="medium",
        types=runs_pods,
        check=_starts,
    ),
    Rule(
        id="workloads-budget-lets-one-go",
        title="A disruption budget lets one pod go, and unready ones always",
        why="minAvailable: 1 of four lets three go at once, and of one none: the node is never drained. A pod that "
        "never became ready holds up a drain for ever by default.",
        fix="Write maxUnavailable: 1 and unhealthyPodEvictionPolicy: AlwaysAllow.",
        reference="https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
        severity="medium",
        types=of_kind("PodDisruptionBudget"),
        check=_budget,
    ),
    Rule(
        id="workloads-route-one-way-to-balance",
        title="A Route balances, or keeps a client at one pod",
        why="The router's cookie comes before its balance: with both, every request of a client goes to the pod of "
        "its first one, whatever waits there.",
        fix='Add haproxy.router.openshift.io/disable_cookies: "true", or leave the balance out.',
        reference="https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/ingress_and_load_balancing/configuring-routes",
        severity="low",
        mandatory=False,
        types=of_kind("Route"),
        check=_balance,
    ),
    Rule(
        id="workloads-route-keeps-its-shares",
        title="A Route of several services gives each the share that its weight says",
        why="By leastconn weights divide connections and not requests, by source clients, and by the router's cookie a "
        "client stays at the service of its first request: a new version gets another share than was written.",
        fix='Set balance: roundrobin and disable_cookies: "true", both of haproxy.router.openshift.io.',
        reference="https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/ingress_and_load_balancing/configuring-routes",
        severity="medium",
        mandatory=False,
        types=of_kind("Route"),
        check=_shares,
    ),
    Rule(
        id="workloads-policy-ports-are-numbers",
        title="Network policies open ports by number",
        why="OVN-Kubernetes takes the number of a named port for 0, and that for no port at all: the rule opens every "
        "port of the protocol to whoever it admits.",
        fix="Write the number of the container's port.",
        reference="https://github.com/ovn-org/ovn-kubernetes/blob/master/go-controller/pkg/ovn/gress_policy.go",
        severity="high",
        types=of_kind("NetworkPolicy"),
        check=_ports,
    ),
    Rule(
        id="workloads-no-nginx-ingress",
        title="Nothing is written for ingress-nginx",
        why="The project was retired in March 2026, and OpenShift's router does not read its annotations: limits, "
        "time-outs and balance that stand there are not in force.",
        fix="Write a Route, or an HTTPRoute of the Gateway API.",
        reference="https://kubernetes.io/blog/2025/11/11/ingress-nginx-retirement/",
        severity="medium",
        types=of_kind("Ingress"),
        check=_ingress,
    ),
)
