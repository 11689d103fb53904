"""What a field takes, in words: for hints, the reference and the editor. Read from the models, never written twice."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from ipaddress import IPv4Address, IPv4Network
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import annotated_types

from podwright.components.model.problems import Loc
from podwright.components.model.types import Derived, Spec, Words

_PLAIN = {
    bool: "true or false",
    str: "text",
    date: "a date such as 2026-10-01",
    IPv4Address: "an IPv4 address such as 192.0.2.11",
    IPv4Network: "an IPv4 network such as 10.0.0.0/16",
}


@dataclass(frozen=True)
class Shape:
    """A type with what narrows it, taken apart."""

    kind: Any
    """The bare type: int, str, a Spec class, dict, tuple, Literal …"""
    arguments: tuple[Any, ...]
    metadata: tuple[Any, ...]
    optional: bool
    variants: tuple[Any, ...] = ()
    """What a choice is between, by `kind` where all are mappings that have one; empty where there is none."""


def shape(annotation: Any) -> Shape:
    """Take `Annotated[X, …] | None` apart."""
    metadata: tuple[Any, ...] = ()
    optional = False
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            metadata = (*metadata, *annotation.__metadata__)
            annotation = annotation.__origin__
        elif origin in (Union, UnionType):
            choices = [each for each in get_args(annotation) if each is not NoneType]
            optional = optional or len(choices) < len(get_args(annotation))
            if len(choices) > 1:
                return Shape(choices[0], (), metadata, optional, tuple(choices))
            annotation = choices[0]
        else:
            return Shape(origin or annotation, get_args(annotation), metadata, optional)


@cache
def hints(model: type[Spec]) -> Mapping[str, Any]:
    """Annotations of a model's fields, with what narrows them."""
    return {name: kind for name, kind in get_type_hints(model, include_extras=True).items() if name in fields(model)}


def fields(model: type[Spec]) -> tuple[str, ...]:
    """Keys of a model, in the order they are defined."""
    return tuple(model.model_fields)


def is_model(found: Shape) -> bool:
    """Whether a shape is one of the spec's own mappings."""
    return isinstance(found.kind, type) and issubclass(found.kind, Spec)


def at(root: type[Spec], loc: Loc) -> Any | None:
    """Annotation of the value at `loc` below `root`, or None where the models have no such place."""
    current: Any = root
    for part in loc:
        here = shape(current)
        if here.variants:
            current = _chosen(here, str(part)) or _of_any(here, str(part))
        elif is_model(here):
            current = hints(here.kind).get(str(part))
        elif here.kind is dict:
            current = here.arguments[1]
        elif here.kind is tuple:
            current = here.arguments[0]
        else:
            return None
        if current is None:
            return None
    return current


def kinds(found: Shape) -> dict[str, type[Spec]]:
    """The mappings of a choice by the word that `kind` takes for each; empty for a choice of other types."""
    tags = [get_args(hints(each).get("kind")) if is_model(shape(each)) else () for each in found.variants]
    return {tag[0]: each for tag, each in zip(tags, found.variants, strict=True)} if all(tags) else {}


def union_above(root: type[Spec], loc: Loc) -> Loc | None:
    """The value at or above `loc` that may be of several types without a `kind`, None where there is none.

    What pydantic has behind it is its own name of a type.
    """
    for depth in range(len(loc) + 1):
        above = at(root, loc[:depth])
        here = shape(above) if above is not None else None
        if here is not None and here.variants and not kinds(here):
            return loc[:depth]
    return None


def _chosen(found: Shape, kind: str) -> Any | None:
    return kinds(found).get(kind)


def _of_any(found: Shape, name: str) -> Any | None:
    known = (hints(each) for each in found.variants if is_model(shape(each)))
    return next((each[name] for each in known if name in each), None)


def untagged(root: type[Spec], loc: Loc) -> Loc:
    """A path as it stands in the file: pydantic names the chosen kind behind the key of a choice."""
    plain: list[str | int] = []
    for depth, part in enumerate(loc):
        above = at(root, loc[:depth])
        here = shape(above) if above is not None else None
        if here is None or not here.variants or part not in kinds(here):
            plain.append(part)
    return tuple(plain)


def words(annotation: Any) -> str:
    """What to write: "a whole number from 1 to 63", 'one of "on", "off"', "a list of …"."""
    found = shape(annotation)
    text = _words(found)
    return f"{text}, or null" if found.optional else text


def _words(found: Shape) -> str:
    text = next((each.text for each in found.metadata if isinstance(each, Words)), None)
    if text is not None:
        return text
    if found.variants:
        tags = ", ".join(kinds(found))
        return f"a mapping with kind: one of {tags}" if tags else ", or ".join(map(words, found.variants))
    if found.kind is Literal:
        choices = [f'"{each}"' if isinstance(each, str) else str(each) for each in found.arguments]
        return choices[0] if len(choices) == 1 else f"one of {', '.join(choices)}"
    if found.kind in (int, float):
        return _number(found)
    if found.kind is tuple:
        return f"a list of {words(found.arguments[0])}"
    if found.kind is dict:
        return f"a mapping from {words(found.arguments[0])} to {words(found.arguments[1])}"
    if is_model(found):
        return f"a mapping with {', '.join(required(found.kind)) or 'keys among ' + ', '.join(fields(found.kind))}"
    return _PLAIN.get(found.kind, "a value")


def required(model: type[Spec]) -> tuple[str, ...]:
    """Keys that a file must have: they have no default, and nothing derives them."""
    return tuple(name for name, info in model.model_fields.items() if info.is_required() and not derived(model, name))


def derived(model: type[Spec], name: str) -> str:
    """What a field is where a file leaves it out, in words; empty where it cannot be left out so."""
    found = shape(hints(model)[name]).metadata
    return next((each.text for each in found if isinstance(each, Derived)), "")


def _number(found: Shape) -> str:
    noun = "a whole number" if found.kind is int else "a number"
    low, high, above, steps = None, None, None, ""
    for each in constraints(found.metadata):
        low = each.ge if isinstance(each, annotated_types.Ge) else low
        high = each.le if isinstance(each, annotated_types.Le) else high
        above = each.gt if isinstance(each, annotated_types.Gt) else above
        steps = f" in steps of {each.multiple_of}" if isinstance(each, annotated_types.MultipleOf) else steps
    if above is not None and high is not None:
        return f"{noun} above {above}, at most {high}"
    if low is not None and high is not None:
        return f"{noun} from {low} to {high}{steps}"
    return f"{noun} of at least {low}" if low is not None else noun


def constraints(metadata: tuple[Any, ...]) -> Iterator[Any]:
    """Single constraints, those inside pydantic's `Field` too."""
    for each in metadata:
        yield each
        yield from getattr(each, "metadata", ())
