"""A waived finding advises, until the waiver ends; a waiver that ends soon or matches nothing is a finding itself."""

from datetime import date
from typing import Any

import pytest
from pulumi.runtime.proto import analyzer_pb2 as proto

from podwright.policies.rules import RULES, WAIVERS
from podwright.policies.rules.pack.analyzer import Analyzer
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import Rule
from podwright.policies.rules.waivers import CLUSTER, Waiver
from tests.policies.test_analyzer import message
from tests.policies.test_rules import BY_ID, CASES, resources_of

TODAY = date(2050, 6, 15)
ALONE, TOGETHER, CRITICAL = "fabric-pfc-watchdog", "fabric-bundles-hold", "fabric-pfc-on-every-hop"


def waiver(rule: str, resource: str, until: str = "2050-12-31") -> dict[str, str]:
    return {"rule": rule, "resource": resource, "reason": "moved in spring", "owner": "network team", "until": until}


def found(rule: str, *waivers: dict[str, str], config: Any = None) -> list[Any]:
    """What the engine is answered for a failing case of a rule, in a stack with these waivers."""
    analyzer = Analyzer("podwright", RULES, WAIVERS, lambda: TODAY)
    if config:
        analyzer.Configure(proto.ConfigureAnalyzerRequest(policyConfig=config), None)
    resources = resources_of(CASES[rule]["fails"][0]["resources"])
    cluster = Resource(CLUSTER, "lab", f"urn:pulumi:lab::podwright::{CLUSTER}::lab", {"about": {"waivers": [*waivers]}})
    answers = [analyzer.Analyze(message(each), None) for each in [cluster, *resources]]
    stack = proto.AnalyzeStackRequest(resources=[message(each, proto.AnalyzerResource) for each in resources])
    answers.append(analyzer.AnalyzeStack(stack, None))
    return [each for answer in answers for each in answer.diagnostics]


def of(rule: str, diagnostics: list[Any]) -> list[Any]:
    return [each for each in diagnostics if each.policyName == rule]


def levels(rule: str, *waivers: dict[str, str]) -> set[Any]:
    return {each.enforcementLevel for each in of(rule, found(rule, *waivers))}


@pytest.mark.parametrize("rule", [ALONE, TOGETHER])
def test_a_waived_finding_stays_and_stops_nothing(rule: str) -> None:
    assert levels(rule) == {proto.MANDATORY}
    answered = found(rule, waiver(rule, "*"))
    assert {each.enforcementLevel for each in of(rule, answered)} == {proto.ADVISORY}
    for each in of(rule, answered):
        assert each.message.endswith("\n  waived: until 2050-12-31: moved in spring (owner: network team)")
    assert not of("waivers-match-a-finding", answered) and not of("waivers-have-time-left", answered)


def test_it_is_for_its_rule_and_its_resources_alone() -> None:
    name = resources_of(CASES[ALONE]["fails"][0]["resources"])[0].name
    assert levels(ALONE, waiver(ALONE, name)) == {proto.ADVISORY}
    assert levels(ALONE, waiver(ALONE, f"{name[:-2]}*")) == {proto.ADVISORY}
    assert levels(ALONE, waiver(ALONE, f"{name}0")) == {proto.MANDATORY}
    assert levels(ALONE, waiver(ALONE, name[:-1])) == {proto.MANDATORY}
    assert levels(ALONE, waiver(TOGETHER, name)) == {proto.MANDATORY}


@pytest.mark.parametrize(
    ("until", "level", "said"),
    [
        ("2050-06-15", proto.ADVISORY, "waived: until 2050-06-15"),
        ("2050-06-14", proto.MANDATORY, "waiver: ended on 2050-06-14; its reason was: moved in spring"),
    ],
)
def test_it_holds_on_its_last_day_and_no_longer(until: str, level: Any, said: str) -> None:
    finding, *_ = of(ALONE, found(ALONE, waiver(ALONE, "*", until)))
    assert finding.enforcementLevel == level
    assert said in finding.message


def test_of_two_the_one_that_holds_longest_counts() -> None:
    assert levels(ALONE, waiver(ALONE, "*", "2050-01-01"), waiver(ALONE, "l*")) == {proto.ADVISORY}


def test_a_critical_rule_is_not_waived_and_the_finding_says_so() -> None:
    assert BY_ID[CRITICAL].severity == "critical"
    answered = of(CRITICAL, found(CRITICAL, waiver(CRITICAL, "*")))
    assert {each.enforcementLevel for each in answered} == {proto.MANDATORY}
    assert answered[0].message.endswith("a critical rule cannot be waived (owner: network team)")


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("2050-06-30", None),
        ("2050-06-29", "ends in 14 days, on 2050-06-29"),
        ("2050-06-17", "ends in 2 days, on 2050-06-17"),
        ("2050-06-16", "ends in 1 day, on 2050-06-16"),
        ("2050-06-15", "ends today"),
        ("2050-06-14", "ended on 2050-06-14"),
    ],
)
def test_one_that_ends_within_two_weeks_is_a_finding(until: str, said: str | None) -> None:
    answered = of("waivers-have-time-left", found(ALONE, waiver(ALONE, "*", until)))
    assert [each.enforcementLevel for each in answered] == ([proto.ADVISORY] if said else [])
    if said:
        assert f"the waiver of {ALONE} on * {said} (owner: network team)" in answered[0].message


def test_one_that_nothing_needs_is_a_finding_on_the_cluster() -> None:
    (idle,) = of("waivers-match-a-finding", found(ALONE, waiver(ALONE, "*"), waiver(ALONE, "elsewhere")))
    assert f"no finding is of {ALONE} on elsewhere: the waiver of network team is for nothing" in idle.message
    assert (idle.enforcementLevel, idle.urn.rpartition("::")[2]) == (proto.ADVISORY, "lab")


def test_findings_about_waivers_can_be_switched_off_as_others() -> None:
    off = {each.id: proto.PolicyConfig(enforcementLevel=proto.DISABLED) for each in WAIVERS}
    answered = found(ALONE, waiver(ALONE, "elsewhere", "2050-06-15"), config=off)
    assert of(ALONE, answered)
    assert not {each.policyName for each in answered} & {each.id for each in WAIVERS}


def test_the_pack_names_its_rules_about_waivers() -> None:
    info = Analyzer("podwright", RULES, WAIVERS).GetAnalyzerInfo(None, None)
    assert [each.name for each in info.policies][-2:] == [each.id for each in WAIVERS]
    assert not any(isinstance(rule, Rule) and rule.types(CLUSTER) for rule in RULES)


def test_a_pattern_is_no_regular_expression() -> None:
    one = Waiver("a-b", "prod-leaf.1*", "r", "o", TODAY)
    assert one.covers("a-b", "prod-leaf.1") and one.covers("a-b", "prod-leaf.12")
    assert not one.covers("a-b", "prod-leaf-1") and not one.covers("a-b", "x-prod-leaf.1")
