"""Values of servers and interconnects that a preview does not know: what rules find all the same, and what not."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

import pytest

from podwright.policies.rules import RULES
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import Finding, NotApplicable, Rule, RuleText, StackRule, apart, nothing
from tests.policies.test_rules import BY_ID
from tests.policies.test_unknown import INSIDE, LEFT, adds_nothing_by_being_away, hidden_by, unknowns


def of_all(rule: Rule | StackRule) -> StackRule:
    """A rule that looks at one resource, asked about all of a case; of one that compares every finding by itself."""
    if isinstance(rule, StackRule):
        return replace(rule, together=lambda found, _: found)

    def one(resource: Resource) -> Iterator[Finding]:
        try:
            yield from (Finding(each, resource.urn) for each in rule.check(resource))
        except NotApplicable as reason:
            if reason.__cause__ is not None:
                raise

    def compare(resources: Sequence[Resource]) -> Iterator[Finding]:
        return apart(one(each) for each in resources)

    text = {each.name: getattr(rule, each.name) for each in fields(RuleText)}
    return StackRule(**text, types=rule.types, compare=compare, excused_by=nothing)


VALUES = 24
"""Values that are tried for one that is not known, of hundreds."""
SERVERS = [of_all(each) for each in RULES if each.id.startswith("compute-")]


@pytest.mark.parametrize("rule", SERVERS, ids=lambda one: one.id)
def test_a_resource_adds_nothing_by_being_away_but_what_it_may_excuse(rule: StackRule) -> None:
    adds_nothing_by_being_away(rule)


@pytest.mark.parametrize("rule", SERVERS, ids=lambda one: one.id)
def test_an_unknown_value_of_a_server_hides_what_depends_on_it_and_accuses_nobody_whatever_it_is(
    rule: StackRule,
) -> None:
    """In the profile or policy itself and in all others."""
    hidden, inside = hidden_by(rule, VALUES, anything_of_it=True)
    assert hidden == set(LEFT.get(rule.id, {})), "what is hidden for nothing, beside what hidden.yaml explains"
    assert inside == set(INSIDE.get(rule.id, {})), "the same in the resource itself, beside hidden_inside.yaml"


@pytest.mark.parametrize("rule", SERVERS, ids=lambda one: one.id)
def test_a_rule_that_misses_something_says_which_resource_it_could_not_look_at(rule: StackRule) -> None:
    for place, known, seen in unknowns(rule):
        if {each.urn for each in known} - {each.urn for each in seen}:
            assert place.resource.urn in rule.look(place.unknown()).unseen, place.path


def test_every_reason_is_of_a_rule() -> None:
    assert INSIDE.keys() <= {each for each in BY_ID if each.startswith(("fabric-", "compute-"))}
    assert LEFT.keys() <= BY_ID.keys()
