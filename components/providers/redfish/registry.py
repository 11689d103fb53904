"""A machine's attribute registry: its BIOS attributes with their texts, values and dependencies (DMTF DSP0268).

Servers of one model may differ in it by firmware: it is read from the machine that it is used on, when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MOST_FILES = 6
"""Registries that are looked at: a BMC lists dozens, nearly all of messages."""


@dataclass(frozen=True)
class Attribute:
    """One entry."""

    id: str
    text: str
    type: str
    values: tuple[tuple[str, str], ...]
    """(ValueName, ValueDisplayName) of an enumeration."""
    bounds: tuple[int | None, int | None]
    read_only: bool


class Registry:
    """The entries of one AttributeRegistry resource. Parts that are not as the schema has them are left out."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        entries = document.get("RegistryEntries")
        entries = entries if isinstance(entries, Mapping) else {}
        listed = [_attribute(each) for each in entries.get("Attributes") or () if isinstance(each, Mapping)]
        self.attributes = {each.id: each for each in listed if each.id}
        self._dependencies = [each for each in entries.get("Dependencies") or () if isinstance(each, Mapping)]

    def read_only(self, id_: str, attributes: Mapping[str, Any]) -> str:
        """A clause that says why the attribute cannot be written when the others are as given; empty where it can."""
        entry = self.attributes.get(id_)
        if entry is None:
            return ""
        locked, because = entry.read_only, ""
        for rule in self._rules(id_):
            conditions = [each for each in rule.get("MapFrom") or () if isinstance(each, Mapping)]
            if conditions and _holds(conditions, attributes):
                locked = str(rule.get("MapToValue")).lower() == "true"
                because = " while " + " and ".join(_said(each, attributes) for each in conditions)
        return f"is read-only{because}" if locked else ""

    def _rules(self, id_: str) -> Iterator[Mapping[str, Any]]:
        for each in self._dependencies:
            rule = each.get("Dependency")
            if (
                isinstance(rule, Mapping)
                and rule.get("MapToAttribute") == id_
                and rule.get("MapToProperty") == "ReadOnly"
            ):
                yield rule


def read(get: Callable[[str], Any], root: Mapping[str, Any], name: str) -> Registry | None:
    """The attribute registry that a Bios resource names. `get` reads a resource. None where the BMC has none."""
    files = (
        [str(each["@odata.id"]) for each in get(root["Registries"]["@odata.id"]).get("Members") or ()]
        if ("Registries" in root)
        else []
    )
    for path in sorted(files, key=lambda each: _distance(each, name))[:MOST_FILES]:
        if _distance(path, name) > 1:
            break
        uri = _location(get(path))
        found = get(uri) if uri else None
        if isinstance(found, Mapping) and "AttributeRegistry" in str(found.get("@odata.type", "AttributeRegistry")):
            registry = Registry(found)
            if registry.attributes:
                return registry
    return None


def _distance(path: str, name: str) -> int:
    """0 for the registry of that name, 1 for one of attributes, 2 for others."""
    last = path.rstrip("/").rpartition("/")[2].lower()
    if name and (last.startswith(name.lower()) or name.lower().startswith(last)):
        return 0
    return 1 if "attribute" in last or "bios" in last else 2


def _location(file: Any) -> str | None:
    """Where the English text of a registry lies on the BMC itself."""
    places = [each for each in file.get("Location") or () if isinstance(each, Mapping) and each.get("Uri")]
    english = [each for each in places if str(each.get("Language", "")).lower().startswith(("en", "default"))]
    uri = (english or places or [{}])[0].get("Uri")
    return str(uri) if uri else None


def _attribute(entry: Mapping[str, Any]) -> Attribute:
    id_ = str(entry.get("AttributeName") or "")
    values = [each for each in entry.get("Value") or () if isinstance(each, Mapping) and each.get("ValueName")]
    return Attribute(
        id=id_,
        text=str(entry.get("DisplayName") or ""),
        type=str(entry.get("Type") or ""),
        values=tuple((str(each["ValueName"]), _text(id_, each)) for each in values),
        bounds=(_number(entry.get("LowerBound")), _number(entry.get("UpperBound"))),
        read_only=entry.get("ReadOnly") is True or entry.get("Immutable") is True,
    )


def _text(id_: str, value: Mapping[str, Any]) -> str:
    """What people see. AMI's value names begin with the attribute's: PCID002Enabled."""
    name = str(value["ValueName"])
    return str(value.get("ValueDisplayName") or name.removeprefix(id_) or name)


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _holds(conditions: list[Mapping[str, Any]], attributes: Mapping[str, Any]) -> bool:
    """MapFrom's conditions, joined from left to right by MapTerms; one on another property than the value is none."""
    true = _true(conditions[0], attributes)
    for each in conditions[1:]:
        true = (true or _true(each, attributes)) if each.get("MapTerms") == "OR" else (true and _true(each, attributes))
    return true


def _true(condition: Mapping[str, Any], attributes: Mapping[str, Any]) -> bool:
    live, asked = attributes.get(str(condition.get("MapFromAttribute"))), condition.get("MapFromValue")
    if condition.get("MapFromProperty", "CurrentValue") != "CurrentValue" or live is None:
        return False
    match condition.get("MapFromCondition"):
        case "EQU":
            return bool(live == asked)
        case "NEQ":
            return bool(live != asked)
        case "GTR" | "GEQ" | "LSS" | "LEQ" as order if isinstance(live, int) and isinstance(asked, int):
            return {"GTR": live > asked, "GEQ": live >= asked, "LSS": live < asked, "LEQ": live <= asked}[order]
    return False


def _said(condition: Mapping[str, Any], attributes: Mapping[str, Any]) -> str:
    name = str(condition.get("MapFromAttribute"))
    return f"{name} is {attributes.get(name)}"
