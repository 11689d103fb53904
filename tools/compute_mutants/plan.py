"""A stack's resources as the policy pack is given them, and what the pack and the provider say of changed ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from podwright.components.model import Cluster
from podwright.components.providers.intersight.module import KINDS
from podwright.components.providers.protocol.kind import CheckContext
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import NotApplicable, Rule, StackRule
from podwright.policies.rules.servers import SERVERS
from tests.components.recording import register
from tests.design import goldens

CHECK: Final = "the provider's check"
"""The gate that refuses what Intersight's own table does not take, before anything is sent."""
_KINDS: Final = {kind.token: kind for kind in KINDS}


@dataclass(eq=False)
class Plan:
    """One stack of this project: its resources, and what its gates say of them unchanged."""

    name: str
    resources: Sequence[Resource]
    known: frozenset[tuple[str, str]] = field(init=False)
    """Rule and sentence of what is found in the unchanged plan."""

    def __post_init__(self) -> None:
        self.known = frozenset(_findings(self.resources, {each.type for each in self.resources}))

    def gate(self, changed: Mapping[str, Resource]) -> str:
        """The first gate that stops these resources, by URN, the others being unchanged; empty where none does."""
        now = [changed.get(each.urn, each) for each in self.resources]
        tokens = {each.type for each in changed.values()}
        for rule, words in _findings(now, tokens):
            if (rule, words) not in self.known:
                return rule
        return CHECK if any(map(_refused, changed.values())) else ""


def _findings(resources: Sequence[Resource], tokens: set[str]) -> Iterator[tuple[str, str]]:
    """Rule and sentence of everything that rules about these types of resources find."""
    for rule in SERVERS:
        if not any(map(rule.types, tokens)):
            continue
        if isinstance(rule, StackRule):
            try:
                yield from ((rule.id, found.message) for found in rule.check(resources))
            except NotApplicable:
                continue
        else:
            yield from ((rule.id, words) for each in resources if rule.types(each.type) for words in _alone(rule, each))


def _alone(rule: Rule, resource: Resource) -> list[str]:
    try:
        return list(rule.check(resource))
    except NotApplicable:
        return []


def _refused(resource: Resource) -> bool:
    kind = _KINDS.get(resource.type)
    return kind is not None and bool(kind.check({"spec": resource.props["spec"]}, CheckContext()))


def plan(stack: str) -> Plan:
    """One of this project's stacks."""
    return planned(stack, goldens.cluster(stack))


def planned(name: str, cluster: Cluster) -> Plan:
    """Any cluster."""
    registered = register(cluster)
    judged = [
        Resource(each.type, each.name, urn, _whole(each.inputs))
        for urn, each in registered.items()
        if any(rule.types(each.type) for rule in SERVERS)
    ]
    return Plan(name, judged)


def _whole(value: Any) -> Any:
    """Numbers as the engine's plugin decodes them: the wire has one type of them."""
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
