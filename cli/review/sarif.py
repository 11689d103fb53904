"""SARIF 2.1.0, as code hosts take it: one log with one run of one tool.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from podwright.components.model.problems import Position
from podwright.policies.rules.rule import RuleText, Severity

LEVELS: Final[Mapping[Severity, str]] = {"critical": "error", "high": "error", "medium": "warning", "low": "note"}
_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def log(
    tool: str,
    rules: Sequence[Mapping[str, Any]],
    results: Iterable[Any],
    notes: Iterable[Any] = (),
    *,
    complete: bool = True,
) -> str:
    """A log with one run; `notes` are notifications of what was left out. One that is not complete ended before it had
    looked at everything."""
    run = {
        "tool": {"driver": {"name": tool, "rules": rules}},
        "invocations": [{"executionSuccessful": complete, "toolExecutionNotifications": list(notes)}],
        "columnKind": "unicodeCodePoints",
        "results": list(results),
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def rule(described: RuleText, tags: Sequence[str]) -> dict[str, Any]:
    """What a run says of a rule once, for all of its results."""
    return {
        "id": described.id,
        "shortDescription": {"text": described.title},
        "fullDescription": {"text": described.why},
        "help": {"text": f"{described.why} {described.fix}"},
        **({"helpUri": described.reference} if described.reference.startswith("http") else {}),
        "defaultConfiguration": {"level": LEVELS[described.severity]},
        "properties": {"severity": described.severity, "tags": list(tags)},
    }


def place(path: Path, where: Position | None) -> dict[str, Any]:
    """A location: the file, and the line and columns in it where they are known."""
    physical: dict[str, Any] = dict(file(Path(where.file) if where and where.file else path))
    if where is not None:
        end = where.column + max(1, where.length)
        physical["region"] = {"startLine": where.line, "startColumn": where.column, "endColumn": end}
    return {"physicalLocation": physical}


def file(path: Path) -> Mapping[str, Any]:
    """A URI reference: relative as given, so that a code host finds the file in its own checkout."""
    uri = path.as_uri() if path.is_absolute() else "/".join(map(_quoted, path.parts))
    return {"artifactLocation": {"uri": uri}}


def _quoted(part: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c in "-._~") else f"%{b:02X}" for c in part for b in c.encode())
