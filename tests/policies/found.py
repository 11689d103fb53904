"""What the policy pack finds in the whole plan of a file."""

from collections.abc import Sequence

from podwright.components.model import Cluster
from podwright.policies.rules import RULES
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import NotApplicable, StackRule
from tests.components.recording import register


def planned(cluster: Cluster) -> list[Resource]:
    """Every resource."""
    return [
        Resource(each.type, each.name, each.name, each.inputs) for each in register(cluster).values() if each.custom
    ]


def found(plan: Sequence[Resource]) -> set[str]:
    """Rules by id, of those that find something."""
    return {rule.id for rule in RULES if _finds(rule, plan)}


def _finds(rule: object, plan: Sequence[Resource]) -> bool:
    if isinstance(rule, StackRule):
        return _any(rule, plan)
    return any(_any(rule, each) for each in plan if rule.types(each.type))  # type: ignore[attr-defined]


def _any(rule: object, what: object) -> bool:
    try:
        return any(True for _ in rule.check(what))  # type: ignore[attr-defined]
    except NotApplicable:
        return False
