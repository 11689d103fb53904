"""Values of switches that a preview does not know: what each rule about switches finds all the same, and what not."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from podwright.policies.rules import RULES
from podwright.policies.rules.fabric import NEXUS
from podwright.policies.rules.resource import Resource, UnknownValueError
from podwright.policies.rules.rule import Finding, Rule, StackRule, nothing
from podwright.policies.rules.switches import as_policy
from tests.policies import worlds
from tests.policies.test_rules import BY_ID, CASES, resources_of
from tests.policies.test_unknown import INSIDE, LEFT, adds_nothing_by_being_away, hidden_by, unknowns
from tests.policies.texts import resource

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


@pytest.mark.parametrize("rule", SINGLE, ids=lambda one: one.id)
def test_a_rule_that_misses_something_says_which_switch_it_could_not_look_at(rule: StackRule) -> None:
    for place, known, seen in unknowns(rule):
        if set(known) - set(seen):
            assert place.resource.urn in rule.look(place.unknown()).unseen, place.path


def test_of_many_switches_that_are_known_in_part_no_rule_is_asked_again_for_each() -> None:
    """What two others have in common is found all the same, and each that nobody could look at is named."""
    rule = BY_ID["fabric-addresses-once"]
    assert isinstance(rule, StackRule)
    two = next(case for case in CASES[rule.id]["fails"] if len(case["resources"]) == 2 and len(case["finding"]) == 1)
    stack = resources_of(two["resources"])
    for at, each in enumerate(resources_of([_numbered(number) for number in range(30)])):
        stack += unsure([each], 0, *_PARTS[at % len(_PARTS) if at > 12 else 0])
    asked = list[int]()

    def counted(resources: Sequence[Resource]) -> Iterator[Finding]:
        asked.append(len(resources))
        yield from rule.compare(resources)

    looked = replace(rule, compare=counted).look(stack)
    assert [each.message for each in looked.findings] == two["finding"]
    assert set(looked.unseen) == {each.urn for each in stack[2:]}
    assert len(asked) <= 12, "once, and a few times more"


_PARTS: tuple[tuple[str, ...], ...] = (
    ("config", "interface Ethernet1/33"),
    ("links",),
    ("links", "Ethernet1/33", "device"),
    ("management",),
)
"""What nobody knows of the first, and of one in four of the others, in turn."""


def _numbered(number: int) -> dict[str, Any]:
    """A leaf of a large fabric, which is as all others."""
    return resource(
        f"hostname leaf-{number + 10}\nrole leaf\nmanagement 203.0.113.{number + 10}\n"
        "lossless {dscp: 26, priority: 3, cnp_dscp: 48, mtu: 9216}\n"
        f"link Ethernet1/33 spine-01 Ethernet1/{number + 10} fabric\n!\n"
        f"interface Ethernet1/33\n  no switchport\n  ip address 192.0.2.{2 * number + 100}/31\n  no shutdown\n"
    )


def _peer(number: int, other: int, *lines: str, by_port: bool = False) -> dict[str, Any]:
    """One of two vPC peers: its number, and that of where it sends keepalives, from mgmt0 or a port of its own."""
    near, far = f"203.0.113.{number}", f"203.0.113.{other}"
    vrf = "KEEP" if by_port else "management"
    return resource(
        "\n".join(
            (
                f"hostname fe-{number}",
                "role frontend-leaf",
                *(() if by_port else (f"management {near}",)),
                "!",
                f"vpc domain {10 + (number - 1) // 2}",
                *((f"  peer-keepalive destination {far} source {near} vrf {vrf}",) if other else ()),
                *(f"  {each}" for each in lines),
                "interface Vlan10",
                f"  ip address 198.51.100.{number}/24",
                *(("interface Ethernet1/48", "  no switchport", f"  ip address {near}/24") if by_port else ()),
            )
        )
    )


_WRONG = "fe-2 has no peer-gateway in its vPC domain, its peer fe-1 has"
_MUTUAL = (_peer(1, 2, "peer-gateway"), _peer(2, 1), _peer(3, 4), _peer(4, 3))
_ONE_SIDED = (_MUTUAL[0], _peer(2, 0), *_MUTUAL[2:])
_BY_PORTS = (_peer(1, 2, "peer-gateway", by_port=True), _peer(2, 1, by_port=True), *_MUTUAL[2:])
_VLAN, _DOMAIN = ("config", "interface Vlan10"), ("config", "vpc domain 11")


@pytest.mark.parametrize(
    ("stack", "at", "path", "finds"),
    [
        (_MUTUAL, 0, _VLAN, True),  # its own addresses make it nobody else's peer
        (_MUTUAL, 1, _VLAN, True),
        (_MUTUAL, 2, _VLAN, True),
        (_MUTUAL, 2, ("management",), True),
        (_MUTUAL, 2, _DOMAIN, False),  # it may send its keepalives to one of the two
        (_BY_PORTS, 2, _VLAN, True),
        (_ONE_SIDED, 2, ("role",), True),
        (_ONE_SIDED, 2, ("management",), False),  # it may have the address that the keepalives are sent to
        (_ONE_SIDED, 2, _DOMAIN, False),
        ((*_MUTUAL[:2], _peer(3, 1)), 2, ("role",), True),  # two that watch each other are peers, whoever watches
    ],
)
def test_who_may_be_the_peer_of_one_of_two_hides_what_they_have_otherwise(
    stack: Sequence[dict[str, Any]], at: int, path: tuple[str, ...], finds: bool
) -> None:
    rule = BY_ID["fabric-vpc-peers-alike"]
    assert isinstance(rule, StackRule)
    assert [each.message for each in rule.check(resources_of(stack))] == [_WRONG]
    looked = rule.look(unsure(resources_of(stack), at, *path))
    assert [each.message for each in looked.findings] == [_WRONG] * finds
