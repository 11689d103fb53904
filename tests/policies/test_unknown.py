"""Values that a preview does not know hide nothing that is visible, and accuse nobody."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from google.protobuf.struct_pb2 import Struct
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from podwright.policies.rules import RULES
from podwright.policies.rules.pack.properties import decode
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import Finding, StackRule
from podwright.policies.rules.switches import is_switch
from tests.policies import worlds
from tests.policies.test_rules import CASES, resources_of

COMPARING = [each for each in RULES if isinstance(each, StackRule) and not each.id.startswith("fabric-")]
"""Those about switches are in test_unknown_switches.py."""
KUBERNETES = [each for each in COMPARING if not each.id.startswith("compute-")]
LEFT = yaml.safe_load((Path(__file__).parent / "hidden.yaml").read_text())
"""What is hidden although no other value of these tests takes the finding away: rule, kind of what is unknown, why."""
INSIDE = yaml.safe_load((Path(__file__).parent / "hidden_inside.yaml").read_text())
"""The same of findings about the very switch, profile or policy that has the unknown value."""


def stacks(rule: StackRule) -> list[list[Resource]]:
    """Those of a rule's cases that it speaks about."""
    cases = CASES[rule.id]
    return [resources_of(each) for each in (*cases["passes"], *(case["resources"] for case in cases["fails"]))]


@pytest.mark.parametrize("rule", COMPARING, ids=lambda rule: rule.id)
def test_a_resource_adds_nothing_by_being_away_but_what_it_may_excuse(rule: StackRule) -> None:
    adds_nothing_by_being_away(rule)


def adds_nothing_by_being_away(rule: StackRule) -> None:
    """Those of two cases together too, where what one lacks another has."""
    own = stacks(rule)
    both = [
        [*{each.urn: each for each in (*two, *one)}.values()] for one in own for two in own[:: max(1, len(own) // 8)]
    ]
    for stack in (*own, *both):
        known = {each.urn for each in worlds.found(rule, stack)}
        for away in (each for each in stack if rule.types(each.type)):
            for each in worlds.found(rule, [one for one in stack if one is not away]):
                assert each.urn in known or rule.excuses(each, away), f"{away.name} takes it away: {each.message}"


def unknowns(rule: StackRule) -> Iterator[tuple[worlds.Place, list[Finding], list[Finding]]]:
    """Every value of every stack of a rule in turn: its place, what is found, and what is where nobody knows it."""
    for stack in stacks(rule):
        known = worlds.found(rule, stack)
        for place in worlds.places(rule, stack):
            if place.path != ("cluster",):  # whose it is: of a stack with one other cluster it counts as that one's
                yield place, known, worlds.found(rule, place.unknown())


def hidden_by(rule: StackRule, most: int | None = None, *, anything_of_it: bool = False) -> tuple[set[str], set[str]]:
    """Kinds of places where an unknown value hides a finding though no other value takes it away: one about another
    resource, and one about its own. `anything_of_it`: another sentence about a resource is enough, and has to be there.

    Nobody is accused meanwhile, whatever the value is: `most` other values are tried of each, or all.
    """
    alike = values(rule)
    hidden, inside = set[str](), set[str]()
    for place, known, seen in unknowns(rule):
        assert {each.urn for each in seen} <= {each.urn for each in known}, place.path
        gone = [each for each in known if each not in seen]
        made = worlds.worlds(rule, place, alike[place.shape], most) if gone or seen else []
        urns = [{each.urn for each in world} for world in made]
        for each in seen:
            assert all(each.urn in world for world in urns), f"{place.path}: {each.message}"
        accused = {each.urn for each in seen} if anything_of_it else {each.urn for each in known}
        for each in gone:
            silent = each.urn not in accused and all(each.urn in world for world in urns)
            if silent or all(each in world for world in made):
                (inside if each.urn == place.resource.urn else hidden).add(place.kind)
    return hidden, inside


def values(rule: StackRule) -> dict[tuple[str, ...], list[Any]]:
    """What stands in the cases of a rule in places of each shape."""
    alike: dict[tuple[str, ...], list[Any]] = defaultdict(list)
    for stack in stacks(rule):
        for place in worlds.places(rule, stack):
            alike[place.shape].append(place.value)
    return alike


def more(rule: StackRule) -> Iterator[tuple[worlds.Place, list[Finding], list[Finding]]]:
    """The same of an object of Kubernetes that is added to a stack and is as one that is there."""
    for stack in stacks(rule):
        for each in stack:
            if not each.type.startswith("kubernetes:"):
                continue
            larger = [*stack, replace(each, name=f"{each.name}-more", urn=f"{each.urn}-more")]
            known = worlds.found(rule, larger)
            for place in worlds.places(rule, larger):
                if place.at == len(stack):
                    yield place, known, worlds.found(rule, place.unknown())


@pytest.mark.parametrize("rule", COMPARING, ids=lambda one: one.id)
def test_an_unknown_value_accuses_nobody(rule: StackRule) -> None:
    for place, known, seen in (*unknowns(rule), *more(rule)):
        assert {each.urn for each in seen} <= {each.urn for each in known}, place.shape


@pytest.mark.parametrize("rule", KUBERNETES, ids=lambda one: one.id)
def test_an_unknown_value_hides_what_depends_on_it_and_accuses_nobody_whatever_it_is(rule: StackRule) -> None:
    """Of objects of Kubernetes and of switches: what else our own resources are made of is in the stack file."""
    alike = values(rule)
    hidden = set()
    for place, known, seen in unknowns(rule):
        own = place.resource.type.startswith("podwright:") and not is_switch(place.resource.type)
        if own or not known:
            continue
        gone = [each for each in worlds.lost(known, seen) if each.urn != place.resource.urn]
        made = worlds.worlds(rule, place, alike[place.shape]) if gone or seen else []
        urns = [{each.urn for each in world} for world in made]
        for each in seen:
            assert all(each.urn in world for world in urns), f"{place.shape}: {each.message}"
        if any(all(each.urn in world for world in urns) for each in gone):
            hidden.add(place.kind)
    assert hidden == set(LEFT.get(rule.id, {})), "what is hidden for nothing, beside what hidden.yaml explains"


@pytest.mark.parametrize("rule", [each for each in KUBERNETES if CASES[each.id]["unknown"]], ids=lambda one: one.id)
def test_what_is_found_beside_a_value_that_nobody_knows(rule: StackRule) -> None:
    """Of single objects that may excuse a finding, and of such that may not: cases `unknown`."""
    for case in CASES[rule.id]["unknown"]:
        stack = [replace(each, props=_partly_known(each)) for each in resources_of(case["resources"])]
        assert [each.message for each in worlds.found(rule, stack)] == case["finding"]


def _partly_known(resource: Resource) -> Any:
    """Properties as the engine sends them, where `(unknown)` stands for what nobody knows."""
    made = Struct()
    made.update(json.loads(json.dumps(resource.props).replace("(unknown)", UNKNOWN)))
    return decode(made, resource.urn)
