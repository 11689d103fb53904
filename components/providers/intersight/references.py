"""From what a spec says to what the API holds and back: names for moids, our spelling for the server's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.compare import same, seen
from podwright.components.providers.intersight.table import rules_of
from podwright.components.providers.protocol.kind import ProviderError


def named_what(spec: Mapping[str, Any]) -> str:
    """How a person would name the object."""
    return f"{spec['object_type']} {spec['name']!r} in organization {spec['organization']!r}"


def released(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """Names that the spec had before and has no longer."""
    gone: set[str] = set()
    for part in ("properties", "references"):
        gone |= set(before.get(part) or {}) - set(now.get(part) or {})
    return tuple(sorted(gone))


async def resolve(api: Account, spec: Mapping[str, Any], references: Mapping[str, Any]) -> dict[str, Any]:
    """References by name as references by moid. Raises ProviderError naming the object that is missing."""
    found: dict[str, Any] = {}
    for name, target in references.items():
        targets = target if isinstance(target, list) else [target]
        moids = [await api.refer(entry, spec["organization"]) for entry in targets]
        for entry, moid in zip(targets, moids, strict=True):
            if moid is None:
                raise ProviderError(
                    f"{spec['name']} refers to {entry['object_type']} {entry['name']!r}, which Intersight does not have"
                )
        found[name] = moids if isinstance(target, list) else moids[0]
    return found


def live_properties(object_type: str, spec_values: Mapping[str, Any], live: Mapping[str, Any]) -> dict[str, Any]:
    """Our properties as they are live; what the server dropped is left out."""
    rules = rules_of(object_type)
    found = {name: seen(name, value, live, rules[name]) for name, value in spec_values.items()}
    return {name: value for name, value in found.items() if value is not None or spec_values[name] is None}


async def live_references(
    api: Account, spec: Mapping[str, Any], spec_values: Mapping[str, Any], live: Mapping[str, Any]
) -> dict[str, Any]:
    """Our references as they are live: by our own words where they lead to the same object, else by name."""
    rules = rules_of(str(live["ObjectType"]))
    read: dict[str, Any] = {}
    for name, target in spec_values.items():
        targets = target if isinstance(target, list) else [target]
        moids = [await api.refer(entry, spec["organization"]) for entry in targets]
        asked = moids if isinstance(target, list) else moids[0]
        existing = live.get(name)
        if None not in moids and same(asked, existing, rules[name]):
            read[name] = target
        elif existing:
            other = await _named_references(api, targets, moids, existing if isinstance(existing, list) else [existing])
            read[name] = other if isinstance(target, list) else other[0]
    return read


async def _named_references(api: Account, spec_values: list[Any], asked: list[Any], existing: list[Any]) -> list[Any]:
    """References that Intersight holds, by name: ours in our order and words, then the others."""
    words = {moid["Moid"]: entry for moid, entry in zip(asked, spec_values, strict=True) if moid is not None}
    live = {str(ref.get("Moid")): ref for ref in existing}
    ours = [entry for moid, entry in words.items() if moid in live]
    others = [ref for moid, ref in live.items() if moid not in words]
    return ours + [{"object_type": ref.get("ObjectType"), "name": await api.name_of(ref)} for ref in others]
