"""Findings as people and programs read them: text with the line and a caret, JSON, SARIF 2.1.0."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from podwright.cli.lint.judge import Configuration, Finding, Reading
from podwright.cli.review import sarif as log
from podwright.components.model.problems import Position, Problem, Source, render
from podwright.policies.rules.fabric import NEXUS

_MORE: Final = 3
"""Further sentences about one line that are spelled out; the rest is counted."""


def text(reading: Reading, findings: Sequence[Finding]) -> str:
    """Every finding with its line, why it matters and what to write; what was left out; a count."""
    sources = {each.path: Source(str(each.path), each.source) for each in reading.configurations}
    printed: Counter[tuple[str, str]] = Counter()
    parts = []
    for each in findings:
        printed[each.rule.id, each.flaw.device] += 1
        short = printed[each.rule.id, each.flaw.device] > _MORE
        parts.append(_place(each) if short else _in_full(each, sources[each.path]))
    parts += [f"{path}: skipped: it {why}" for path, why in reading.skipped]
    parts += list(_notes(reading))
    switches = len(reading.configurations)
    judged = f"{switches} switch{'es' * (switches != 1)}"
    lossless = sum(each.device.lossless is not None for each in reading.configurations)
    count = f"{len(findings)} finding{'s' * (len(findings) != 1)}"
    return "\n".join([*parts, f"{count} in {judged}, {lossless} of them with a lossless class"])


def _place(finding: Finding) -> str:
    """One line, for what was reported often enough about this switch."""
    return f"{finding.path}:{finding.line}:{finding.column}: {finding.rule.id}: {finding.flaw.message}"


def _in_full(finding: Finding, source: Source) -> str:
    where = Position(finding.line, finding.column, max(1, finding.length))
    rule = finding.rule
    lines = [render(Problem((rule.id,), finding.flaw.message, position=where), source)]
    lines += [f"  also: {each}" for each in finding.more[:_MORE]]
    if len(finding.more) > _MORE:
        lines.append(f"  also: {len(finding.more) - _MORE} more of the same line")
    lines += [f"  see: {path}:{line}" for path, line in finding.related[:_MORE]]
    lines.append(f"  why: {rule.why} ({rule.severity})")
    if finding.flaw.instead:
        lines.append("  write: " + finding.flaw.instead.replace("\n", "\n         "))
    if finding.owner:
        lines.append(f"  where: {finding.owner} writes this part; change it there, not on the switch")
    return "\n".join(lines)


def _notes(reading: Reading) -> Iterator[str]:
    for each in reading.configurations:
        yield from (f"{each.path}: note: {note}" for note in each.notes)
        for controller in dict.fromkeys(part.controller for part in each.owned):
            parts = [part for part in each.owned if part.controller == controller]
            first, more = parts[0], len(parts) - 1
            others = f", and {more} more part{'s' * (more > 1)}" if more else ""
            yield (
                f"{each.path}:{first.first}: note: lines {first.first} to {first.last} are written by {controller}"
                f"{others}; podwright would leave them alone"
            )


def as_json(reading: Reading, findings: Sequence[Finding]) -> str:
    """One object: switches, findings, skipped files."""
    document = {
        "version": 1,
        "switches": [_switch(each) for each in reading.configurations],
        "findings": [_finding(each) for each in findings],
        "skipped": [{"file": str(path), "why": why} for path, why in reading.skipped],
    }
    return json.dumps(document, indent=2)


def _switch(each: Configuration) -> Mapping[str, Any]:
    lossless = each.device.lossless
    carried = None
    if lossless is not None:
        carried = {
            "qos_group": lossless.group,
            "priority": lossless.priority,
            "dscp": sorted(lossless.dscps),
            "cnp_dscp": lossless.cnp,
            "ports": [port.name for port in lossless.ports],
        }
    owned = [{"controller": part.controller, "first": part.first, "last": part.last} for part in each.owned]
    notes = list(each.notes)
    return {"name": each.device.name, "file": str(each.path), "lossless": carried, "owned": owned, "notes": notes}


def _finding(each: Finding) -> Mapping[str, Any]:
    return {
        "rule": each.rule.id,
        "severity": each.rule.severity,
        "switch": each.flaw.device,
        "file": str(each.path),
        "line": each.line,
        "column": each.column,
        "message": each.flaw.message,
        "also": list(each.more),
        "related": [{"file": str(path), "line": line} for path, line in each.related],
        "why": each.rule.why,
        "instead": each.flaw.instead,
        "reference": each.rule.reference,
        "owner": each.owner,
    }


def sarif(reading: Reading, findings: Sequence[Finding]) -> str:
    """A SARIF 2.1.0 log with one run; skipped files are notifications of it."""
    index = {rule.id: number for number, rule in enumerate(NEXUS)}
    notes = [
        {"level": "warning", "message": {"text": f"{path}: it {why}"}, "locations": [log.place(path, None)]}
        for path, why in reading.skipped
    ]
    rules = [log.rule(rule, ("nx-os", "roce", *rule.tags)) for rule in NEXUS]
    return log.log("podwright lint", rules, (_result(each, index[each.rule.id]) for each in findings), notes)


def _result(each: Finding, index: int) -> Mapping[str, Any]:
    remedy = [f"Write: {each.flaw.instead}"] if each.flaw.instead else []
    message = "\n".join([each.flaw.message, *each.more, *remedy])
    return {
        "ruleId": each.rule.id,
        "ruleIndex": index,
        "level": log.LEVELS[each.rule.severity],
        "message": {"text": message},
        "locations": [log.place(each.path, Position(each.line, each.column, each.length))],
        "relatedLocations": [
            {"id": number, "physicalLocation": {**log.file(path), "region": {"startLine": line}}}
            for number, (path, line) in enumerate(each.related, 1)
        ],
        "partialFingerprints": {"finding/v1": f"{each.rule.id}:{each.flaw.device}:{each.flaw.message}"},
    }
