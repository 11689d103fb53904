"""Every gate by name, cheap ones first; the first that notices a dropped leaf is the one that the tables name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

import yaml

from podwright.policies.rules import RULES
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import NotApplicable, StackRule
from tests.leaves import access, kept, nodes, operators, ownership, work
from tests.leaves.dropping import Leaf
from tests.platforms.planned import Object

API: Final = "API server"
SCHEMA: Final = "published schema"
REFUSED: Final = Path(__file__).with_name("refused.yaml")
"""Leaves without which the API server or a published schema refuses; made by `python -m tests.leaves.refused`."""
_COHERENCE: Final[tuple[Callable[[list[Object]], Iterator[str]], ...]] = (
    ownership.owned, ownership.waited, ownership.patient, ownership.placed, nodes.pooled, nodes.ignited,
    nodes.configured, nodes.tuned, nodes.tolerated, nodes.operated, nodes.narrow, nodes.chosen, access.constrained,
    access.admitted, access.restricted, access.limited, access.reached, operators.installed, operators.pulled,
    operators.driven, operators.pooled, operators.lossless, operators.offered, operators.made, operators.attached,
    operators.computed, operators.maintained, operators.stored, work.selected, work.named, work.alive, work.whole,
    work.mounted, work.at_home, work.met, work.rolled, kept.kept,
)  # fmt: skip
NAMES: Final = tuple(f"{each.__module__.rpartition('.')[2]}.{each.__name__}" for each in _COHERENCE)


@cache
def refused() -> dict[str, dict[str, str]]:
    """What the API server and published schemas answer, by place of the leaf."""
    return dict(yaml.safe_load(REFUSED.read_text(encoding="utf-8")))


def gate(leaf: Leaf, planned: list[Object], known: frozenset[tuple[str, str]]) -> str:
    """The first gate that a plan without this leaf does not pass; empty where it passes all of them."""
    for who in (API, SCHEMA):
        if leaf.place in refused()[who]:
            return who
    now = leaf.dropped(planned)
    new = (rule for rule, words in findings(now, leaf.at) if (rule, words) not in known)
    return next(new, "") or next(_incoherent(now), "")


def _incoherent(planned: list[Object]) -> Iterator[str]:
    for name, check in zip(NAMES, _COHERENCE, strict=True):
        if next(check(planned), None) is not None:
            yield name


def incoherent(planned: list[Object]) -> list[str]:
    """Every sentence of every coherence gate: none about a plan as it is."""
    return [f"{name}: {words}" for name, check in zip(NAMES, _COHERENCE, strict=True) for words in check(planned)]


def findings(planned: list[Object], about: int | None = None) -> Iterator[tuple[str, str]]:
    """Rule and sentence of whatever the policy pack finds; `about` one object, rules for its type alone."""
    made = [_resource(each, at) for at, each in enumerate(planned)]
    for rule in RULES:
        if about is not None and not rule.types(made[about].type):
            continue
        try:
            if isinstance(rule, StackRule):
                yield from ((rule.id, each.message) for each in rule.check(made))
                continue
        except NotApplicable:
            continue
        for each in made if about is None else (made[about],):
            try:
                yield from ((rule.id, words) for words in (rule.check(each) if rule.types(each.type) else ()))
            except NotApplicable:
                continue


def _resource(found: Object, at: int) -> Resource:
    version = "core/v1" if found["apiVersion"] == "v1" else found["apiVersion"]
    name = str(found["metadata"]["name"])
    return Resource(f"kubernetes:{version}:{found['kind']}", name, f"urn:{at}", found)
