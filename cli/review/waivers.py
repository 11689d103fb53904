"""Waivers of a stack file beside the policy pack's rules: whether each can hold, and how long it does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from difflib import get_close_matches
from pathlib import Path

from podwright.components import model
from podwright.components.model.load import errors_in
from podwright.components.model.problems import Loc, Problem
from podwright.policies.rules import RULES
from podwright.policies.rules.waivers import Waiver, waivable

_BY_NAME = {rule.id: rule for rule in RULES}


def today() -> date:
    """The day by which waivers end, as the pack has it."""
    return datetime.now(UTC).date()


def waivers(cluster: model.Cluster) -> tuple[Waiver, ...]:
    """Those of the file as the pack is given them."""
    return tuple(Waiver(**each.model_dump()) for each in cluster.waivers)


def problems(cluster: model.Cluster) -> list[Problem]:
    """Waivers of rules that do not exist or cannot be waived."""
    found: list[Problem] = []
    for number, each in enumerate(cluster.waivers):
        loc: Loc = ("waivers", number, "rule")
        rule = _BY_NAME.get(each.rule)
        if rule is None:
            near = get_close_matches(each.rule, _BY_NAME, n=1, cutoff=0.5)
            hint = f"did you mean `{near[0]}`?" if near else "docs/reference/policies.md lists every rule"
            found.append(Problem(loc, f"the policy pack has no rule {each.rule}", hint))
        elif not waivable(rule):
            message = f"{each.rule} is a critical rule, and no waiver holds for one: {rule.why}"
            found.append(Problem(loc, message, rule.fix))
    return found


def refused(path: Path) -> str:
    """What is wrong with the waivers of a stack file, ready for a terminal; empty where it is nothing of theirs."""
    try:
        found = problems(model.load(path))
    except (OSError, model.SpecErrors):
        return ""
    return errors_in(path, found).render() if found else ""


def rows(cluster: model.Cluster, day: date) -> Iterator[tuple[str, str]]:
    """Label and text of each waiver, for the summary of a file."""
    for number, each in enumerate(waivers(cluster)):
        ending = each.ending(day)
        state = f"ended on {each.until} and holds no longer" if each.ended(day) else f"until {each.until}"
        soon = ", which is within two weeks" if ending and not each.ended(day) else ""
        yield "" if number else "waivers", f"{each.subject} {state}{soon}: {each.reason} (owner: {each.owner})"
