"""What the policy pack found in a preview, from the engine's events: rule, resource, place, waiver."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from podwright.cli.review.places import origin
from podwright.cli.review.waivers import waivers
from podwright.components import model
from podwright.components.model.problems import Loc, Position, dotted
from podwright.policies.rules import RULES, WAIVERS
from podwright.policies.rules.rule import RuleText
from podwright.policies.rules.waivers import Waiver, choose, waivable

BY_NAME: Final[Mapping[str, RuleText]] = {rule.id: rule for rule in (*RULES, *WAIVERS)}
_PACK: Final = "podwright"
_COLOUR: Final = re.compile(r"<\{%[^%]*%\}>")
"""Pulumi's own marks of colours (sdk/go/common/diag/colors)."""
_UNSURE: Final = "can't run policy"
"""How a message begins where a rule asked for what nobody knows before the update."""
Places = Callable[[Loc], Position | None]


@dataclass(frozen=True)
class Found:
    """One finding of a preview."""

    rule: RuleText
    urn: str
    message: str
    """What is wrong, without the rule's own sentences."""
    stops: bool
    """Whether the preview fails by it."""
    unsure: bool = False
    """The rule asked for what nobody knows before the update."""
    waiver: Waiver | None = None
    """The waiver that lets it pass."""
    loc: Loc = ()
    """Path of the entry that its resource comes from."""
    position: Position | None = None

    @property
    def resource(self) -> str:
        """The resource's name."""
        return self.urn.rpartition("::")[2]


@dataclass(frozen=True)
class Review:
    """Everything that is found in one preview of one stack file."""

    path: Path
    findings: tuple[Found, ...] = ()
    waived: tuple[tuple[Waiver, Position | None, int], ...] = ()
    """Each waiver of the file, its place, and how many findings it lets pass."""


def review(path: Path, lines: Iterable[str], day: date) -> Review:
    """Findings among the engine's events, one JSON object a line, with their places in the stack file."""
    found = tuple(_found(lines))
    try:
        cluster, where = model.located(path)
    except (OSError, model.SpecErrors):
        return Review(path, found)
    every = waivers(cluster)
    placed = tuple(_placed(each, cluster, where, every, day) for each in found)
    counted = []
    for number, waiver in enumerate(every):
        passed = sum(each.waiver is waiver for each in placed)
        counted.append((waiver, where(("waivers", number)), passed))
    return Review(path, placed, tuple(counted))


def _placed(found: Found, cluster: model.Cluster, where: Places, every: Sequence[Waiver], day: date) -> Found:
    loc = origin(cluster, found.urn)
    if found.rule in WAIVERS:
        number = next((at for at, each in enumerate(every) if found.message in _sentences(each, day)), None)
        loc = ("waivers", number) if number is not None else ("waivers",)
    waiver = choose(every, found.rule.id, found.resource)
    holds = waiver is not None and waivable(found.rule) and not waiver.ended(day)
    return replace(found, loc=loc, position=where(loc), waiver=waiver if holds else None)


def _sentences(waiver: Waiver, day: date) -> tuple[str, ...]:
    """What the pack says of a waiver itself; a preview that began on this day may have its findings on the next."""
    return waiver.idle(), waiver.ending(day), waiver.ending(day + timedelta(days=1))


def _found(lines: Iterable[str]) -> Iterator[Found]:
    """Each finding once: the engine reports those of a component's children by the child alone."""
    seen: set[tuple[str, str, str]] = set()
    for event in _events(lines):
        rule = BY_NAME.get(str(event.get("policyName")))
        if rule is None or event.get("policyPackName") != _PACK:
            continue
        text = _COLOUR.sub("", str(event.get("message", ""))).strip()
        urn = str(event.get("resourceUrn", ""))
        unsure = text.startswith(_UNSURE)
        message = text if unsure else _own(rule, text)
        if (rule.id, urn, message) not in seen:
            seen.add((rule.id, urn, message))
            yield Found(rule, urn, message, event.get("enforcementLevel") == "mandatory", unsure)


def _own(rule: RuleText, text: str) -> str:
    """The sentences of a finding, between those that the rule says of itself."""
    return text.removeprefix(f"{rule.title}. {rule.why}").partition(f"\n  why: {rule.why}")[0].strip()


def _events(lines: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            return
        if found := event.get("policyEvent"):
            yield found


def sentences(review: Review, day: date) -> Iterator[str]:
    """Each waiver with what it does in this plan, and the place of each finding."""
    for number, (waiver, place, passed) in enumerate(review.waived):
        at = place.at(review.path.name) if place else review.path.name
        state = f"lets pass {passed} finding{'s' * (passed != 1)}" if passed else "no finding of this plan is its"
        if waiver.ended(day):
            state = "it has ended and lets nothing pass"
        who = f"{waiver.reason} (owner: {waiver.owner})"
        yield f"waiver waivers[{number}] ({at}): {waiver.subject} until {waiver.until}: {state}; {who}"
    for each in review.findings:
        at = each.position.at(review.path.name) if each.position else review.path.name
        state = "waived" if each.waiver else "stops the preview" if each.stops else "advises"
        yield f"finding {each.rule.id} ({at}: {dotted(each.loc)}), {each.rule.severity}, {state}: {each.message}"


def as_data(review: Review, day: date) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "findings": [_finding(review, each) for each in review.findings],
        "waivers": [
            {
                "rule": each.rule, "resource": each.resource, "reason": each.reason, "owner": each.owner,
                "until": str(each.until), "ended": each.ended(day), "line": place.line if place else None,
                "passes": passed,
            }
            for each, place, passed in review.waived
        ],
    }  # fmt: skip


def _finding(review: Review, each: Found) -> dict[str, Any]:
    return {
        "rule": each.rule.id,
        "severity": each.rule.severity,
        "resource": each.resource,
        "urn": each.urn,
        "message": each.message,
        "stops": each.stops,
        "unsure": each.unsure,
        "waived": each.waiver is not None,
        "path": dotted(each.loc),
        "file": each.position.file if each.position and each.position.file else str(review.path),
        "line": each.position.line if each.position else None,
    }
