"""Types of the models as types of a Pulumi package schema.

A mapping with fields is an object type ``podwright:model:<Class>``; a choice of words an enum; a choice between
mappings, told apart by `kind`, a `oneOf` with that discriminator. What narrows a value further (a range, a pattern)
stands in its description, as the hints of the offline check have it.
"""

from __future__ import annotations

import datetime
import inspect
import ipaddress
from dataclasses import replace
from typing import Any, Literal, is_typeddict

from podwright.components.model import describe, handover
from podwright.components.schema.arguments import Argument, arguments
from podwright.components.schema.names import camel, closed

PACKAGE = "podwright"
ANY = "pulumi.json#/Any"
_SCALARS = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    datetime.date: "string",
    ipaddress.IPv4Address: "string",
    ipaddress.IPv4Network: "string",
}
_KIND = "kind"
_OBVIOUS = tuple(
    f"{word}{null}"
    for word in ("text", "true or false", "a value", "a whole number", "a number")
    for null in ("", ", or null")
)
"""Words for a type that say no more than its name."""
Json = dict[str, Any]


class Types:
    """The types of a package, each made when it is first needed."""

    def __init__(self) -> None:
        self.made: dict[str, Json] = {}
        self._of: dict[str, Any] = {}

    def property(self, field: Argument, owner: str) -> Json:
        """A field of `owner` as a property: type and description."""
        if field.name == _KIND and _one(field):
            made: Json = {"type": "string", "const": _one(field), "plain": True}
        else:
            made = self.of(field.annotation, f"{owner}_{field.name}", plain=field.plain)
        return {**made, "description": _text(field)}

    def of(self, annotation: Any, place: str, *, plain: bool) -> Json:
        """The type of an annotation; `place` names an enum that has no name of its own."""
        found = describe.shape(annotation)
        made: Json
        if found.variants:
            made = self._choice(found.variants, place, plain=plain)
        elif closed(found.kind):
            made = {"$ref": self._object(found.kind)}
        elif found.kind is Literal:
            made = self._words(found.arguments, place)
        elif found.kind is tuple:
            made = {"type": "array", "items": self.of(found.arguments[0], place, plain=plain)}
        elif found.kind is dict:
            made = {"type": "object", "additionalProperties": self.of(found.arguments[1], place, plain=plain)}
        elif found.kind in _SCALARS:
            made = {"type": _SCALARS[found.kind]}
        else:
            made = {"$ref": ANY}
        return {**made, "plain": True} if plain else made

    def _object(self, kind: type[Any]) -> str:
        token = f"{PACKAGE}:model:{kind.__name__}"
        reference = f"#/types/{token}"
        assert self._of.setdefault(token, kind) is kind, f"two types would be called {token}"
        if token in self.made:
            return reference
        made: Json = {"type": "object", "description": inspect.cleandoc(kind.__doc__ or "")}
        self.made[token] = made  # before its fields: a type may hold itself
        fields = arguments(kind)
        # The names of a resource's spec are as states hold them; a schema cannot change those.
        spelled = str if is_typeddict(kind) else camel
        made["properties"] = {spelled(each.name): self.property(_handed(each, kind), kind.__name__) for each in fields}
        made["required"] = [spelled(each.name) for each in fields if each.required]
        return reference

    def _choice(self, variants: tuple[Any, ...], place: str, *, plain: bool) -> Json:
        if not all(closed(each) for each in variants):
            return {"oneOf": [self.of(each, place, plain=plain) for each in variants]}
        references = {word: self._object(each) for word, each in describe.kinds(_between(variants)).items()}
        return {
            "oneOf": [{"$ref": reference, **({"plain": True} if plain else {})} for reference in references.values()],
            "discriminator": {"propertyName": _KIND, "mapping": references},
        }

    def _words(self, choices: tuple[Any, ...], place: str) -> Json:
        whole = all(isinstance(each, int) for each in choices)
        name = "".join(part[:1].upper() + part[1:] for part in place.split("_"))
        token = f"{PACKAGE}:model:{name}"
        assert self._of.setdefault(token, choices) == choices, f"two types would be called {token}"
        self.made[token] = {
            "type": "integer" if whole else "string",
            "enum": [{"value": each, **({"name": f"N{each}"} if whole else {})} for each in choices],
        }
        return {"$ref": f"#/types/{token}"}


def _handed(field: Argument, kind: type[Any]) -> Argument:
    """A field of what one component hands another, as a type that takes itself.

    Pulumi YAML 1.19 refuses an output with an enum inside where an input is of that very type.
    """
    loose = kind.__module__ == handover.__name__ and _words_inside(field.annotation)
    return replace(field, annotation=Any) if loose else field


def _words_inside(annotation: Any) -> bool:
    found = describe.shape(annotation)
    if closed(found.kind):
        return any(_words_inside(each.annotation) for each in arguments(found.kind))
    return found.kind is Literal or any(_words_inside(each) for each in found.arguments if each is not Ellipsis)


def _between(variants: tuple[Any, ...]) -> describe.Shape:
    return describe.Shape(variants[0], (), (), False, variants)


def _one(field: Argument) -> str:
    """The only word that a field takes, empty where it takes others."""
    found = describe.shape(field.annotation)
    return str(found.arguments[0]) if found.kind is Literal and len(found.arguments) == 1 else ""


def _text(field: Argument) -> str:
    """A field's documentation, what to write where that is not its type alone, and its default."""
    parts = [" ".join(field.text.split())]
    if not _one(field) and not _obvious(_innermost(field.annotation)):
        parts.append(f"Write {describe.words(field.annotation).removesuffix(', or null')}.")
    if not field.required and isinstance(field.default, bool | int | float | str):
        shown = str(field.default).lower() if isinstance(field.default, bool) else field.default
        parts.append(f"Default: {shown}.")
    return " ".join(part for part in parts if part)


def _innermost(annotation: Any) -> Any:
    """What a list or a mapping is of."""
    found = describe.shape(annotation)
    if found.kind in (tuple, dict) and found.arguments:
        return _innermost(found.arguments[0 if found.kind is tuple else 1])
    return annotation


def _obvious(annotation: Any) -> bool:
    """Whether a type's name says all there is to say of it."""
    found = describe.shape(annotation)
    return bool(found.variants) or closed(found.kind) or describe.words(annotation) in _OBVIOUS
