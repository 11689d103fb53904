"""The table of Intersight properties, and what is wrong with values that a program wants to send.

`properties.json.gz` is made from Cisco's SDK by ``python -m tools.intersight.properties``.
"""

from __future__ import annotations

import difflib
import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from podwright.components.intersight_table.formats import misnamed, misshapen

FILE = Path(__file__).parent / "properties.json.gz"

Rule = Mapping[str, Any]
"""One property as the generator describes it."""
Trail = tuple[str | int, ...]
"""Path of a value from the root of what is judged."""


@dataclass(frozen=True)
class Finding:
    """One value that Intersight would refuse."""

    trail: Trail
    message: str
    near: str = ""
    """The known word nearest to the one that is not known; empty where none is near."""


class Unsettled:
    """Stands for a value that an update brings; it is judged then."""


OWN = frozenset({"ClassId", "ObjectType"})
"""Type marks that every nested object carries; a program states them only where there is a choice."""

NOT_SAID_HERE = {
    "Name": "is the spec's own `name`",
    "Organization": "is the spec's own `organization`",
    "Tags": "hold the mark of the owner and are written by the provider",
    "Moid": "is given by the server",
    "Profiles": "is set from the profile's side, by the profile's `policies`",
    "PolicyBucket": "is set by the spec's own `policies`",
    "Parent": "is set by the server",
    "Owners": "are set by the server",
    "VersionContext": "is set by the server",
    "DisplayNames": "are set by the server",
}
"""Properties that a spec says elsewhere, with the reason."""

_TYPES: dict[str, tuple[Any, ...]] = {
    "string": (str,),
    "time": (str,),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
    "nested": (Mapping,),
}


@cache
def _document() -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads(gzip.decompress(FILE.read_bytes()))
    return document


def object_types() -> tuple[str, ...]:
    """Every object type of the table."""
    return tuple(_document()["objects"])


def path_of(object_type: str) -> str:
    """Collection path below /api/v1: ``ntp/Policies``."""
    return str(_document()["objects"][object_type]["path"])


def rules_of(object_type: str) -> Mapping[str, Rule]:
    """The properties of an object type."""
    rules: Mapping[str, Rule] = _document()["objects"][object_type]["properties"]
    return rules


def nested_types() -> Mapping[str, Mapping[str, Any]]:
    """Types of nested values by their name in the table, each with its `class` and its `properties`."""
    found: Mapping[str, Mapping[str, Any]] = _document()["nested"]
    return found


def rules_of_nested(rule: Rule, value: Any) -> Mapping[str, Rule]:
    """The properties of a nested value: those of its own type where the property offers a choice."""
    rules: Mapping[str, Rule] = _document()["nested"][_type_of_nested(rule, value)]["properties"]
    return rules


def _type_of_nested(rule: Rule, value: Any) -> str:
    """Name in the table of a nested value's type; of the property's own where the value states none that it takes."""
    stated = value.get("ObjectType") or value.get("ClassId") if isinstance(value, Mapping) else None
    chosen = _choices(rule).get(stated) if isinstance(stated, str) else None
    return str(chosen or rule["of"])


def _choices(rule: Rule) -> Mapping[str, str]:
    """Class ids that a nested property takes, and the name of each in the table; none where there is no choice."""
    choices: Mapping[str, str] = _document()["nested"][rule["of"]].get("choices", {})
    return choices


def class_of_nested(rule: Rule) -> str | None:
    """The one class id of a nested type, None where the property offers a choice."""
    entry = _document()["nested"][rule["of"]]
    return None if entry.get("choices") else entry["class"]


def nearest(word: str, words: Iterable[str]) -> str:
    """The one of `words` that is nearest to `word`, whatever its case; empty where none is near."""
    lower = {each.lower(): each for each in words}
    found = difflib.get_close_matches(word.lower(), lower, n=1, cutoff=0.6)
    return lower[found[0]] if found else ""


def judge(object_type: str, properties: Mapping[str, Any], trail: Trail, references: bool = False) -> list[Finding]:
    """Everything wrong with `properties` of `object_type`. None, the platform's default, is right everywhere."""
    rules = rules_of(object_type)
    found: list[Finding] = []
    for name, value in properties.items():
        here = (*trail, name)
        if name in NOT_SAID_HERE:
            found.append(Finding(here, f"{name} {NOT_SAID_HERE[name]}"))
        elif (rule := rules.get(name)) is None:
            found.append(Finding(here, f"{object_type} has no property {name!r}", nearest(name, rules)))
        elif rule.get("fixed"):
            found.append(Finding(here, f"{name} is written by Intersight alone"))
        elif (rule["kind"] == "reference") != references:
            side = "`properties`, it is a value" if references else "`references`, it names another object"
            found.append(Finding(here, f"{name} belongs into {side}"))
        elif not references:
            found += _judge(rule, value, here, f"{object_type}.{name}")
    return found


def judge_value(rule: Rule, value: Any, trail: Trail) -> list[Finding]:
    """Everything wrong with one value of a property."""
    return list(_judge(rule, value, trail, ""))


def _judge(rule: Rule, value: Any, trail: Trail, place: str) -> Iterator[Finding]:
    if value is None or isinstance(value, Unsettled):
        return
    if not rule.get("list"):
        yield from _judge_one(rule, value, trail, place)
        return
    if not isinstance(value, list):
        yield Finding(trail, "must be a list")
        return
    if not rule.get("fewest", 0) <= len(value) <= rule.get("most", len(value)):
        yield Finding(trail, f"must hold {rule.get('fewest', 0)} to {rule.get('most', 'any number of')} entries")
    for index, entry in enumerate(value):
        yield from _judge_one(rule, entry, (*trail, index), place)


def _judge_one(rule: Rule, value: Any, trail: Trail, place: str) -> Iterator[Finding]:
    kind = rule["kind"]
    if kind == "free" or isinstance(value, Unsettled):
        return
    if rule.get("secret"):
        if wrong := misnamed(value):
            yield Finding(trail, wrong)
        return
    right: bool = isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
    if not right:
        yield Finding(trail, f"must be {'an object' if kind == 'nested' else 'of type ' + kind}, not {value!r}")
    elif kind == "integer" and value != int(value):
        yield Finding(trail, f"must be a whole number, not {value!r}")
    elif kind == "nested":
        yield from _judge_nested(rule, value, trail)
    elif "one_of" in rule and value not in rule["one_of"]:
        choices = [str(choice) for choice in rule["one_of"]]
        listed = f"must be one of {', '.join(choices)}" if len(choices) <= 12 else "is not a value it takes"
        yield Finding(trail, f"{listed}, not {value!r}", nearest(str(value), choices))
    elif (reason := _limit(rule, value)) is not None:
        yield Finding(trail, reason)
    elif isinstance(value, str) and (reason := misshapen(place, value)):
        yield Finding(trail, f"{value!r} {reason}")


def _judge_nested(rule: Rule, value: Mapping[str, Any], trail: Trail) -> Iterator[Finding]:
    wrong = list(_judge_marks(rule, value, trail))
    if wrong:
        yield from wrong  # which properties it has follows from its type
        return
    rules, own = rules_of_nested(rule, value), _type_of_nested(rule, value)
    for name, inner in value.items():
        if name in OWN:
            continue
        if name not in rules:
            yield Finding((*trail, name), f"there is no property {name!r} here", nearest(name, rules))
        elif rules[name].get("fixed"):
            yield Finding((*trail, name), f"{name} is written by Intersight alone")
        elif rules[name]["kind"] != "reference":
            yield from _judge(rules[name], inner, (*trail, name), f"{own}.{name}")


def _judge_marks(rule: Rule, value: Mapping[str, Any], trail: Trail) -> Iterator[Finding]:
    """What is wrong with the type marks of a nested value: stated where there is a choice, and of a type it takes."""
    only = class_of_nested(rule)
    known = tuple(_choices(rule)) if only is None else (only,)
    if only is None and value.get("ObjectType") is None:
        yield Finding((*trail, "ObjectType"), f"must say which kind this is, for example {known[0]}")
    for mark in sorted(OWN & set(value)):
        stated = value[mark]
        if stated is None or isinstance(stated, Unsettled):
            continue
        if not isinstance(stated, str) or stated not in known:
            near = nearest(stated, known) if isinstance(stated, str) else ""
            yield Finding((*trail, mark), f"must name a kind that fits here, not {stated!r}", near)
        elif mark == "ClassId" and value.get("ObjectType", stated) != stated:
            yield Finding((*trail, mark), f"must be the same as ObjectType, {value['ObjectType']!r}")


def _limit(rule: Rule, value: Any) -> str | None:
    """What is wrong with a single value of the right type, None when nothing is."""
    if ("low" in rule and value < rule["low"]) or ("high" in rule and value > rule["high"]):
        return f"must lie between {rule.get('low', 'any')} and {rule.get('high', 'any')}, not {value!r}"
    if isinstance(value, str):
        if not rule.get("shortest", 0) <= len(value) <= rule.get("longest", len(value)):
            return f"must have {rule.get('shortest', 0)} to {rule.get('longest', 'any number of')} characters"
        if "pattern" in rule and not re.search(rule["pattern"], value):
            return f"{value!r} does not match {rule['pattern']}"
    return None
