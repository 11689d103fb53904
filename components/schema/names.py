"""Names outside are camelCase, as in every Pulumi package; names inside are the models' own."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, is_typeddict

from podwright.components.model import describe
from podwright.components.model.problems import Loc
from podwright.components.schema.arguments import arguments

_SNAKE = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")


def camel(name: str) -> str:
    """`links_per_pair` as linksPerPair."""
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def outside(text: str, kind: Any) -> str:
    """A sentence about a closed mapping, with the names of its fields, and of what is in it, as outside."""
    known = _names(kind, set())
    return _SNAKE.sub(lambda match: camel(match[0]) if match[0] in known else match[0], text)


def _names(annotation: Any, seen: set[Any]) -> set[str]:
    found = describe.shape(annotation)
    names: set[str] = set()
    for kind in found.variants or (found.kind, *found.arguments):
        if closed(kind) and kind not in seen:
            seen.add(kind)
            for name, inner in children(kind).items():
                names |= {name} | _names(inner, seen)
        elif kind in found.arguments:
            names |= _names(kind, seen)
    return names


def closed(kind: Any) -> bool:
    """Whether a type is a mapping whose keys are fields of ours, and not names of the operator's."""
    if not isinstance(kind, type):
        return False
    return describe.is_model(describe.shape(kind)) or dataclasses.is_dataclass(kind) or is_typeddict(kind)


def children(kind: Any) -> dict[str, Any]:
    """Types of the fields of a closed mapping."""
    return {each.name: each.annotation for each in arguments(kind)}


def inside(value: Any, annotation: Any) -> Any:
    """A value as it was written outside, with the models' names; whole numbers are whole numbers again.

    The models' own spelling passes too: what a component hands out untyped, and what stands in a stack file, has it.
    """
    found = describe.shape(annotation)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        chosen = _chosen(found, value)
        if chosen is not None:
            return _fields(value, chosen)
        of = found.arguments[1] if found.kind is dict and len(found.arguments) == 2 else Any
        # The wire keeps no order; without one of its own a plan would differ from run to run.
        return {key: inside(each, of) for key, each in sorted(value.items())}
    if isinstance(value, list | tuple):
        of = found.arguments[0] if found.kind is tuple and found.arguments else Any
        return [inside(each, of) for each in value]
    return value


def _chosen(found: describe.Shape, value: Any) -> Any | None:
    """The closed mapping that a value is of, None for any other value: by `kind`, or else by its keys."""
    tags = describe.kinds(found)
    if tags:
        return tags[value["kind"]] if isinstance(value, Mapping) and value.get("kind") in tags else None
    if not found.variants:
        return found.kind if closed(found.kind) else None
    spelled = [(each, {*children(each), *map(camel, children(each))}) for each in found.variants if closed(each)]
    return next((each for each, known in spelled if isinstance(value, Mapping) and set(value) <= known), None)


def _fields(value: Mapping[str, Any], kind: Any) -> dict[str, Any]:
    known = children(kind)
    spelled = {camel(name): name for name in known}
    made: dict[str, Any] = {}
    for key, each in sorted(value.items()):
        name = spelled.get(key, key)
        if name in made:
            made[f"{key} "] = each  # said twice: no field ends in a blank
        else:
            made[name] = inside(each, known[name]) if name in known else each
    return made


def written(value: Any, annotation: Any) -> Any:
    """A value in the models' names as a program of another language reads and writes it: `inside` undone."""
    if value is None:
        return None
    found = describe.shape(annotation)
    kind = _chosen(found, value)
    if kind is not None:
        return {camel(key): written(each, children(kind)[key]) for key, each in value.items()}
    if isinstance(value, Mapping):
        of = found.arguments[1] if found.kind is dict and len(found.arguments) == 2 else Any
        return {key: written(each, of) for key, each in value.items()}
    if isinstance(value, list | tuple):
        of = found.arguments[0] if found.kind is tuple and found.arguments else Any
        return [written(each, of) for each in value]
    return value


def path(loc: Loc, annotation: Any) -> str:
    """A place in the models as a property path of the outside: fabric.leaves.leaf-01.linksPerPair[2]."""
    text = ""
    here: Any = annotation
    for part in loc:
        name, here = _step(part, here)
        text += f"[{name}]" if isinstance(name, int) else f".{name}" if text else str(name)
    return text


def _step(part: str | int, annotation: Any) -> tuple[str | int, Any]:
    if annotation is None:
        return part, None
    found = describe.shape(annotation)
    kinds = found.variants or (found.kind,)
    for kind in kinds:
        if closed(kind) and str(part).strip() in children(kind):
            name = str(part).strip()
            # Said twice: the second spelling is what is wrong.
            return (camel(name) if part == name else name), children(kind)[name]
    if found.kind is dict:
        return part, found.arguments[1]
    if found.kind is tuple and found.arguments:
        return part, found.arguments[0]
    return part, None
