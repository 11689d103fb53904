"""Where rules about switches find what they find and what they tell one to write: of plans, and of what somebody wrote.

In the cases `shown` are planned switches; `found` are the same lines as `lint` reads them, where `part of a switch` is
a cutting: no word of a whole configuration, such as `hostname`, stands among its lines.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from podwright.policies.rules.fabric import NEXUS
from podwright.policies.rules.nexus.device import Device, End, device
from podwright.policies.rules.nexus.lines import planned
from podwright.policies.rules.nexus.roce import evident
from podwright.policies.rules.rule import NexusRule, NotApplicable
from podwright.policies.rules.switches import switch
from tests.policies.test_rules import CASES, resources_of

KINDS = ("shown", "found")
SAID = [(rule, kind) for rule in NEXUS for kind in KINDS if CASES[rule.id][kind]]


def found(resources: Sequence[dict[str, Any]]) -> list[Device]:
    """Switches of the cases without what only a plan states: lossless is what their lines show, cables lead to others
    of these switches."""
    specs = {each["props"]["spec"]["hostname"]: each["props"]["spec"] for each in resources}
    return [_found(name, spec, set(specs)) for name, spec in specs.items()]


def _found(name: str, spec: dict[str, Any], known: set[str]) -> Device:
    made = device(name, planned(spec["config"]))
    ends = {port: End(end["device"], end["port"], "fabric") for port, end in spec["links"].items()}
    made.links = {port: end for port, end in ends.items() if end.device in known}
    made.lossless = evident(made)
    made.part = "part" in spec
    return made


def said(rule: NexusRule, kind: str, resources: Sequence[dict[str, Any]]) -> list[list[str]] | None:
    """Of each flaw what it says, at which line, what to write, and each line elsewhere that it depends on; None where
    the rule does not speak of these."""
    devices = found(resources) if kind == "found" else [switch(each) for each in resources_of(resources)]
    groups = [[each] for each in devices] if rule.alone else [devices]
    answers = [answer for group in groups if (answer := _said(rule, group)) is not None]
    return [flaw for answer in answers for flaw in answer] if answers else None


def _said(rule: NexusRule, devices: Sequence[Device]) -> list[list[str]] | None:
    try:
        flaws = list(rule.judge(devices))
    except NotApplicable:
        return None
    return [
        [
            each.message,
            each.line.text if each.line is not None else "",
            each.instead,
            *(f"see {name}: {line.text}" for name, line in each.related),
        ]
        for each in flaws
    ]


@pytest.mark.parametrize(("rule", "kind"), SAID, ids=[f"{rule.id} {kind}" for rule, kind in SAID])
def test_a_finding_says_where_it_is_and_what_to_write(rule: NexusRule, kind: str) -> None:
    for case in CASES[rule.id][kind]:
        assert said(rule, kind, case["resources"]) == case["finding"]
