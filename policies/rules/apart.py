"""Rules about administrators' network policies, which no namespace's own can set aside."""

from collections.abc import Iterator
from typing import Any, Final

from .kubernetes import kind, of_kind
from .resource import Resource
from .rule import NotApplicable, Rule, items, strings

_MOST: Final = 99
"""Largest priority that OVN-Kubernetes takes; the API takes 1000."""
_KINDS: Final = ("AdminNetworkPolicy", "BaselineAdminNetworkPolicy")


def _holds(resource: Resource) -> Iterator[str]:
    if kind(resource) not in _KINDS:
        raise NotApplicable("no policy of an administrator")
    spec = resource.props.get("spec") or {}
    name = f"{kind(resource)} {(resource.props.get('metadata') or {}).get('name') or resource.name}"
    priority = spec.get("priority")
    if isinstance(priority, int | float) and priority > _MOST:
        yield f"{name} has priority {int(priority)}: OVN-Kubernetes takes 0 to {_MOST}, and no node enforces it"
    everybody = _everything(spec.get("subject"))
    for way, side in (("ingress", "from"), ("egress", "to")):
        for rule in items(spec.get(way)):
            unbounded = any(map(_unbounded, items(rule.get(side))))
            if rule.get("action") == "Deny" and everybody and unbounded:
                yield f"{name} denies {way} of every namespace, OpenShift's own among them"
            if rule.get("action") == "Allow" and kind(resource) == _KINDS[0] and unbounded:
                yield f"{name} allows all {way}: no NetworkPolicy of a namespace closes it"


def _everything(selector: Any) -> bool:
    """Whether a subject, or a peer that is pods, is those of all namespaces."""
    chosen = selector or {}
    if "pods" in chosen:
        pods = chosen["pods"] or {}
        return _empty(pods.get("namespaceSelector")) and _empty(pods.get("podSelector"))
    return "namespaces" in chosen and _empty(chosen["namespaces"])


def _unbounded(peer: Any) -> bool:
    networks = [str(each) for each in peer.get("networks") or []]
    return _everything(peer) or any(each.endswith("/0") for each in networks)


def _empty(selector: Any) -> bool:
    found = selector or {}
    return not strings(found.get("matchLabels")) and not [*items(found.get("matchExpressions"))]


APART: tuple[Rule, ...] = (
    Rule(
        id="platform-admin-policies-hold",
        title="Policies of administrators are enforced, and leave the cluster and its teams what they need",
        why="OVN-Kubernetes enforces no AdminNetworkPolicy with a priority above 99. One that denies for every "
        "namespace cuts OpenShift's own pods off, DNS first; one that allows everybody opens each team's namespace, "
        "whatever its NetworkPolicies say.",
        fix="Take a priority from 0 to 99, and select the namespaces that are meant; write Pass in place of Allow to "
        "leave a connection to the namespace's own policies.",
        reference="https://ovn-kubernetes.io/features/network-security-controls/admin-network-policy/",
        severity="high",
        types=of_kind(*_KINDS),
        check=_holds,
    ),
)
