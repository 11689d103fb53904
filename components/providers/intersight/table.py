"""The table of Intersight properties as the provider uses it: what a program sends is judged before it is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.intersight_table import table
from podwright.components.intersight_table.table import (
    NOT_SAID_HERE,
    OWN,
    Rule,
    class_of_nested,
    object_types,
    path_of,
    rules_of,
    rules_of_nested,
)
from podwright.components.providers.protocol.kind import Failure, Unknown
from podwright.components.providers.protocol.kind import Path as Trail

__all__ = [
    "NOT_SAID_HERE",
    "OWN",
    "Rule",
    "class_of_nested",
    "judge",
    "object_types",
    "path_of",
    "rules_of",
    "rules_of_nested",
]


def judge(object_type: str, properties: Mapping[str, Any], trail: Trail, references: bool = False) -> list[Failure]:
    """Everything wrong with `properties` of `object_type`. Unknown values are not judged."""
    found = table.judge(object_type, _settled(properties), trail, references)
    return [
        Failure(each.trail, f"{each.message}; did you mean {each.near!r}?" if each.near else each.message)
        for each in found
    ]


def _settled(value: Any) -> Any:
    if isinstance(value, Unknown):
        return table.Unsettled()
    if isinstance(value, Mapping):
        return {key: _settled(inner) for key, inner in value.items()}
    return [_settled(each) for each in value] if isinstance(value, list) else value
