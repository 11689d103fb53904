"""Values of switches that a preview does not know: what each rule about switches finds all the same, and what not."""

from dataclasses import replace

import pytest

from podwright.policies.rules import RULES
from podwright.policies.rules.fabric import NEXUS
from podwright.policies.rules.resource import Resource, UnknownValueError
from podwright.policies.rules.rule import Rule, StackRule, nothing
from podwright.policies.rules.switches import as_policy
from tests.policies import worlds
from tests.policies.test_rules import BY_ID, CASES, resources_of
from tests.policies.test_unknown import INSIDE, LEFT, adds_nothing_by_being_away, hidden_by

ALONE = [as_policy(replace(each, alone=False, excused_by=nothing)) for each in NEXUS if each.alone]
"""Rules that look at one switch, asked about all of a case: no other switch takes anything away."""
COMPARING = [each for each in (*RULES, *ALONE) if isinstance(each, StackRule) and each.id.startswith("fabric-")]
SINGLE = [replace(each, together=lambda found, _: found) for each in COMPARING]
"""Every finding by itself, though several of one cause are reported as one."""


@pytest.mark.parametrize("rule", SINGLE, ids=lambda one: one.id)
def test_a_switch_adds_nothing_by_being_away_but_what_it_may_excuse(rule: StackRule) -> None:
    adds_nothing_by_being_away(rule)


@pytest.mark.parametrize("rule", SINGLE, ids=lambda one: one.id)
def test_an_unknown_value_of_a_switch_hides_what_depends_on_it_and_accuses_nobody_whatever_it_is(
    rule: StackRule,
) -> None:
    """In the switch itself and in all others. A switch has many findings, each of its own words."""
    hidden, inside = hidden_by(rule)
    assert hidden == set(LEFT.get(rule.id, {})), "what is hidden for nothing, beside what hidden.yaml explains"
    assert inside == set(INSIDE.get(rule.id, {})), "the same in the switch itself, beside hidden_inside.yaml"


def unsure(stack: list[Resource], at: int, *path: str) -> list[Resource]:
    return worlds.Place(stack, at, ("spec", *path)).unknown()


def test_a_port_that_is_not_known_hides_nothing_of_the_other_ports_of_its_switch() -> None:
    """Of a rule that looks at each switch alone; and it says what it could not look at."""
    rule = BY_ID["fabric-cables-routed"]
    assert isinstance(rule, Rule)
    case = next(
        case
        for case in CASES[rule.id]["fails"]
        if len([*rule.check(resources_of(case["resources"])[0])]) == 1 and "Ethernet1/34" in case["finding"][0]
    )
    stack = resources_of(case["resources"])
    for block, finds in (("interface Ethernet1/33", True), ("interface Ethernet1/34", False)):
        found = list[str]()
        with pytest.raises(UnknownValueError, match=block):
            found.extend(rule.check(unsure(stack, 0, "config", block)[0]))
        assert found == (case["finding"] if finds else [])


def test_what_a_rule_does_not_read_changes_none_of_its_sentences() -> None:
    """Findings of one cause are put together after it is known which of them are certain."""
    rule = BY_ID["fabric-trunks-both-ends"]
    assert isinstance(rule, StackRule)
    case = CASES[rule.id]["fails"][0]
    first, *others = resources_of(case["resources"])
    spec = first.props["spec"]
    wider = {**spec, "serial": "FDO1", "config": {**spec["config"], "interface Ethernet1/48": "description later"}}
    stack = [replace(first, props={**first.props, "spec": wider}), *others]
    for path in (("config", "interface Ethernet1/48"), ("serial",)):
        assert [each.message for each in rule.look(unsure(stack, 0, *path)).findings] == case["finding"]
