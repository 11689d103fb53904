"""What the pack's rules are asked in its tests, each question with the answer that it has to get."""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from types import FrameType, ModuleType
from typing import Any, Final

from podwright.policies.rules import RULES
from podwright.policies.rules.rule import NexusRule, Rule, StackRule
from tests.cli.lint import test_cables, test_found, test_reading, test_seeded
from tests.policies import (
    test_asked,
    test_clusters,
    test_grouping,
    test_made,
    test_objects,
    test_rules,
    test_spelling,
    test_unknown,
    test_unknown_servers,
    test_unknown_switches,
    test_waivers,
    test_written,
)
from tests.policies.parts import without_parts
from tests.training_pools import facts, spelled, test_drawn
from tools.compute_mutants.plan import Plan, plan
from tools.mutants import gates

_FOLDER: Final = "tmp_path"
_TESTS: Final = (test_clusters, test_grouping, test_made, test_objects, test_unknown, test_waivers, test_drawn)
_OF_DEVICES: Final = (
    test_asked,
    test_unknown_servers,
    test_unknown_switches,
    test_spelling,
    test_found,
    test_cables,
    test_reading,
    test_seeded,
)
"""Modules of tests beside the cases: of clusters, of what is read of objects, of unknown values, of waivers, of drawn
pods; of what `lint` says."""
_LONG: Final = ("test_one_wrong_setting_is_one_finding_a_switch",)
"""Tests of seconds each, which plan whole stacks."""
_EXAMPLES: Final = ("evpn", "ospf", "pairs", "unnumbered")
_STACKS: Final = ("lab", "prod")


Question = tuple[str, Callable[[], bool]]


@dataclass(frozen=True)
class Check:
    """One question."""

    name: str
    passes: Callable[[], bool]
    """Whether the answer is right; raises what a rule raises."""
    touched: frozenset[tuple[str, int]] = frozenset()
    """File and first line of the pack's functions that it needs."""
    seconds: float = 0.0
    """How much of the processor it took of the unchanged pack."""


def checks(*, devices: bool) -> list[Check]:
    """Every question, with what it touches; those about switches and servers on request, as they take a while."""
    asked = [*_questions(), *(_of_devices() if devices else ())]
    return [_timed(name, passes) for name, passes in asked]


def _timed(name: str, passes: Callable[[], bool]) -> Check:
    start = process_time()
    touched = _touched(passes)
    return Check(name, passes, touched, process_time() - start)


def _questions() -> Iterator[Question]:
    for rule in RULES:
        yield from _of_rule(rule)
    for row in spelled.rows():
        if "preview" in row.gates:
            yield f"spelling {row.name}", partial(_spelled, row)
    for module in _TESTS:
        yield from _cases_of(module)
    tags = test_rules.test_a_tag_is_whose_guide_it_is_or_a_control_of_a_published_mapping
    yield "whose guide a reference is", partial(_holds, tags, {})


def _of_devices() -> Iterator[Question]:
    for rule, kind in test_written.SAID:
        for at, case in enumerate(test_rules.CASES[rule.id][kind]):
            yield f"{rule.id} {kind} {at}", partial(_said, rule, kind, case)
    for made in RULES:
        yield f"{made.id} with lines cut", partial(_ends_at_cut_lines, made)
    for module in _OF_DEVICES:
        yield from _cases_of(module)
    for example in _EXAMPLES:
        yield f"switches of example {example}", partial(_switches, gates.example(example))
    for stack in _STACKS:
        yield f"servers of stack {stack}", partial(_servers, plan(stack))


def _of_rule(rule: Rule | StackRule) -> Iterator[Question]:
    cases = test_rules.CASES[rule.id]
    for at, case in enumerate(cases["passes"]):
        yield f"{rule.id} passes {at}", partial(_answers, rule, case, [])
    for at, case in enumerate(cases["fails"]):
        yield f"{rule.id} fails {at}", partial(_answers, rule, case["resources"], case["finding"])
        yield f"{rule.id} is asked {at}", partial(_asked, rule, case["resources"])
    for at, case in enumerate(cases["does_not_apply"]):
        yield f"{rule.id} does not apply {at}", partial(_answers, rule, case, None)
    for at, case in enumerate([*cases["passes"], *(each["resources"] for each in cases["fails"])]):
        yield f"{rule.id} with parts missing {at}", partial(_ends, rule, case)


def _cases_of(module: ModuleType) -> Iterator[Question]:
    """Tests of a module that need nothing of pytest but their own parameters, and a folder."""
    for name, test in vars(module).items():
        marks = getattr(test, "pytestmark", []) if name.startswith("test_") and name not in _LONG else None
        if marks is None or any(each.name != "parametrize" for each in marks):
            continue
        found: list[dict[str, Any]] = [{}]
        for mark in marks:
            names = mark.args[0] if isinstance(mark.args[0], tuple | list) else mark.args[0].split(",")
            rows = [row if len(names) > 1 else (row,) for row in mark.args[1]]
            found = [{**one, **dict(zip(map(str.strip, names), row, strict=True))} for one in found for row in rows]
        for at, given in enumerate(found):
            if signature(test).parameters.keys() <= given.keys() | {_FOLDER}:
                yield f"{module.__name__}.{name} {at}", partial(_holds, test, given)


def _switches(example: gates.Example) -> bool:
    """A plan has the findings that it has, read anew."""
    devices = [gates.planned(each, each.config) for each in example.switches]
    return frozenset(gates.findings(devices)) == example.known


def _servers(found: Plan) -> bool:
    return Plan(found.name, [replace(each) for each in found.resources]).known == found.known


def _asked(rule: Rule | StackRule, case: Any) -> bool:
    return any(rule.types(each["type"]) for each in case)


def _answers(rule: Rule | StackRule, case: Any, answer: list[str] | None) -> bool:
    return test_rules.findings(rule, test_rules.resources_of(case)) == answer


def _ends(rule: Rule | StackRule, case: Any) -> bool:
    for _, changed in without_parts(case):
        test_rules.findings(rule, test_rules.resources_of(changed))
    return True


def _ends_at_cut_lines(rule: Rule | StackRule) -> bool:
    test_rules.test_a_line_that_is_cut_ends_no_rule(rule)
    return True


def _said(rule: NexusRule, kind: str, case: Any) -> bool:
    return bool(test_written.said(rule, kind, case["resources"]) == case["finding"])


def _holds(test: Callable[..., None], given: Mapping[str, Any]) -> bool:
    with TemporaryDirectory() as folder:
        made = {_FOLDER: Path(folder)} if _FOLDER in signature(test).parameters else {}
        test(**given, **made)
    return True


def _spelled(row: spelled.Row) -> bool:
    return bool(facts.findings(spelled.planned(row))) == row.refused("preview")


_PACK: Final = "/policies/rules/"


def _touched(passes: Callable[[], bool]) -> frozenset[tuple[str, int]]:
    found: set[tuple[str, int]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and _PACK in code.co_filename:
            found.add((code.co_filename, code.co_firstlineno))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        right = passes()
    finally:
        sys.setprofile(before)
    if not right:
        raise AssertionError("a case of the unchanged pack fails: see tests/policies")
    return frozenset(found)
