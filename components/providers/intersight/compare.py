"""What differs between what we say and what Intersight holds, seen as Intersight sees it.

Only what we say is compared. The server enriches replies (type marks, links), rewrites lists of VLANs into ranges,
keeps buckets of references in no order, omits what stands at the platform's default, and adds tags of its own: none
of that is a difference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight.table import OWN, Rule, class_of_nested, rules_of, rules_of_nested

PLATFORM_DEFAULT = "platform-default"
_RANGES = re.compile(r"^\d+(-\d+)?(,\d+(-\d+)?)*$")
_HARDWARE = re.compile(r"^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2})+$|^[0-9A-Fa-f]{4,8}(-[0-9A-Fa-f]{4,12})+$")
_MARKS = OWN | {"link"}
_KEYS: Mapping[str, tuple[str, ...]] = {
    "AdapterAdapterConfig": ("SlotId",),
    "AdapterDceInterfaceSettings": ("InterfaceId",),
    "BiosBaseBiosConfiguration": ("ObjectType",),
    "BiosC845BaseBiosToken": ("ObjectType",),
    "FabricPortIdentifier": ("SlotId", "AggregatePortId", "PortId"),
    "FirmwareModelBundleVersion": ("ModelFamily",),
    "IamAccountTypeBase": ("ObjectType",),
    "ResourceResourceQualifier": ("ObjectType",),
    "ResourceSelector": ("Selector",),
    "VmediaMapping": ("VolumeName",),
}
"""What distinguishes entries of a list without a Name, by their type: they are a set, in whatever order they come."""
_IN_ORDER = frozenset({"BootDeviceBase"})
"""Types whose entries have a Name, and an order that means something: a server boots the first device that it can."""


def difference(object_type: str, want: Mapping[str, Any], live: Mapping[str, Any]) -> dict[str, Any]:
    """The properties to send so that `live` becomes as `want`; empty when it is already.

    A nested object is sent whole, with what it holds and we do not own, because a PATCH replaces it whole.
    """
    rules = rules_of(object_type)
    return {
        name: merged(value, live.get(name), rules[name])
        for name, value in want.items()
        if not agrees(name, value, live, rules[name])
    }


def agrees(name: str, want: Any, live: Mapping[str, Any], rule: Rule) -> bool:
    """True when the property `name` of `live` means what we say. Of a secret Intersight says whether there is one."""
    if rule.get("secret"):
        return bool(live.get(f"Is{name}Set")) is bool(want)
    return same(want, live.get(name), rule)


def same(want: Any, live: Any, rule: Rule) -> bool:
    """True when `live` means what we say."""
    if live is None or live in ([], {}, ""):
        return want in (None, "", [], {}, PLATFORM_DEFAULT) or ("default" in rule and want == rule["default"])
    if isinstance(want, list):
        if not isinstance(live, list) or len(want) != len(live):
            return False
        pairs = paired(want, live, rule)
        ordered = rule.get("of") not in _IN_ORDER or [_name(each) for each in want] == [_name(each) for each in live]
        return ordered and pairs is not None and all(_same_one(one, other, rule) for one, other in pairs)
    return _same_one(want, live, rule)


def paired(want: list[Any], live: list[Any], rule: Rule) -> list[tuple[Any, Any]] | None:
    """Entries that belong together: by Moid or Name where every entry has one, by what else distinguishes entries
    of their type, words of a choice by themselves, and by position where nothing does.

    None when an entry that is known so has no counterpart.
    """
    if "one_of" in rule:
        alike = sorted(map(str, want)) == sorted(map(str, live))
        return [(word, word) for word in want] if alike else None
    for keys in (("Moid",), ("Name",), _KEYS.get(str(rule.get("of")), ())):
        marks = [[_mark(entry, keys) for entry in entries] for entries in (want, live)]
        if want and all(map(any, (*marks[0], *marks[1]))):
            by_mark = dict(zip(marks[1], live, strict=True))
            if len(by_mark) != len(live) or any(mark not in by_mark for mark in marks[0]):
                return None
            return [(entry, by_mark[mark]) for entry, mark in zip(want, marks[0], strict=True)]
    return list(zip(want, live, strict=False))


def _mark(entry: Any, keys: tuple[str, ...]) -> tuple[Any, ...]:
    """What distinguishes an entry, where it has it. Zero is what a number is that nobody set."""
    values = [entry.get(key) if isinstance(entry, Mapping) else None for key in keys]
    return tuple(value if isinstance(value, str | int) else 0 for value in values)


def _name(entry: Any) -> Any:
    return entry.get("Name") if isinstance(entry, Mapping) else None


def _same_one(want: Any, live: Any, rule: Rule) -> bool:
    if isinstance(want, Mapping):
        if not isinstance(live, Mapping):
            return False
        if rule["kind"] == "reference":
            return bool(want.get("Moid") == live.get("Moid"))
        rules = rules_of_nested(rule, want) if rule["kind"] == "nested" else {}
        return all(agrees(name, inner, live, rules.get(name, {"kind": "free"})) for name, inner in want.items())
    if isinstance(want, bool) or isinstance(live, bool):
        return want is live
    if isinstance(want, str) and isinstance(live, str):
        return bool(_spelling(want) == _spelling(live))
    return bool(want == live)


def _spelling(text: str) -> Any:
    """One spelling for texts that mean the same: VLAN lists as sets, hardware addresses in lower case."""
    if _RANGES.match(text) and ("," in text or "-" in text):
        numbers: set[int] = set()
        for part in text.split(","):
            low, _, high = part.partition("-")
            numbers.update(range(int(low), int(high or low) + 1))
        return frozenset(numbers)
    if text.isdigit():
        return frozenset({int(text)})
    return text.lower() if _HARDWARE.match(text) else text


def merged(want: Any, live: Any, rule: Rule) -> Any:
    """`want` with type marks, and over what `live` holds beside it."""
    if rule["kind"] != "nested":
        return want
    if isinstance(want, list):
        pairs = paired(want, live, rule) if isinstance(live, list) else None
        partners = [other for _, other in pairs] if pairs is not None else []
        partners += [None] * (len(want) - len(partners))
        return [merged(entry, partner, rule) for entry, partner in zip(want, partners, strict=True)]
    if not isinstance(want, Mapping):
        return want
    rules = rules_of_nested(rule, want)
    existing: dict[str, Any] = {}
    if isinstance(live, Mapping) and live.get("ObjectType", want.get("ObjectType")) == want.get(
        "ObjectType", live.get("ObjectType")
    ):
        existing = {n: v for n, v in live.items() if v is not None and n in rules and not rules[n].get("fixed")}
    own = _defaults(want, rules)
    existing = {name: value for name, value in existing.items() if want.get(name, value) is not None}
    own |= {
        name: merged(inner, existing.get(name), rules.get(name, {"kind": "free"}))
        for name, inner in want.items()
        if inner is not None
    }
    mark = class_of_nested(rule) or want.get("ObjectType")
    return existing | own | ({"ClassId": mark, "ObjectType": mark} if mark else {})


def _defaults(want: Mapping[str, Any], rules: Mapping[str, Rule]) -> dict[str, Any]:
    """What null stands for inside a nested value, where the table knows it: Intersight takes no null there."""
    nulls = [name for name, inner in want.items() if inner is None]
    return {name: rules[name]["default"] for name in nulls if "default" in rules.get(name, {})}


def as_live(want: Any, live: Any, rule: Rule) -> Any:
    """`live` as a program would write it: our own spelling where it means the same, our own properties only."""
    if same(want, live, rule):
        return want
    if isinstance(want, list) and isinstance(live, list):
        pairs = paired(want, live, rule) if len(want) == len(live) else None
        if pairs is not None:
            if rule.get("of") in _IN_ORDER:
                pairs.sort(key=lambda pair: live.index(pair[1]))
            return [as_live(one, other, _single(rule)) for one, other in pairs]
        return [bare(entry) for entry in live]
    if isinstance(want, Mapping) and isinstance(live, Mapping):
        rules = rules_of_nested(rule, want) if rule["kind"] == "nested" else {}
        return {
            name: seen(name, inner, live, rules.get(name, {"kind": "free"}))
            for name, inner in want.items()
            if name in OWN or live.get(name) is not None or agrees(name, inner, live, rules.get(name, {"kind": "free"}))
        }
    return bare(live)


def seen(name: str, want: Any, live: Mapping[str, Any], rule: Rule) -> Any:
    """The property `name` of `live` as a program would write it; of a secret what we wrote, or None where none is."""
    if rule.get("secret"):
        return want if agrees(name, want, live, rule) else None
    return as_live(want, live.get(name), rule)


def bare(live: Any) -> Any:
    """`live` without the server's marks and links."""
    if isinstance(live, Mapping):
        return {name: bare(inner) for name, inner in live.items() if name not in _MARKS}
    return [bare(entry) for entry in live] if isinstance(live, list) else live


def _single(rule: Rule) -> Rule:
    return {key: value for key, value in rule.items() if key != "list"}
