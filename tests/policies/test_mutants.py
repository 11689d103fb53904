"""Of mechanical mutants of switches' texts that make the lab forward or peer otherwise, the rules name nearly all."""

import os
import random
from pathlib import Path

import pytest

from tools.lint_mutants.__main__ import GROUND_TRUTH
from tools.lint_mutants.facts import facts
from tools.lint_mutants.measure import Verdict, verdicts
from tools.lint_mutants.sites import Planned, Published
from tools.lint_mutants.tokens import mutants
from tools.mutants import gates

SEED = int(os.environ.get("PODWRIGHT_LINT_SEED", "9"))
SAMPLE = 16
PUBLISHED = 400
"""Mutants drawn from those of the published switches, which are some 1,300."""
LEAST = 0.95


def _named(found: list[Verdict]) -> tuple[int, int]:
    effective = [each for each in found if each.effect and not each.refused]
    return sum(not each.survives for each in effective), len(effective)


def _survivors(found: list[Verdict]) -> str:
    return "\n".join(f"{each.site} {each.switch} {each.what}: {each.effect[:2]}" for each in found if each.survives)


def test_of_a_sample_the_lint_names_what_the_lab_sees_change() -> None:
    found = [
        verdict
        for name in ("evpn", "pairs")
        for verdict in verdicts(Planned(gates.example(name)), random.Random(9), SAMPLE)
    ]
    named, effective = _named(found)
    assert effective >= SAMPLE // 2
    assert named >= LEAST * effective, _survivors(found)


@pytest.mark.rough
@pytest.mark.parametrize("name", ["baseline", "breakout", "evpn", "lab", "ospf", "pairs", "prod", "unnumbered", "vrf"])
def test_of_every_mutant_the_lint_names_what_the_lab_sees_change(name: str) -> None:
    site = Planned(gates.example(name))
    assert not site.findings({}), "a clean plan"
    found = list(verdicts(site, random.Random(SEED)))
    named, effective = _named(found)
    assert named >= LEAST * effective, _survivors(found)


@pytest.mark.rough
def test_of_mutants_of_published_switches_the_lint_names_what_the_lab_sees_change() -> None:
    if not os.environ.get(GROUND_TRUTH):
        pytest.skip(f"{GROUND_TRUTH} names no folder with the files of tests/ground_truth/SHA256SUMS")
    found = list(verdicts(Published(Path(os.environ[GROUND_TRUTH])), random.Random(SEED), PUBLISHED))
    named, effective = _named(found)
    assert named >= LEAST * effective, _survivors(found)


def test_a_renumbered_link_is_the_same_to_the_lab_and_a_wrong_one_is_not() -> None:
    rack = Planned(gates.example("ospf")).rack
    before = facts(rack)
    ends = {name: rack.racked[name].text for name in ("leaf-01", "spine-01")}
    assert "10.1.0.1/31" in ends["leaf-01"] and "10.1.0.0/31" in ends["spine-01"]
    for name, text in ends.items():
        rack.type(name, text.replace("ip address 10.1.0.0/31", "ip address 10.9.0.0/31").replace(
            "ip address 10.1.0.1/31", "ip address 10.9.0.1/31"))  # fmt: skip
    assert facts(rack) == before
    rack.type("leaf-01", ends["leaf-01"])
    assert facts(rack) != before


def test_mutants_of_one_line() -> None:
    text = "interface Ethernet1/1\n  ip address 192.0.2.1/31\n  channel-group 7 mode active\n  description rail 1\n"
    found = {each.what.partition("] ")[2] for each in mutants(text, random.Random(0))}
    assert found == {
        "drop: ip address 192.0.2.1/31",
        *(f"ip address 192.0.2.1/31 -> ip address {to}" for to in
          ("192.0.2.0/31", "192.0.2.2/31", "192.0.3.1/31", "192.0.2.1/30", "192.0.2.1/32")),
        "drop: channel-group 7 mode active",
        *(f"channel-group 7 mode active -> channel-group {to}" for to in
          ("6 mode active", "8 mode active", "7 mode on", "7 mode passive")),
    }  # fmt: skip
