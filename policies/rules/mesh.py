"""Rules about the service mesh: mutual TLS alone for who is in it, open ports for somebody, training outside."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .gateway import place, spec_of
from .kubernetes import kind, of_kind, pod_labels, runs_pods
from .resource import Resource
from .rule import Finding, NotApplicable, StackRule, items, strings

_MODE: Final = "istio.io/dataplane-mode"
_LOOSE: Final = ("PERMISSIVE", "DISABLE")


def _meshed(resources: Sequence[Resource]) -> dict[str, Resource]:
    """Namespaces that are in the mesh, by name."""
    found = {}
    for each in resources:
        meta = each.props.get("metadata") or {}
        if kind(each) == "Namespace" and strings(meta.get("labels")).get(_MODE) == "ambient":
            found[str(meta.get("name") or each.name)] = each
    if not found:
        raise NotApplicable("no namespace in a service mesh")
    return found


def _mode(part: Any) -> str:
    return str((part or {}).get("mode") or "")


def _selects(policy: Resource) -> bool:
    return bool(strings((spec_of(policy).get("selector") or {}).get("matchLabels")))


def _strict(resources: Sequence[Resource]) -> Iterator[Finding]:
    policies = [each for each in resources if kind(each) == "PeerAuthentication"]
    for name, namespace in _meshed(resources).items():
        own = [each for each in policies if place(each)[0] == name]
        whole = [_mode(spec_of(each).get("mtls")) for each in own if not _selects(each)]
        if "STRICT" not in whole:
            message = "is in the mesh, and its pods take what is not encrypted: no PeerAuthentication of it is STRICT"
            yield Finding(f"Namespace {name} {message}", namespace.urn)
        for each in own:
            if _selects(each) and _mode(spec_of(each).get("mtls")) in _LOOSE:
                message = "opens every port of its pods to what is not encrypted"
                yield Finding(f"PeerAuthentication {place(each)[1]} {message}", each.urn)


def _for_somebody(resources: Sequence[Resource]) -> Iterator[Finding]:
    """A port that is open in the clear, and a NetworkPolicy for the same pods that lets everybody to it."""
    opened = [each for each in resources if kind(each) == "PeerAuthentication" and _selects(each)]
    if not opened:
        raise NotApplicable("no port is open in the clear")
    for each in opened:
        ports = [port for port, part in (spec_of(each).get("portLevelMtls") or {}).items() if _mode(part) in _LOOSE]
        chosen = strings((spec_of(each).get("selector") or {}).get("matchLabels"))
        for policy in resources:
            if kind(policy) != "NetworkPolicy" or place(policy)[0] != place(each)[0]:
                continue
            selected = strings((spec_of(policy).get("podSelector") or {}).get("matchLabels"))
            for port in ports if _may_be_one(selected, chosen) else ():
                if any(not rule.get("from") and _at(rule, port) for rule in items(spec_of(policy).get("ingress"))):
                    message = (
                        f"lets everybody to port {port}, where PeerAuthentication {place(each)[1]} asks for no TLS"
                    )
                    yield Finding(f"NetworkPolicy {place(policy)[1]} {message}", policy.urn)


def _may_be_one(first: Mapping[str, str], second: Mapping[str, str]) -> bool:
    """Whether some pod may have the labels of both."""
    return all(second.get(key, value) == value for key, value in first.items())


def _at(rule: Mapping[str, Any], port: str) -> bool:
    """A port by its name is every port, as OVN-Kubernetes has it."""
    rows = list(items(rule.get("ports")))
    numbers = [row.get("port") for row in rows]
    return not rows or any(not isinstance(each, int | float) or str(int(each)) == port for each in numbers)


def _training(resources: Sequence[Resource]) -> Iterator[Finding]:
    spaces = _meshed(resources)
    for each in resources:
        if not runs_pods(each.type) or place(each)[0] not in spaces:
            continue
        labels = pod_labels(each)
        if labels.get("podwright.io/workload") == "training" and labels.get(_MODE) != "none":
            message = f"is in the mesh: its pods lack the label {_MODE}: none"
            yield Finding(f"{kind(each)} {place(each)[1]} {message}", each.urn)


MESH: tuple[StackRule, ...] = (
    StackRule(
        id="workloads-mesh-is-strict",
        title="A namespace in the service mesh takes mutual TLS alone",
        why="Being in the mesh encrypts what pods of it say to each other, and closes nothing: whoever is not in it, "
        "or leaves it out, is answered in the clear until a PeerAuthentication says STRICT.",
        fix="Name the team in openshift.service_mesh.teams, or write a PeerAuthentication `default` without selector, "
        "mtls mode STRICT; open single ports by portLevelMtls.",
        reference="https://istio.io/latest/docs/reference/config/security/peer_authentication/",
        severity="high",
        types=of_kind("Namespace", "PeerAuthentication"),
        compare=_strict,
    ),
    StackRule(
        id="workloads-clear-ports-are-for-somebody",
        title="A port that is open in the clear is not open to everybody",
        why="Where a PeerAuthentication opens a port for the router or for Prometheus, the NetworkPolicy alone decides "
        "who comes in without a certificate.",
        fix="Write `from` in the NetworkPolicy's rule: namespaces of the router, the gateway or monitoring.",
        reference="https://istio.io/latest/docs/ambient/usage/networkpolicy/",
        severity="high",
        types=of_kind("PeerAuthentication", "NetworkPolicy"),
        compare=_for_somebody,
    ),
    StackRule(
        id="workloads-training-outside-the-mesh",
        title="Training is not in the service mesh",
        why="The proxy of the node takes each connection of a pod in the mesh apart: rendezvous and what NCCL sends "
        "over TCP become slow, and what goes over rails is not encrypted all the same.",
        fix=f"Label the pods {_MODE}: none, as podwright's own jobs are, or keep training in a team outside the mesh.",
        reference="https://istio.io/latest/docs/ambient/usage/add-workloads/",
        severity="medium",
        types=lambda token: runs_pods(token) or of_kind("Namespace")(token),
        compare=_training,
    ),
)
