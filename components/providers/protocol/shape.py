"""The shape of a spec: its keys and their types, judged alike for every kind."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from podwright.components.providers.protocol.kind import Failure, Unknown, Values


def nearest(word: str, words: Iterable[str]) -> str:
    """``; did you mean 'X'?`` for the word nearest to `word`, or nothing."""
    lower = {each.lower(): each for each in words}
    found = difflib.get_close_matches(word.lower(), lower, n=1, cutoff=0.6)
    return f"; did you mean {lower[found[0]]!r}?" if found else ""


def judge_spec(
    inputs: Values, schema: int, required: Mapping[str, type], optional: Mapping[str, type]
) -> list[Failure]:
    """Missing, unknown and wrongly typed keys of ``inputs["spec"]``, and a schema number of another release."""
    spec = inputs.get("spec")
    if isinstance(spec, Unknown):
        return [Failure(("spec",), "must be fully known at preview; pass what is not as an input of its own")]
    if not isinstance(spec, Mapping):
        return [Failure(("spec",), "must be an object")]
    found: list[Failure] = []
    known = {"schema": int} | dict(required) | dict(optional)
    for key in required:
        if key not in spec:
            found.append(Failure(("spec", key), f"{key} is missing"))
    for key, value in spec.items():
        if key not in known:
            found.append(Failure(("spec", key), f"there is no key {key!r}{nearest(key, tuple(known))}"))
        elif isinstance(value, Unknown):
            found.append(Failure(("spec", key), "must be known at preview"))
        elif not fits(value, known[key]):
            found.append(Failure(("spec", key), f"must be {_WORDS[known[key]]}, not {value!r}"))
    if isinstance(spec.get("schema"), int | float) and spec["schema"] > schema:
        found.append(Failure(("spec", "schema"), f"is {spec['schema']:g}; this release writes {schema}"))
    return found


_WORDS: dict[type, str] = {
    int: "a whole number",
    str: "a text",
    dict: "an object",
    list: "a list",
    bool: "true or false",
}


def devices_of(spec: Mapping[str, Any], *keys: str) -> dict[tuple[str | int, ...], str]:
    """The keys of a spec that name its device, those that it has, by property path: `Kind.devices`."""
    return {("spec", key): str(spec[key]) for key in keys if spec.get(key)}


def fits(value: Any, kind: type) -> bool:
    """True when `value` is of `kind`; numbers arrive as floats and a boolean is no number."""
    if kind is int:
        return not isinstance(value, bool) and isinstance(value, int | float) and value == int(value)
    if kind is dict:
        return isinstance(value, Mapping)
    return isinstance(value, kind)
