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
)
