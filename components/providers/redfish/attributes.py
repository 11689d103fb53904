"""Settings as the stack words them, matched to the attributes and values of one machine's BIOS.

A name is tried as the machine's own id, then as a text of its attribute registry, then by what else the setting is
called (`settings.ALIASES`); a value as a name or a text of the registry's list. What the machine lacks is told, and
stops nothing else.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podwright.components.providers.redfish.registry import Attribute, Registry
from podwright.components.providers.redfish.settings import ALIASES

_ON = frozenset({"enabled", "enable", "on", "true", "yes"})
_OFF = frozenset({"disabled", "disable", "off", "false", "no"})
NOTHING_SHOWN = "its BMC shows no BIOS attributes yet; it does once the machine was started"


@dataclass(frozen=True)
class Match:
    """One setting on one machine: the attribute's id and the value it is to have, as the machine spells both."""

    id: str
    value: Any


@dataclass(frozen=True)
class Matched:
    """Settings that the machine has, by our name; and why the others cannot be set, a clause each."""

    found: Mapping[str, Match] = field(default_factory=dict)
    unsupported: Mapping[str, str] = field(default_factory=dict)

    def to_stage(self, future: Mapping[str, Any]) -> dict[str, Any]:
        """Attributes that will not be as wanted after the next reset, as the machine spells them."""
        return {each.id: each.value for each in self.found.values() if not same(each.value, future.get(each.id))}


def same(want: Any, live: Any) -> bool:
    """Equal, and True is not 1: the engine has one number type, a BIOS has two."""
    if isinstance(want, bool) or isinstance(live, bool):
        return want is live
    return bool(want == live)


def plainly(wanted: Mapping[str, Any], future: Mapping[str, Any]) -> bool:
    """True where every setting is an attribute of that very name and value: no registry is needed then."""
    return all(name in future and same(value, future[name]) for name, value in wanted.items())


def match(wanted: Mapping[str, Any], future: Mapping[str, Any], registry: Registry | None) -> Matched:
    """Match settings with a machine whose attributes will be `future` after its next reset."""
    if not future:
        return Matched({}, dict.fromkeys(wanted, NOTHING_SHOWN))
    registry = registry or Registry({})
    found: dict[str, Match] = {}
    unsupported: dict[str, str] = {}
    for name, value in wanted.items():
        ids = _ids(name, future, registry)
        if len(ids) != 1:
            unsupported[name] = _absent(name, ids, future, registry)
            continue
        spelled, problem = _value(value, registry.attributes.get(ids[0]), future[ids[0]])
        other = next((taken for taken, each in found.items() if each.id == ids[0] and each.value != spelled), None)
        if problem:
            unsupported[name] = f"{_called(ids[0], name)}{problem}"
        elif other:
            unsupported[name] = f"on this machine it is the same attribute as {other}, {ids[0]}"
        else:
            found[name] = Match(ids[0], spelled)
    planned = {**future, **{each.id: each.value for each in found.values()}}
    for name, each in list(found.items()):
        locked = registry.read_only(each.id, planned)
        if locked and not same(each.value, future[each.id]):
            unsupported[name] = f"{_called(each.id, name)}{locked}"
            del found[name]
    return Matched(found, unsupported)


def shown(match: Match, future: Mapping[str, Any], registry: Registry | None, wanted: Any) -> Any:
    """The live value in the stack's words: ours where it is the same, else the machine's text for it."""
    live = future.get(match.id)
    if same(match.value, live):
        return wanted
    attribute = registry.attributes.get(match.id) if registry else None
    return dict(attribute.values).get(live, live) if attribute and isinstance(live, str) else live


def sentences(name: str, unsupported: Mapping[str, str]) -> list[str]:
    """What a server's machine lacks: one sentence for all settings with one reason."""
    reasons: dict[str, list[str]] = {}
    for setting, reason in unsupported.items():
        reasons.setdefault(reason, []).append(setting)
    return [
        f"{name}: {', '.join(sorted(settings))} cannot be set over Redfish: {reason}"
        for reason, settings in reasons.items()
    ]


def plain(text: Any) -> str:
    """Without case, blanks and punctuation."""
    return re.sub(r"[^a-z0-9]", "", str(text).lower())


def _called(id_: str, name: str) -> str:
    return "" if id_ == name else f"as {id_} it "


def _ids(name: str, future: Mapping[str, Any], registry: Registry) -> list[str]:
    """Attributes that go by this name, by the first way that finds any."""
    if name in future:
        return [name]
    for way in ((name,), ALIASES.get(name, ())):
        asked = {plain(each) for each in way}
        by_id = [each for each in future if plain(each) in asked]
        if by_id:
            return by_id
        texts = {each.id: plain(each.text) for each in registry.attributes.values() if each.id in future}
        # In the order of the table: its first words are the closest.
        for each in way:
            if by_text := [id_ for id_, text in texts.items() if text == plain(each)]:
                return by_text
    return []


def _absent(name: str, ids: list[str], future: Mapping[str, Any], registry: Registry) -> str:
    if ids:
        return f"several of its BIOS attributes go by that name: {', '.join(sorted(ids))}; write one of these instead"
    words = [*future, *(each.text for each in registry.attributes.values() if each.text)]
    near = difflib.get_close_matches(name, words, n=1)
    return "its BIOS has no such attribute" + (f"; did you mean {near[0]!r}?" if near else "")


def _value(value: Any, attribute: Attribute | None, live: Any) -> tuple[Any, str]:
    """(the value as the machine spells it, what is wrong with it)."""
    if attribute is None or not (attribute.values or attribute.type in ("Boolean", "Integer")):
        return _like(value, live), ""
    if attribute.type == "Boolean":
        if plain(value) in _ON | {"1"}:
            return True, ""
        return (False, "") if plain(value) in _OFF | {"0"} else (None, f"is true or false, not {value!r}")
    if attribute.type == "Integer":
        return _integer(value, attribute)
    for tried in (lambda each: each, plain, _switch):
        for name, text in attribute.values:
            if _comparable(tried(value)) and tried(value) in (tried(name), tried(text)):
                return name, ""
    listed = ", ".join(text for _, text in attribute.values)
    return None, f"takes {listed}, not {value!r}"


def _comparable(tried: Any) -> bool:
    return tried not in (None, "")


def _switch(value: Any) -> bool | None:
    """True or False for the words that mean on or off; None for any other."""
    if plain(value) in _ON:
        return True
    return False if plain(value) in _OFF else None


def _integer(value: Any, attribute: Attribute) -> tuple[Any, str]:
    try:
        number = int(value)
    except (TypeError, ValueError):
        return None, f"is a whole number, not {value!r}"
    low, high = attribute.bounds
    if (low is not None and number < low) or (high is not None and number > high):
        return None, f"takes {low} to {high}, not {number}"
    return number, ""


def _like(value: Any, live: Any) -> Any:
    """A value without a list to compare it with, in the manner of the one that the attribute has."""
    if isinstance(value, float) and value.is_integer() and not isinstance(live, float):
        return int(value)
    wanted, now = _switch(value), _switch(live)
    if isinstance(live, bool):
        return value if wanted is None else wanted
    if isinstance(live, str) and isinstance(value, str):
        if plain(value) == plain(live):
            return live
        if wanted is not None and now is not None and wanted is not now:
            return _opposite(live)
    return value


_PAIRS = (("enabled", "disabled"), ("enable", "disable"), ("on", "off"), ("true", "false"), ("yes", "no"))


def _opposite(live: str) -> str:
    for pair in (*_PAIRS, *((b, a) for a, b in _PAIRS)):
        if live.lower() == pair[0]:
            other = pair[1]
            return other.upper() if live.isupper() else other.capitalize() if live[0].isupper() else other
    return live
