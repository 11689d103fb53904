"""Findings of a preview as a SARIF log, and the exit code that they lead to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from podwright.cli.review import sarif as log
from podwright.cli.review.findings import BY_NAME, Found, Review
from podwright.cli.review.severity import FailOn, reached
from podwright.cli.stack import StackError
from podwright.components.model.problems import dotted

__all__ = ["FAILS", "FailOn", "fails", "sarif", "write"]

FAILS: Final = 1
"""Exit code where findings, and nothing of Pulumi's, have the command fail."""


def sarif(review: Review, status: int = 0) -> str:
    """A SARIF 2.1.0 log of what the policy pack found: every rule that ran, every finding at its entry of the file.
    `status` is Pulumi's exit code: with another than 0 the plan stopped, and there may be more to find."""
    index = {name: number for number, name in enumerate(BY_NAME)}
    rules = [log.rule(each, ("policy", each.id.partition("-")[0], *each.tags)) for each in BY_NAME.values()]
    results = (_result(review.path, each, index[each.rule.id]) for each in review.findings)
    stopped = f"the plan stopped (Pulumi's exit code is {status}): what comes behind was not looked at"
    notes = [{"level": "error", "message": {"text": stopped}}] if status else []
    return log.log("podwright preview", rules, results, notes, complete=not status)


def _result(path: Path, each: Found, index: int) -> Mapping[str, Any]:
    result: dict[str, Any] = {
        "ruleId": each.rule.id,
        "ruleIndex": index,
        "level": log.LEVELS[each.rule.severity],
        "message": {"text": f"{each.resource}: {each.message}\nFix: {each.rule.fix}"},
        "locations": [
            {
                **log.place(path, each.position),
                "logicalLocations": [{"name": each.resource, "fullyQualifiedName": each.urn, "kind": "resource"}],
            }
        ],
        "relatedLocations": [],
        "partialFingerprints": {"finding/v1": f"{each.rule.id}:{each.resource}:{each.message}"},
        "properties": {"stops": each.stops, "path": dotted(each.loc)},
    }
    if each.unsure:
        # SARIF 3.27.9: what could not be evaluated yet is open, and has no level.
        result |= {"kind": "open", "level": "none"}
    if each.waiver is not None:
        why = f"{each.waiver.reason} (owner: {each.waiver.owner}, until {each.waiver.until})"
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why}]
    return result


def write(path: Path, text: str) -> None:
    """Write a log. Raises StackError where the file cannot be written."""
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as problem:
        raise StackError(f"{path} cannot be written: {problem.strerror}") from problem


def fails(findings: Iterable[Found], least: FailOn | None) -> int:
    """Exit code by what is found and not waived; what stops a preview has Pulumi's own."""
    return FAILS if reached((each.rule.severity for each in findings if not each.waiver), least) else 0
