"""What the rules find in a manifest that is added to a planned cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from podwright.components import model
from podwright.components.providers.status.everything import token
from podwright.policies.rules import RULES
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import NotApplicable, Rule, StackRule
from tests.platforms.planned import objects
from tools import goldens


@cache
def planned() -> tuple[Resource, ...]:
    """Objects of the smallest example, which has pools, queues and teams of its own."""
    return tuple(map(_resource, objects(model.load(goldens.stack_file("lab")))))


def _resource(found: dict[str, object]) -> Resource:
    version, meta = str(found["apiVersion"]), found["metadata"]
    assert isinstance(meta, dict)
    name = str(meta["name"])
    return Resource(token(version, str(found["kind"])), name, f"urn:{found['kind']}:{name}", found)


def findings(added: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    """Each finding about an added object, by the id of its rule."""
    urns = {each.urn for each in added}
    for rule in RULES:
        about = [each for each in added if rule.types(each.type)]
        if isinstance(rule, StackRule):
            messages = [message for message, urn in _together(rule, added) if urn in urns] if about else []
        else:
            messages = [message for each in about for message in _alone(rule, each)]
        yield from ((rule.id, message) for message in messages)


def _together(rule: StackRule, added: Sequence[Resource]) -> list[tuple[str, str]]:
    try:
        return [(each.message, each.urn) for each in rule.check([*planned(), *added])]
    except NotApplicable:
        return []


def _alone(rule: Rule, resource: Resource) -> list[str]:
    try:
        return list(rule.check(resource))
    except NotApplicable:
        return []


def asked(added: Sequence[Resource]) -> set[str]:
    """Rules that speak about some object of a manifest."""
    found = set()
    for rule in RULES:
        about = [each for each in added if rule.types(each.type)]
        for each in [about] if isinstance(rule, StackRule) and about else [[one] for one in about]:
            try:
                _ = rule.check([*planned(), *each]) if isinstance(rule, StackRule) else list(rule.check(each[0]))
                found.add(rule.id)
            except NotApplicable:
                continue
    return found
