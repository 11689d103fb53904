"""Each rule against its cases: one that passes, one that fails with a stated finding, one it does not speak about."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from google.protobuf.struct_pb2 import Struct
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from podwright.policies.rules import RULES, WAIVERS
from podwright.policies.rules.frameworks import KNOWN, SOURCES
from podwright.policies.rules.guides import guides
from podwright.policies.rules.pack.properties import decode
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import NotApplicable, Rule, RuleText, StackRule
from tests.policies.parts import with_lines_cut, without_parts
from tests.policies.texts import expand
from tools.generated import ROOT

HERE = Path(__file__).parent
BASES = yaml.safe_load((HERE / "bases.yaml").read_text())
CASES = {path.stem: expand(yaml.safe_load(path.read_text()), BASES) for path in sorted(HERE.glob("cases/*.yaml"))}
BY_ID = {rule.id: rule for rule in RULES}


EVERY = (*RULES, *WAIVERS)


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule.id)
def test_every_rule_has_what_a_reviewer_needs(rule: RuleText) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", rule.id)
    assert rule.severity in {"low", "medium", "high", "critical"}
    assert min(map(len, (rule.title, rule.why, rule.fix))) > 10
    file, _, heading = rule.reference.partition("#")
    if not rule.reference.startswith("https://"):
        assert f"{heading}\n" in (ROOT / file).read_text().lower().replace(" ", "-"), "a page of ours has the heading"


def test_a_tag_is_whose_guide_it_is_or_a_control_of_a_published_mapping() -> None:
    by_id = {rule.id: rule.tags for rule in EVERY}
    assert len(by_id) == len(EVERY)
    assert by_id["fabric-unused-ports-shut"][2:] == ("DISA STIG CISC-RT-000060", "NIST 800-53 AC-4")
    assert by_id["compute-ipmi-off"] == ("Cisco guide", "hardening guide")
    assert by_id["waivers-match-a-finding"] == ()
    assert guides("https://notcisco.com/hardening") == ()
    assert guides("https://www.rfc-editor.org/rfc/rfc5549") == ("RFC",)
    assert guides("https://etcd.io/docs/hardening") == ("etcd documentation", "hardening guide")
    frameworks = re.compile(r"(DISA STIG [A-Z]+-[A-Z0-9]+-\d{6}|NIST 800-53 [A-Z]{2}-\d+( ?\(\d+\))?|CIS \S.*)")
    assert all(frameworks.fullmatch(each) for rule in EVERY for each in rule.frameworks)


def test_every_control_of_a_framework_has_its_published_source_and_every_source_a_rule() -> None:
    used = {each for rule in EVERY for each in rule.frameworks}
    assert used == set(SOURCES)
    for control, address in SOURCES.items():
        assert address.startswith(KNOWN), f"{control}: {address} is no publisher of mappings"
        assert address.rsplit("/", 1)[-1], "the page of the control itself"


def resources_of(case: Any) -> list[Resource]:
    return [
        Resource(
            each["type"], each["name"], f"urn:pulumi:lab::podwright::{each['type']}::{each['name']}", each["props"]
        )
        for each in case
    ]


def findings(rule: Rule | StackRule, resources: list[Resource]) -> list[str] | None:
    """Every message, or None where the rule applies to none of the resources."""
    if isinstance(rule, StackRule):
        try:
            return [finding.message for finding in rule.check(resources)]
        except NotApplicable:
            return None
    verdicts: list[str] = []
    spoke = False
    for resource in resources:
        try:
            verdicts += rule.check(resource)
            spoke = True
        except NotApplicable:
            continue
    return verdicts if spoke else None


def test_every_rule_has_cases_and_every_case_a_rule() -> None:
    assert set(CASES) == set(BY_ID)
    for name, cases in CASES.items():
        assert {"passes", "fails", "does_not_apply"} <= set(cases), name


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_passes(rule: Rule | StackRule) -> None:
    for case in CASES[rule.id]["passes"]:
        assert findings(rule, resources_of(case)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_fails_with_what_is_wrong(rule: Rule | StackRule) -> None:
    for case in CASES[rule.id]["fails"]:
        assert any(rule.types(each["type"]) for each in case["resources"]), "the pack asks no rule about other types"
        assert findings(rule, resources_of(case["resources"])) == case["finding"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_finds_the_same_in_what_the_engine_sends(rule: Rule | StackRule) -> None:
    """Maps come in another order, and what holds something unknown is a mapping and no dict."""
    for case in CASES[rule.id]["fails"]:
        sent = [replace(each, props=_sent(each.props)) for each in resources_of(case["resources"])]
        assert sorted(findings(rule, sent) or []) == sorted(case["finding"])


def _sent(props: Mapping[str, Any]) -> Mapping[str, Any]:
    """Properties as the pack decodes them, with a field of `spec` that nobody knows yet."""
    spec = {"spec": {**props["spec"], "later": UNKNOWN}} if props.get("spec") else {}
    made = Struct()
    made.update({**props, **spec, "later": UNKNOWN})
    return decode(made)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_does_not_speak_about_others(rule: Rule | StackRule) -> None:
    for case in CASES[rule.id]["does_not_apply"]:
        assert findings(rule, resources_of(case)) is None


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_part_that_is_missing_ends_no_rule(rule: Rule | StackRule) -> None:
    """A patch holds a few fields of its kind, and the pack is asked before the API server is."""
    for case in (*CASES[rule.id]["passes"], *(each["resources"] for each in CASES[rule.id]["fails"])):
        for _, changed in without_parts(case):
            findings(rule, resources_of(changed))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_line_that_is_cut_ends_no_rule(rule: Rule | StackRule) -> None:
    """`fabric.extra` and files that `lint` reads hold whatever somebody typed, half a line too."""
    known: set[str] = set()
    for case in (*CASES[rule.id]["passes"], *(each["resources"] for each in CASES[rule.id]["fails"])):
        for changed in with_lines_cut(case, known):
            findings(rule, resources_of(changed))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_says_why_and_how_to_fix(rule: Rule | StackRule) -> None:
    for sentence in (rule.title, rule.why, rule.fix, rule.reference):
        assert len(sentence) > 10
    assert rule.fix.endswith((".", ")."))
    assert rule.severity in {"low", "medium", "high", "critical"}
