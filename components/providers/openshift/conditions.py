"""What an object's status says of it, condition by condition."""

from collections.abc import Mapping
from typing import Any

Condition = Mapping[str, Any]


def conditions(item: Mapping[str, Any] | None) -> dict[str, Condition]:
    """Conditions of a Kubernetes object by type; none where there is no object, or nobody has reported on it."""
    rows = ((item or {}).get("status") or {}).get("conditions") or ()
    return {str(row.get("type")): row for row in rows}


def is_true(item: Mapping[str, Any] | None, kind: str) -> bool:
    """Whether a condition is reported, and is True."""
    return conditions(item).get(kind, {}).get("status") == "True"
