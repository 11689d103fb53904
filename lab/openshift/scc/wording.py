"""Errors as the API server's field package and Go's %#v print them (k8s.io/apimachinery/pkg/util/validation/field)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def invalid(path: str, value: Any, detail: str) -> str:
    """A value that may not be."""
    return f"{path}: Invalid value: {_value(value)}: {detail}"


def forbidden(path: str, detail: str) -> str:
    """Something that may not be there at all."""
    return f"{path}: Forbidden: {detail}"


def required(path: str, detail: str = "") -> str:
    """Something that is missing."""
    return f"{path}: Required value" + (f": {detail}" if detail else "")


def groups(values: Sequence[int] | None) -> str:
    """A list of group ids."""
    return "[]int64(nil)" if values is None else f"[]int64{{{', '.join(map(str, values))}}}"


def capabilities(values: Sequence[str] | None) -> str:
    """A list of capabilities."""
    shown = ", ".join(json.dumps(each) for each in values or ())
    return f"[]core.Capability{{{shown}}}" if values else "[]core.Capability(nil)"


class Shown(str):
    """A value that is printed already."""


def _value(value: Any) -> str:
    if isinstance(value, Shown):
        return str(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return json.dumps("null" if value is None else str(value), ensure_ascii=False)


def aggregate(problems: Sequence[str]) -> str:
    """All of them, each once: one alone stands without brackets."""
    distinct = list(dict.fromkeys(problems))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"
