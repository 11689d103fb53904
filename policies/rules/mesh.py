"""Rules about the service mesh: mutual TLS alone for who is in it, open ports for somebody, training outside."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from .gateway import space, spec_of
from .kubernetes import called, kind, of_kind, pod_labels, runs_pods
from .resource import Resource
from .rule import Finding, NotApplicable, StackRule, apart, items, nothing, strings

_MODE: Final = "istio.io/dataplane-mode"
_ROOT: Final = "istio-system"
"""Namespace whose policies are for the whole mesh: meshConfig.rootNamespace, where a mesh names no other."""
_EVERYWHERE: Final = ("0.0.0.0/0", "::/0")
_LOOSE: Final = ("PERMISSIVE", "DISABLE")


def _meshed(resources: Sequence[Resource]) -> list[tuple[str, Resource]]:
    """Namespaces that are in the mesh, with their names."""
    found = []
    for each in resources:
        meta = each.props.get("metadata") or {}
        if kind(each) == "Namespace" and strings(meta.get("labels")).get(_MODE) == "ambient":
            found.append((str(meta.get("name") or each.name), each))
    if not found:
        raise NotApplicable("no namespace in a service mesh")
    return found


def _mode(part: Any) -> str:
    return str((part or {}).get("mode") or "")


def _selects(policy: Resource) -> bool:
    return bool(strings((spec_of(policy).get("selector") or {}).get("matchLabels")))


def _closes(policy: Resource) -> bool:
    """Whether a PeerAuthentication is for all pods of its namespace, or of the mesh, and closes them."""
    return kind(policy) == "PeerAuthentication" and not _selects(policy) and _is_strict(policy)


def _is_strict(policy: Resource) -> bool:
    return _mode(spec_of(policy).get("mtls")) == "STRICT"


def _strict(resources: Sequence[Resource]) -> Iterator[Finding]:
    policies = [each for each in resources if kind(each) == "PeerAuthentication"]
    spaces = _meshed(resources)
    yield from apart(_open(name, namespace, policies) for name, namespace in spaces)
    yield from apart(_opens_all(each, {name for name, _ in spaces}) for each in policies)


def _open(name: str, namespace: Resource, policies: Sequence[Resource]) -> Iterator[Finding]:
    def opens(policy: Resource) -> bool:
        return space(policy) == name and not _selects(policy) and _mode(spec_of(policy).get("mtls")) in _LOOSE

    # One of the root namespace is for every namespace that has none of its own, or one without a mode
    # (https://istio.io/latest/docs/reference/config/security/peer_authentication/).
    homes = (name,) if any(map(opens, policies)) else (name, _ROOT)

    def inside(policy: Resource) -> bool:
        return space(policy) in homes

    if not any(inside(each) and _closes(each) for each in policies):
        message = "is in the mesh, and its pods take what is not encrypted: no PeerAuthentication of it is STRICT"
        yield Finding(f"Namespace {name} {message}", namespace.urn, (_closes, inside))


def _opens_all(policy: Resource, spaces: Collection[str]) -> Iterator[Finding]:
    if space(policy) in spaces and _mode(spec_of(policy).get("mtls")) in _LOOSE and _selects(policy):
        message = "opens every port of its pods to what is not encrypted"
        yield Finding(f"PeerAuthentication {called(policy)} {message}", policy.urn, (nothing,))


def _for_somebody(resources: Sequence[Resource]) -> Iterator[Finding]:
    """A port that is open in the clear, and a NetworkPolicy for the same pods that lets everybody to it."""
    opened = [each for each in resources if kind(each) == "PeerAuthentication" and _selects(each)]
    if not opened:
        raise NotApplicable("no port is open in the clear")
    policies = [each for each in resources if kind(each) == "NetworkPolicy"]
    yield from apart(_to_everybody(each, policy) for each in opened for policy in policies)


def _to_everybody(opened: Resource, policy: Resource) -> Iterator[Finding]:
    if space(policy) != space(opened):
        return
    chosen = strings((spec_of(opened).get("selector") or {}).get("matchLabels"))
    selected = strings((spec_of(policy).get("podSelector") or {}).get("matchLabels"))
    if not _may_be_one(selected, chosen):
        return
    ports = (spec_of(opened).get("portLevelMtls") or {}).items()
    rules = list(items(spec_of(policy).get("ingress")))
    yield from apart(_one_port(opened, policy, rule, *port) for port in ports for rule in rules)


def _one_port(opened: Resource, policy: Resource, rule: Any, port: str, part: Any) -> Iterator[Finding]:
    if _from_everywhere(rule) and _mode(part) in _LOOSE and _at(rule, port):
        message = f"lets everybody to port {port}, where PeerAuthentication {called(opened)} asks for no TLS"
        yield Finding(f"NetworkPolicy {called(policy)} {message}", policy.urn)


def _may_be_one(first: Mapping[str, str], second: Mapping[str, str]) -> bool:
    """Whether some pod may have the labels of both."""
    return all(second.get(key, value) == value for key, value in first.items())


def _at(rule: Mapping[str, Any], port: str) -> bool:
    """A port by its name is every port, as OVN-Kubernetes has it."""
    rows = list(items(rule.get("ports")))
    return not rows or any(_has(row, port) for row in rows)


def _has(row: Mapping[str, Any], port: str) -> bool:
    first = row.get("port")
    return not isinstance(first, int | float) or int(first) <= int(port) <= int(row.get("endPort") or first)


def _from_everywhere(rule: Mapping[str, Any]) -> bool:
    """Whether a rule lets everybody in: it names nobody, or every address, or every pod of every namespace."""
    peers = list(items(rule.get("from")))
    return not peers or any(_is_everybody(each) for each in peers)


def _is_everybody(peer: Mapping[str, Any]) -> bool:
    if block := peer.get("ipBlock"):
        return block.get("cidr") in _EVERYWHERE and not block.get("except")
    spaces, pods = peer.get("namespaceSelector"), peer.get("podSelector")
    return spaces is not None and _is_for_all(spaces) and _is_for_all(pods or {})


def _is_for_all(selector: Mapping[str, Any]) -> bool:
    return not selector.get("matchLabels") and not selector.get("matchExpressions")


def _training(resources: Sequence[Resource]) -> Iterator[Finding]:
    spaces = {name for name, _ in _meshed(resources)}
    for each in resources:
        pods = pod_labels(each) if space(each) in spaces else ()
        if any(one.get("podwright.io/workload") == "training" and one.get(_MODE) != "none" for one in pods):
            message = f"is in the mesh: its pods lack the label {_MODE}: none"
            yield Finding(f"{kind(each)} {called(each)} {message}", each.urn)


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
        excused_by=nothing,
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
        excused_by=nothing,
        compare=_training,
    ),
)
