"""Secrets as a stack file names them, {secret: NAME, generation: 1}, in the form that a spec has them in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from podwright.components.intersight_table.table import Rule, object_types, rules_of, rules_of_nested

_NAME = re.compile(r"[a-z][a-z0-9-]{0,62}")
_MOST = 1_000_000


def reference(name: str, generation: int) -> str:
    """Where the value of a secret belongs: the provider puts it in when it writes."""
    return f"{{{{secret:{name}#{generation}}}}}"


def named(object_type: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Properties of an object with its secrets in the form of a spec; what is no name of a secret stays as it is."""
    rules = rules_of(object_type) if object_type in object_types() else {}
    return {name: _value(value, rules.get(name)) for name, value in properties.items()}


def _value(value: Any, rule: Rule | None) -> Any:
    if rule is None:
        return value
    if isinstance(value, list):
        return [_value(each, rule) for each in value]
    if not isinstance(value, Mapping):
        return value
    if rule.get("secret"):
        return _secret(value)
    if rule["kind"] != "nested":
        return value
    rules = rules_of_nested(rule, value)
    return {name: _value(inner, rules.get(name)) for name, inner in value.items()}


def _secret(value: Mapping[str, Any]) -> Any:
    name, generation = value.get("secret"), value.get("generation", 1)
    counts = isinstance(generation, int) and not isinstance(generation, bool) and 1 <= generation <= _MOST
    known = isinstance(name, str) and _NAME.fullmatch(name) and set(value) <= {"secret", "generation"}
    return reference(str(name), generation) if known and counts else value
