"""Rules that the API server evaluates: which policies are planned, for whom, and what is done with a finding."""

from pathlib import Path

import pytest
import yaml

from podwright.components.design.platform import admission_rules
from podwright.components.design.platform.admission_rules import RULES
from podwright.components.model import AdmissionRules
from podwright.components.model.admission_rules import LIVE
from podwright.policies.rules import RULES as PACK

TEAMS = ("research", "chat")
BY_ID = {rule.id: rule for rule in PACK}


def _actions(section: AdmissionRules | None, waived: tuple[str, ...] = ()) -> dict[str, list[str]]:
    pairs = admission_rules.policies(section, TEAMS, waived)
    return {policy["metadata"]["name"]: binding["spec"]["validationActions"] for policy, binding in pairs}


def test_it_is_the_golden() -> None:
    golden = Path(__file__).with_name("admission_rules.yaml")
    rules = ("workloads-rdma-locks-memory", "workloads-policy-ports-are-numbers")
    planned = [each for rule in RULES if rule.id in rules for each in admission_rules.policy(rule, TEAMS, "Deny")]
    assert planned == list(yaml.safe_load_all(golden.read_text()))


def test_without_the_key_or_without_teams_there_is_nothing() -> None:
    assert _actions(None) == {}
    assert list(admission_rules.policies(AdmissionRules(enforce="deny"), (), ())) == []


def test_each_is_a_rule_of_the_pack_and_refuses_only_what_stops_a_preview() -> None:
    assert [rule.id for rule in RULES] == list(LIVE)
    assert len(LIVE) >= 10 and len(set(LIVE)) == len(LIVE)
    for rule in RULES:
        assert BY_ID[rule.id].mandatory is not rule.advises


def test_a_site_chooses_what_is_done_and_another_thing_for_single_rules() -> None:
    found = _actions(AdmissionRules(enforce="deny", rules={"workloads-image-by-digest": "audit"}))
    assert found["podwright-workloads-image-by-digest"] == ["Audit"]
    assert found["podwright-workloads-rdma-locks-memory"] == ["Deny"]
    less = _actions(AdmissionRules(enforce="warn", rules={"workloads-no-nginx-ingress": "off"}))
    assert "podwright-workloads-no-nginx-ingress" not in less and len(less) == len(RULES) - 1
    assert {each for (each,) in less.values()} == {"Warn"}


def test_what_only_advises_and_what_is_waived_is_never_refused() -> None:
    deny = AdmissionRules(enforce="deny")
    assert _actions(deny)["podwright-workloads-replicas-read-claims"] == ["Warn"]
    assert _actions(deny, ("workloads-image-by-digest",))["podwright-workloads-image-by-digest"] == ["Warn"]
    quiet = AdmissionRules(enforce="audit")
    assert _actions(quiet, ("workloads-image-by-digest",))["podwright-workloads-image-by-digest"] == ["Audit"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_only_namespaces_of_teams_are_asked_and_what_cannot_be_evaluated_is_refused(
    rule: admission_rules.LiveRule,
) -> None:
    policy, binding = admission_rules.policy(rule, TEAMS, "Warn")
    spec = policy["spec"]
    (selected,) = spec["matchConstraints"]["namespaceSelector"]["matchExpressions"]
    assert selected == {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["chat", "research"]}
    assert spec["failurePolicy"] == "Fail" and binding["spec"]["policyName"] == policy["metadata"]["name"]
    assert [each["name"] for each in spec["variables"]][-1] == "wrong"
    text = spec["validations"][0]["messageExpression"]
    assert text.startswith(f"'{rule.id}: ") and "variables.wrong.join" in text and text.count("'") % 2 == 0
