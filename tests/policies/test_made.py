"""Rules that are made of others when the pack is loaded: of those about switches, of those that may meet any type."""

from collections.abc import Iterator, Sequence

import pytest

from podwright.policies.rules import fabric, path
from podwright.policies.rules.fabric import NEXUS
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import Finding, NotApplicable, Rule, StackRule
from podwright.policies.rules.servers.inventory import of_nodes
from podwright.policies.rules.servers.mistyped import careful
from podwright.policies.rules.switches import SWITCH, as_policy
from tests.policies.test_rules import BY_ID

NICS = "kubernetes:sriovnetwork.openshift.io/v1:SriovNetworkNodePolicy"
TEXT = {
    "id": "a-rule", "title": "A rule", "why": "It is one.", "fix": "Nothing.", "reference": "https://example.com",
    "severity": "low",
}  # fmt: skip
ANY = Resource("a", "b", "urn", {})


def test_a_rule_that_judges_switches_alone_is_asked_about_each_and_any_other_about_all() -> None:
    assert {rule.alone for rule in NEXUS} == {True, False}
    for rule in NEXUS:
        made = as_policy(rule)
        assert isinstance(made, Rule if rule.alone else StackRule), rule.id
        assert made.types(SWITCH) and not made.types(NICS), rule.id
        assert (made.id, made.fix, made.frameworks) == (rule.id, rule.fix, rule.frameworks)


def test_only_the_rule_of_mtu_hears_of_nics_besides() -> None:
    for rule in NEXUS:
        made = fabric._policy(rule)
        assert made.types(NICS) == (rule.judge is path.mtu), rule.id
        assert BY_ID[rule.id].types(NICS) == (rule.judge is path.mtu), rule.id
        assert made.types(SWITCH)


def test_a_rule_about_nodes_hears_of_its_own_and_of_kubernetes_kinds_that_name_nodes() -> None:
    asked = of_nodes("podwright:redfish:Server")
    assert asked("podwright:redfish:Server") and asked(NICS) and asked("kubernetes:core/v1:Node")
    for other in ("podwright:intersight:Profile", "kubernetes:core/v1:Pod", "other:core/v1:Node", "podwright:x:Node"):
        assert not asked(other), other


@pytest.mark.parametrize("error", [AttributeError, KeyError, TypeError, ValueError])
def test_a_careful_rule_does_not_apply_where_a_value_is_mistyped(error: type[Exception]) -> None:
    def check(_: Resource) -> Iterator[str]:
        yield "found"
        raise error

    def compare(_: Sequence[Resource]) -> Iterator[Finding]:
        yield Finding("found", "urn")
        raise error

    with pytest.raises(NotApplicable, match="of another type"):
        careful(Rule(**TEXT, types=bool, check=check)).check(ANY)  # type: ignore[arg-type]
    with pytest.raises(NotApplicable, match="of another type"):
        careful(StackRule(**TEXT, types=bool, compare=compare)).check([ANY])  # type: ignore[arg-type]


def test_a_careful_rule_finds_what_it_found() -> None:
    alone = careful(Rule(**TEXT, types=bool, check=lambda _: iter(["found"])))  # type: ignore[arg-type]
    together = careful(StackRule(**TEXT, types=bool, compare=lambda _: iter([Finding("found", "urn")])))  # type: ignore[arg-type]
    assert isinstance(alone, Rule) and list(alone.check(ANY)) == ["found"]
    assert isinstance(together, StackRule) and together.check([ANY]) == [Finding("found", "urn")]
