"""`$apply` and `tags`: what a collection comes to, instead of its objects.

$apply: aggregate(…) and groupby((A,B.C),aggregate(…)) after one another, separated by slashes; `$count as Total` and
`Property with sum|average|min|max|countdistinct as Name`. `tags`: keys in use, how often, with which values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podwright.lab.intersight.query import Getter, bad_query

Row = Mapping[str, Any]
_EXPRESSION = re.compile(r"(?:\$count|(?P<path>[\w.]+)\s+with\s+(?P<method>\w+))\s+as\s+(?P<name>\w+)")


def _numbers(values: Sequence[Any]) -> list[float]:
    return [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]


METHODS: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    "sum": lambda values: sum(_numbers(values)),
    "average": lambda values: sum(found) / len(found) if (found := _numbers(values)) else None,
    "min": lambda values: min((v for v in values if v is not None), default=None),
    "max": lambda values: max((v for v in values if v is not None), default=None),
    "countdistinct": lambda values: len({str(value) for value in values}),
}


def applied(text: str, rows: Sequence[Row], get: Getter) -> list[dict[str, Any]]:
    """The rows after every transformation of a $apply. Raises ApiError 400 when it cannot be understood."""
    found: Sequence[Row] = rows
    for step in _split(text, "/"):
        name, _, rest = step.strip().partition("(")
        if not rest.endswith(")") or name not in ("aggregate", "groupby"):
            raise bad_query(f"$apply {step.strip()!r}")
        inner = rest[:-1]
        found = [_aggregate(inner, found, get)] if name == "aggregate" else _groups(inner, found, get)
    return [dict(row) for row in found]


def _aggregate(text: str, rows: Sequence[Row], get: Getter) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for part in _split(text, ","):
        match = _EXPRESSION.fullmatch(part.strip())
        if match is None or (match["method"] and match["method"] not in METHODS):
            raise bad_query(f"$apply {part.strip()!r}")
        method = match["method"]
        values = [get(row, match["path"]) for row in rows] if method else []
        out[match["name"]] = METHODS[method](values) if method else len(rows)
    return out


def _groups(text: str, rows: Sequence[Row], get: Getter) -> list[dict[str, Any]]:
    parts = [part.strip() for part in _split(text, ",")]
    if not parts or not re.fullmatch(r"\([\w., ]+\)", parts[0]) or len(parts) > 2:
        raise bad_query(f"$apply groupby({text})")
    paths = [path.strip() for path in parts[0][1:-1].split(",")]
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(str(get(row, path)) for path in paths), []).append(row)
    out = []
    for members in groups.values():
        keys = {path: get(members[0], path) for path in paths}
        more = applied(parts[1], members, get) if len(parts) == 2 else [{}]
        out += [{**keys, **each} for each in more]
    return out


def _split(text: str, separator: str) -> list[str]:
    """Parts between separators that stand outside parentheses."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == separator and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def tag_summary(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """mo.TagKeySummary of every key, by name."""
    seen: dict[str, list[str]] = {}
    for row in rows:
        for tag in row.get("Tags") or []:
            seen.setdefault(tag["Key"], []).append(str(tag.get("Value", "")))
    kind = "mo.TagKeySummary"
    return [
        {"ClassId": kind, "ObjectType": kind, "Key": key, "NumKeys": len(values), "Values": sorted(set(values))}
        for key, values in sorted(seen.items())
    ]
