"""Rules about operators: what is installed is what was tested."""

from collections.abc import Iterator

from .kubernetes import kind, of_kind
from .resource import Resource
from .rule import NotApplicable, Rule


def _pinned(resource: Resource) -> Iterator[str]:
    if kind(resource) != "Subscription" or "operators.coreos.com" not in resource.type:
        raise NotApplicable("not an OLM subscription")
    spec = resource.props.get("spec") or {}
    name = spec.get("name") or resource.name
    if spec.get("installPlanApproval") != "Manual":
        yield f"subscription {name} is approved by {spec.get('installPlanApproval') or 'default (Automatic)'}"
    if not spec.get("startingCSV"):
        yield f"subscription {name} names no startingCSV"


def _by_address(resource: Resource) -> Iterator[str]:
    if kind(resource) != "SriovNetworkNodePolicy":
        raise NotApplicable("no SR-IOV policy")
    selector = (resource.props.get("spec") or {}).get("nicSelector") or {}
    name = (resource.props.get("metadata") or {}).get("name") or resource.name
    if named := selector.get("pfNames"):
        yield f"SriovNetworkNodePolicy {name} selects NICs by name: {', '.join(map(str, named))}"
    if not selector.get("rootDevices"):
        yield f"SriovNetworkNodePolicy {name} names no PCI address"


OPERATORS: tuple[Rule, ...] = (
    Rule(
        id="operators-subscription-pinned",
        title="Subscriptions are pinned and approved by hand",
        why="An automatic upgrade drains GPU nodes when the catalogue changes, not when you planned it.",
        fix="Leave operators.pins.<name>.approval at Manual and name the csv.",
        reference="https://docs.openshift.com/container-platform/latest/operators/admin/olm-upgrading-operators.html",
        severity="high",
        types=of_kind("Subscription"),
        check=_pinned,
    ),
    Rule(
        id="operators-nics-by-address",
        title="SR-IOV policies select NICs by PCI address",
        why="An interface's name is its system's and changes with driver and release: a policy for another name makes "
        "no function and reports nothing. One without an address selects every NIC of a kind, whatever its leaf.",
        fix="Write nicSelector.rootDevices, as `oc get sriovnetworknodestates -o yaml` shows pciAddress; no pfNames.",
        reference="https://www.freedesktop.org/software/systemd/man/latest/systemd.net-naming-scheme.html",
        severity="medium",
        types=of_kind("SriovNetworkNodePolicy"),
        check=_by_address,
    ),
)
