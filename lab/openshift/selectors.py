"""Label selectors, by the rules of apimachinery."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def matches(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """True when `labels` satisfy a LabelSelector. A missing selector selects nothing, an empty one everything."""
    if selector is None:
        return False
    if not has_all(selector.get("matchLabels") or {}, labels):
        return False
    return all(expression(row, labels) for row in selector.get("matchExpressions") or [])


def has_all(wanted: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    """True when every wanted label is there with its value: a plain nodeSelector."""
    return all(labels.get(key) == value for key, value in wanted.items())


def expression(row: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """True when `labels` satisfy one requirement."""
    key, values = row["key"], row.get("values") or []
    present = key in labels
    return {
        "In": present and labels.get(key) in values,
        "NotIn": labels.get(key) not in values,
        "Exists": present,
        "DoesNotExist": not present,
    }[row["operator"]]
