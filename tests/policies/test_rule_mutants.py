"""Of mechanical mutants of the conditions of rules, the pack's cases notice nearly all."""

import os
import random
from dataclasses import replace

import pytest

from podwright.policies.rules import RULES
from tests.policies.test_rules import CASES, findings, resources_of
from tools.rule_mutants.__main__ import missing, report, share
from tools.rule_mutants.checks import Check
from tools.rule_mutants.sites import sites
from tools.rule_mutants.swap import Pack
from tools.rule_mutants.verdicts import ABOUT_KUBERNETES, LEAST, Verdict, entries, every, longest, verdicts

SEED = int(os.environ.get("PODWRIGHT_RULE_MUTANTS_SEED", "12"))
SAMPLE = 150
_SOURCE = """
def found(one, two):
    if one < 2 and two not in (1,):
        return []
    return [each for each in two if any(each)]
"""


def _survivors(found: list[Verdict]) -> str:
    return "\n".join(f"{each.file}:{each.line} {each.what}" for each in found if each.survives)


@pytest.mark.rough
def test_of_a_sample_the_cases_notice_nearly_all() -> None:
    found = list(verdicts(ABOUT_KUBERNETES, random.Random(SEED), SAMPLE))
    assert len(found) == SAMPLE
    assert share(found) >= LEAST["Kubernetes"] - 0.05, _survivors(found)


@pytest.mark.soak
def test_of_all_the_cases_notice_nearly_all_and_every_excuse_is_needed() -> None:
    found = list(verdicts((), random.Random(SEED)))
    assert not missing(found), _survivors(found)
    assert {each.harmless for each in found} - {None} == set(range(len(entries())))


def test_numbers_are_by_file_and_by_what_rules_are_about() -> None:
    found = [
        Verdict("gpus.py", 1, "one", "a case"),
        Verdict("servers/bios.py", 1, "two", "", 0),
        Verdict("servers/bios.py", 2, "three", ""),
        Verdict("path.py", 1, "four", "a case"),
    ]
    every: list[Verdict] = []
    assert list(report(found, every)) == [
        "gpus.py: 1 mutants, 1 turn a case red, 0 harmless: 100.0 %",
        "  survives: servers/bios.py:2 three",
        "servers/bios.py: 2 mutants, 0 turn a case red, 1 harmless: 0.0 %",
        "path.py: 1 mutants, 1 turn a case red, 0 harmless: 100.0 %",
        "about Kubernetes: 1 mutants, 1 turn a case red, 0 harmless: 100.0 %",
        "about servers: 2 mutants, 0 turn a case red, 1 harmless: 0.0 %",
        "about switches: 1 mutants, 1 turn a case red, 0 harmless: 100.0 %",
    ]
    assert every == found and missing(every) == ["servers"]


def test_a_condition_is_changed_in_each_way() -> None:
    found = {each.what.partition(": ")[2] for each in sites(_SOURCE)}
    assert {
        "one < 2 -> one <= 2",
        "one < 2 -> one >= 2",
        "one < 2 -> one < 3",
        "one < 2 and two not in (1,) -> one < 2 or two not in (1,)",
        "one < 2 and two not in (1,) -> one < 2",
        "one < 2 and two not in (1,) -> two not in (1,)",
        "two not in (1,) -> two in (1,)",
        "any(each) -> all(each)",
        "if one < 2 and two not in (1,): return [] -> if one < 2 and two not in (1,): pass",
    } <= found
    assert any("if not any(each)" in each for each in found)


def test_a_changed_rule_answers_otherwise_and_as_before_afterwards() -> None:
    pack = Pack()
    rule = next(each for each in RULES if each.id == "platform-admin-policies-hold")
    case = resources_of(CASES[rule.id]["fails"][0]["resources"])
    before = findings(rule, case)
    module, site = next(
        (module, each)
        for module, each in every(pack)
        if str(module.__file__).endswith("/apart.py") and each.what == "_holds: priority > _MOST -> priority <= _MOST"
    )
    with pack.changed(module, site):
        assert findings(rule, case) == []
    assert findings(rule, case) == before != []


def test_a_case_that_takes_long_of_the_unchanged_pack_has_longer() -> None:
    slow = Check("one", lambda: True, seconds=20.0)
    assert longest(replace(slow, seconds=0.1)) == 10.0
    assert longest(slow) >= 2 * slow.seconds
