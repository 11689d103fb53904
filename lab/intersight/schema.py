"""What Intersight's objects look like: types, enums, patterns, ranges and defaults, from the generated schema file."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from podwright.lab.intersight import errors

FILE = Path(__file__).parent / "schema.json.gz"
Properties = Mapping[str, Mapping[str, Any]]
ZERO_TIME = "0001-01-01T00:00:00Z"
REFERENCE_KEYS = frozenset({"ClassId", "ObjectType", "Moid", "Selector", "link"})
# Told by the server on every object; a client that sends them back is not refused for it.
ECHOED = frozenset({"ClassId", "ObjectType", "Moid"})
OMIT = object()
# Answered only when they say something.
NEVER_EMPTY = ("mo.MoRef", "mo.VersionContext")
PYTHON_TYPES: dict[str, tuple[type, ...]] = {"str": (str,), "bool": (bool,), "int": (int,), "float": (int, float)}
ZEROS: dict[str, Any] = {"str": "", "bool": False, "int": 0, "float": 0.0, "datetime": ZERO_TIME}


@dataclass(frozen=True)
class ObjectType:
    """One kind of managed object: collection path below /api/v1, verbs it has, properties by wire name."""

    name: str
    path: str
    verbs: frozenset[str]
    properties: Properties

    def references(self) -> dict[str, Mapping[str, Any]]:
        """Properties that point at other objects."""
        return {name: p for name, p in self.properties.items() if p["t"] == "ref"}


class Schema:
    """The schema file, ready to check bodies and fill in defaults."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.sdk: str = document["sdk"]
        self.types: Mapping[str, Any] = document["types"]
        self.objects = {
            name: ObjectType(name, o["path"], frozenset(o["verbs"]), o["properties"])
            for name, o in document["objects"].items()
        }
        self.by_path = {o.path: o for o in self.objects.values()}
        self.hidden: set[str] = set()
        """Properties that an older appliance does not know yet, as its refusals name them."""
        self.any_case = False
        """Whether names of properties in a request count without their case."""

    # --- checking what a client sends ------------------------------------------------------------------------

    def checked(self, kind: ObjectType, body: Any) -> dict[str, Any]:
        """The writable properties of a request body, checked; references stay as the client wrote them.

        Raises:
            ApiError: not an object, another type's body, an unknown or read-only property, a bad value.
        """
        if not isinstance(body, dict):
            raise errors.malformed("The JSON document is not an object.")
        out = {}
        for given, value in body.items():
            name = self._spelled(given, kind.properties)
            entry = kind.properties.get(name)
            where = f"{kind.name}.{name}"
            if entry is None or where in self.hidden:
                raise errors.unknown_property(where)
            if name in ("ClassId", "ObjectType") and value != kind.name:
                raise errors.malformed(f"The {name} '{value}' is not '{kind.name}'.")
            if name in ECHOED:
                continue
            if entry.get("ro"):
                raise errors.read_only(where)
            out[name] = self._value(entry, value, where)
        return out

    def _spelled(self, given: str, properties: Properties) -> str:
        """A property's own name for the one in a request."""
        if not self.any_case or given in properties:
            return given
        return next((name for name in properties if name.lower() == given.lower()), given)

    def _value(self, entry: Mapping[str, Any], value: Any, where: str) -> Any:
        if value is None:
            zero = self.zero(entry)
            return None if zero is OMIT else zero
        if not entry.get("list"):
            return self._single(entry, value, where)
        if not isinstance(value, list):
            raise errors.bad_value(where, "The value is not a list.")
        if not entry.get("minitems", 0) <= len(value) <= entry.get("maxitems", len(value)):
            raise errors.bad_value(where, f"The list has {len(value)} items; at most {entry.get('maxitems')} fit.")
        return [self._single(entry, item, where) for item in value]

    def _single(self, entry: Mapping[str, Any], value: Any, where: str) -> Any:
        kind = entry["t"]
        if kind == "any":
            return value
        if kind == "ref":
            return _reference(value, where)
        if kind in self.types:
            return self._nested(kind, value, where)
        _scalar(entry, value, where)
        return value

    def _nested(self, name: str, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise errors.bad_value(where, "The value is not an object.")
        name = self._subtype(name, value, where)
        nested = self.types[name]
        out = {}
        for given, item in value.items():
            key = self._spelled(given, nested["properties"])
            entry = nested["properties"].get(key)
            separator = ":" if ":" not in where else "."
            if entry is None or f"{where}{separator}{key}" in self.hidden:
                raise errors.unknown_property(f"{where}{separator}{key}")
            if key in ("ClassId", "ObjectType"):
                self._nested_class(nested, item, f"{where}{separator}{key}")
            elif not entry.get("ro"):
                out[key] = self._value(entry, item, f"{where}{separator}{key}")
        if nested["class"]:
            out["ClassId"] = out["ObjectType"] = nested["class"]
        return out

    def _subtype(self, name: str, value: Mapping[str, Any], where: str) -> str:
        """The concrete type of a polymorphic value, chosen by ClassId (or ObjectType, which loose clients send)."""
        subtypes = self.types[name].get("sub")
        if not subtypes:
            return name
        class_id = value.get("ClassId") or value.get("ObjectType")
        if class_id in subtypes:
            return str(subtypes[class_id])
        if class_id in (None, self.types[name]["class"]) and self.types[name]["class"]:
            return name
        raise errors.malformed(f"The ClassId '{class_id}' of '{where}' is not one of {', '.join(sorted(subtypes))}.")

    @staticmethod
    def _nested_class(nested: Mapping[str, Any], given: Any, where: str) -> None:
        if nested["class"] and given != nested["class"]:
            raise errors.malformed(f"The value '{given}' of '{where}' is not '{nested['class']}'.")

    # --- what the server fills in ----------------------------------------------------------------------------

    def defaults(self, kind: ObjectType) -> dict[str, Any]:
        """A fresh object: every property at its default, or at the empty value of its type."""
        return self._filled(kind.properties)

    def _filled(self, properties: Properties, depth: int = 0) -> dict[str, Any]:
        out = {}
        for name, entry in properties.items():
            zero = self.zero(entry, depth)
            if zero is not OMIT:
                out[name] = zero
        return out

    def zero(self, entry: Mapping[str, Any], depth: int = 0) -> Any:
        """Value of a property nobody has set; OMIT when no legal empty value exists."""
        if entry.get("list"):
            return OMIT if entry.get("minitems") else []
        kind = entry["t"]
        if kind == "ref":
            return None
        if kind == "any":
            return OMIT
        if kind in self.types:
            nested = self.types[kind]
            if nested["class"] in NEVER_EMPTY:
                return OMIT
            plain = nested["class"] and not nested.get("sub") and depth < 3
            return self._filled(nested["properties"], depth + 1) if plain else None
        value = entry.get("default", ZEROS[kind])
        try:
            _scalar(entry, value, "")
        except errors.ApiError:
            return OMIT
        return value

    def completed(self, entry: Mapping[str, Any], value: Any) -> Any:
        """A stored nested value with the parts nobody set filled in, as the server replies."""
        if isinstance(value, list):
            return [self.completed({**entry, "list": False}, item) for item in value]
        kind = entry["t"]
        if kind not in self.types or not isinstance(value, dict):
            return value
        subtypes = self.types[kind].get("sub", {})
        nested = self.types[subtypes.get(value.get("ClassId"), kind)]
        filled = {**self._filled(nested["properties"], 1), **value}
        return {k: self.completed(nested["properties"].get(k, {"t": "any"}), v) for k, v in filled.items()}


def _reference(value: Any, where: str) -> dict[str, Any]:
    """A reference as the client wrote it: Moid or Selector, loosely typed. Keys are checked, the target is not yet."""
    if not isinstance(value, dict):
        raise errors.bad_value(where, "The value is not a reference.")
    if value.get("ClassId", "mo.MoRef") != "mo.MoRef":
        raise errors.wrong_reference_class(value["ClassId"])
    for key, text in value.items():
        if key not in REFERENCE_KEYS:
            raise errors.unknown_property(f"{where}:{key}")
        if not isinstance(text, str):
            raise errors.bad_value(f"{where}:{key}", f"The value {json.dumps(text)} is not of type str.")
    return value


def _scalar(entry: Mapping[str, Any], value: Any, where: str) -> None:
    """Raises ApiError when the value is not of its type, enum, pattern or range."""
    kind = entry["t"]
    if kind == "datetime":
        _moment(value, where)
        return
    right = isinstance(value, PYTHON_TYPES[kind]) and (kind == "bool" or not isinstance(value, bool))
    if not right:
        raise errors.bad_value(where, f"The value {json.dumps(value)} is not of type {kind}.")
    if "enum" in entry and value not in entry["enum"]:
        raise errors.bad_value(where, f"The value '{value}' is not one of {', '.join(map(str, entry['enum'][:40]))}.")
    if "pattern" in entry and not _pattern(entry["pattern"]).search(value):
        raise errors.bad_value(where, f"The value '{value}' does not match the pattern {entry['pattern']}.")
    if (
        not entry.get("min", float("-inf"))
        <= (value if kind in ("int", "float") else 0)
        <= entry.get("max", float("inf"))
    ):
        raise errors.bad_value(where, f"The value {value} is not within {entry.get('min')} to {entry.get('max')}.")
    if kind == "str" and not entry.get("minlen", 0) <= len(value) <= entry.get("maxlen", len(value)):
        raise errors.bad_value(where, f"The value has {len(value)} characters; {entry.get('maxlen')} fit.")


def _moment(value: Any, where: str) -> None:
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise errors.bad_value(where, f"The value {json.dumps(value)} is not a time.") from None


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


@cache
def _document() -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads(gzip.decompress(FILE.read_bytes()))
    return document


def load() -> Schema:
    """A schema of its own for one account; the file is read once."""
    return Schema(_document())
