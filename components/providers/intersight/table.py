"""The table of Intersight properties, and what is wrong with values that a program wants to send.

`properties.json.gz` is made from Cisco's SDK by ``python -m tools.intersight.properties``.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from podwright.components.providers.intersight.formats import misshapen
from podwright.components.providers.protocol.kind import Failure, Unknown
from podwright.components.providers.protocol.kind import Path as Trail
from podwright.components.providers.protocol.shape import nearest

FILE = Path(__file__).parent / "properties.json.gz"

Rule = Mapping[str, Any]
"""One property as the generator describes it."""

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


def judge(object_type: str, properties: Mapping[str, Any], trail: Trail, references: bool = False) -> list[Failure]:
    """Everything wrong with `properties` of `object_type`. Unknown values are not judged."""
    rules = rules_of(object_type)
    found: list[Failure] = []
    for name, value in properties.items():
        here = (*trail, name)
        if name in NOT_SAID_HERE:
            found.append(Failure(here, f"{name} {NOT_SAID_HERE[name]}"))
        elif (rule := rules.get(name)) is None:
            found.append(Failure(here, f"{object_type} has no property {name!r}{nearest(name, tuple(rules))}"))
        elif rule.get("fixed"):
            found.append(Failure(here, f"{name} is written by Intersight alone"))
        elif (rule["kind"] == "reference") != references:
            side = "`properties`, it is a value" if references else "`references`, it names another object"
            found.append(Failure(here, f"{name} belongs into {side}"))
        elif not references:
            found += _judge(rule, value, here, f"{object_type}.{name}")
    return found


def _judge(rule: Rule, value: Any, trail: Trail, place: str) -> Iterator[Failure]:
    if isinstance(value, Unknown) or value is None:
        return
    if not rule.get("list"):
        yield from _judge_one(rule, value, trail, place)
        return
    if not isinstance(value, list):
        yield Failure(trail, "must be a list")
        return
    if not rule.get("fewest", 0) <= len(value) <= rule.get("most", len(value)):
        yield Failure(trail, f"must hold {rule.get('fewest', 0)} to {rule.get('most', 'any number of')} entries")
    for index, entry in enumerate(value):
        yield from _judge_one(rule, entry, (*trail, index), place)


def _judge_one(rule: Rule, value: Any, trail: Trail, place: str) -> Iterator[Failure]:
    kind = rule["kind"]
    if isinstance(value, Unknown) or kind == "free":
        return
    right: bool = isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
    if not right:
        yield Failure(trail, f"must be {'an object' if kind == 'nested' else 'of type ' + kind}, not {value!r}")
    elif kind == "integer" and value != int(value):
        yield Failure(trail, f"must be a whole number, not {value!r}")
    elif kind == "nested":
        yield from _judge_nested(rule, value, trail)
    elif (reason := _limit(rule, value)) is not None:
        yield Failure(trail, reason)
    elif isinstance(value, str) and (reason := misshapen(place, value)):
        yield Failure(trail, f"{value!r} {reason}")


def _judge_nested(rule: Rule, value: Mapping[str, Any], trail: Trail) -> Iterator[Failure]:
    wrong = list(_judge_marks(rule, value, trail))
    if wrong:
        yield from wrong  # which properties it has follows from its type
        return
    rules, own = rules_of_nested(rule, value), _type_of_nested(rule, value)
    for name, inner in value.items():
        if name in OWN:
            continue
        if name not in rules:
            yield Failure((*trail, name), f"there is no property {name!r} here{nearest(name, tuple(rules))}")
        elif rules[name].get("fixed"):
            yield Failure((*trail, name), f"{name} is written by Intersight alone")
        elif rules[name]["kind"] != "reference":
            yield from _judge(rules[name], inner, (*trail, name), f"{own}.{name}")


def _judge_marks(rule: Rule, value: Mapping[str, Any], trail: Trail) -> Iterator[Failure]:
    """What is wrong with the type marks of a nested value: stated where there is a choice, and of a type it takes."""
    only = class_of_nested(rule)
    known = tuple(_choices(rule)) if only is None else (only,)
    if only is None and value.get("ObjectType") is None:
        yield Failure((*trail, "ObjectType"), f"must say which kind this is, for example {known[0]}")
    for mark in sorted(OWN & set(value)):
        stated = value[mark]
        if stated is None or isinstance(stated, Unknown):
            continue
        if not isinstance(stated, str) or stated not in known:
            near = nearest(stated, known) if isinstance(stated, str) else ""
            yield Failure((*trail, mark), f"must name a kind that fits here, not {stated!r}{near}")
        elif mark == "ClassId" and value.get("ObjectType", stated) != stated:
            yield Failure((*trail, mark), f"must be the same as ObjectType, {value['ObjectType']!r}")


def _limit(rule: Rule, value: Any) -> str | None:
    """What is wrong with a single value of the right type, None when nothing is."""
    if "one_of" in rule and value not in rule["one_of"]:
        choices = [str(choice) for choice in rule["one_of"]]
        listed = f"must be one of {', '.join(choices)}" if len(choices) <= 12 else "is not a value it takes"
        return f"{listed}, not {value!r}{nearest(str(value), choices)}"
    if ("low" in rule and value < rule["low"]) or ("high" in rule and value > rule["high"]):
        return f"must lie between {rule.get('low', 'any')} and {rule.get('high', 'any')}, not {value!r}"
    if isinstance(value, str):
        if not rule.get("shortest", 0) <= len(value) <= rule.get("longest", len(value)):
            return f"must have {rule.get('shortest', 0)} to {rule.get('longest', 'any number of')} characters"
        if "pattern" in rule and not re.search(rule["pattern"], value):
            return f"{value!r} does not match {rule['pattern']}"
    return None
