"""Differences of profiles: leaf by leaf, except that a bucket of policies has no order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.protocol.difference import leaf_difference
from podwright.components.providers.protocol.kind import Difference, Values


def bucket_difference(old_inputs: Values, new_inputs: Values) -> Difference:
    """Every changed leaf at the place where the program says it; the same policies in another order are no change."""
    old, new = _spec(old_inputs), _spec(new_inputs)
    return leaf_difference(
        old_inputs, {**new_inputs, "spec": {**new, "policies": _alike(old, new)}} if new else new_inputs
    )


def _spec(inputs: Values) -> Mapping[str, Any]:
    spec = inputs.get("spec")
    return spec if isinstance(spec, Mapping) and "policies" in spec else {}


def _alike(old: Mapping[str, Any], new: Mapping[str, Any]) -> Any:
    """The new policies, in the old order where they are the same ones."""
    before, now = old.get("policies"), new["policies"]
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        return {fabric: _ordered(before.get(fabric), entries) for fabric, entries in now.items()}
    return _ordered(before, now)


def _ordered(before: Any, now: Any) -> Any:
    if isinstance(before, list) and isinstance(now, list) and sorted(map(_key, before)) == sorted(map(_key, now)):
        return before
    return now


def _key(entry: Any) -> str:
    return repr(sorted(entry.items())) if isinstance(entry, Mapping) else repr(entry)
