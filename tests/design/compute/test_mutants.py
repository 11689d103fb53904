"""Each value that the compute layer plans, dropped or changed: a rule names it, or a source says why none has to."""

import copy
import os
import random
import re
from collections.abc import Sequence
from typing import Any

import pytest

from podwright.policies.rules.resource import Resource
from tests.design.goldens import STACKS
from tools.compute_mutants.__main__ import surviving
from tools.compute_mutants.plan import plan
from tools.compute_mutants.sites import DROP, Mutant, Site, mutants, sites
from tools.compute_mutants.verdicts import MOST_HARMLESS, Verdict, entries, excuse, verdicts

SEED = int(os.environ.get("PODWRIGHT_MUTANTS_SEED", "10"))
SAMPLE = 150
OTHER_TYPES: list[Any] = ["zz", None, [], {}, ["a"], 7, True]


def _names(found: Sequence[Verdict]) -> str:
    return "\n".join(each.name for each in found)


def _harmless(found: Sequence[Verdict]) -> list[Verdict]:
    return [each for each in found if each.harmless is not None]


def test_of_a_sample_each_is_stopped_or_excused() -> None:
    found = list(verdicts(plan("prod"), random.Random(SEED), SAMPLE))
    assert len(found) == SAMPLE
    assert not surviving(found), _names(surviving(found))
    assert sum(bool(each.gate) for each in found) >= SAMPLE // 2


@pytest.mark.rough
def test_each_is_stopped_or_excused_and_at_most_a_fifth_is_excused() -> None:
    used = set[int]()
    for stack in STACKS:
        judged = plan(stack)
        assert not judged.known, "a clean plan"
        found = list(verdicts(judged, random.Random(SEED)))
        assert not surviving(found), _names(surviving(found))
        assert len(_harmless(found)) <= MOST_HARMLESS * len(found)
        used |= {each.harmless for each in found if each.harmless is not None}
    assert used == set(range(len(entries()))), "entries that no mutant needs"


def test_a_value_of_another_type_ends_no_rule() -> None:
    """The engine shows policies what the provider's check refuses, too."""
    judged = plan("prod")
    by_urn = {each.urn: each for each in judged.resources}
    chance = random.Random(SEED)
    for site in chance.sample(sites(judged.resources), SAMPLE):
        for to in chance.sample(OTHER_TYPES, 2):
            judged.gate(Mutant(site, to).apply(by_urn))


def test_every_excuse_has_a_reason_and_a_public_source() -> None:
    for entry in entries():
        assert set(entry) in ({"values", "why", "source"}, {"default", "why", "source"}), entry
        assert len(entry["why"]) > 20 and re.match(r"https://[^ ]+$", entry["source"]), entry


def test_an_excuse_of_a_token_is_that_token_s_in_any_order() -> None:
    judged = plan("lab")
    as_planned = _excused_tokens(judged.resources)
    assert as_planned
    assert all(re.search("CbsCmnGnbNbIommu|Pcid002|Cpu005", each) for each in as_planned), as_planned
    other = copy.deepcopy([dict(each.props) for each in judged.resources])
    for props in other:
        for setting in props.get("spec", {}).get("properties", {}).get("BiosConfigurations", ()):
            setting["BiosTokens"].reverse()
    reversed_ = [
        Resource(each.type, each.name, each.urn, props) for each, props in zip(judged.resources, other, strict=True)
    ]
    assert _excused_tokens(reversed_) == as_planned


def _excused_tokens(resources: Sequence[Resource]) -> set[str]:
    every = (mutant for site in _tokens(resources) for mutant in mutants(site))
    return {mutant.name for mutant in every if excuse(mutant) is not None}


def _tokens(resources: Sequence[Resource]) -> list[Site]:
    """Entries of lists of BIOS tokens, and their values."""
    return [each for each in sites(resources) if "BiosTokens" in each.path and each.path[-1] != "ObjectType"]


def test_a_changed_token_is_changed_in_its_own_place() -> None:
    judged = plan("lab")
    site = next(each for each in sites(judged.resources) if each.name.endswith("Cpu005C845BiosToken.Value"))
    (changed,) = Mutant(site, "Disabled").apply({each.urn: each for each in judged.resources}).values()
    (setting,) = changed.props["spec"]["properties"]["BiosConfigurations"]
    values = {each["ObjectType"]: each["Value"] for each in setting["BiosTokens"]}
    assert [kind for kind, value in values.items() if value == "Disabled"] == ["bios.Cpu005C845BiosToken"]


def test_a_value_is_dropped_and_changed_within_what_intersight_takes() -> None:
    found = {each.name: each for each in sites(plan("prod").resources)}
    mtu = [each.to for each in mutants(found["vnic.EthQosPolicy properties.Mtu"])]
    assert mtu == [DROP, 9001, 4500]
    power = [each.to for each in mutants(found["power.Policy properties.PowerRestoreState"])]
    assert power == [DROP, "AlwaysOff", "AlwaysOn"]
    assert "AcsControlGpu8state" in {each.path[-1] for each in found.values()}
    assert not any(each.path[-1] == "ClassId" for each in found.values())
