"""A stack with one value that nobody knows yet, and the stacks that it may turn out to be."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from google.protobuf.struct_pb2 import Struct
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from podwright.policies.rules.pack.properties import decode
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import Finding, NotApplicable, StackRule

Path = tuple[str | int, ...]
_WHICH = ("object_type", "name", "organization")
"""Fields that say which object of Intersight it is."""


@dataclass(frozen=True)
class Place:
    """A value of one resource of a stack."""

    stack: Sequence[Resource]
    at: int
    path: Path

    @property
    def resource(self) -> Resource:
        return self.stack[self.at]

    @property
    def value(self) -> Any:
        return _part(self.resource.props, self.path)

    @property
    def shape(self) -> tuple[str, ...]:
        """The same place in other objects: their kind, and keys without places in lists."""
        keys = ("*" if isinstance(key, int) else key for key in self.path)
        return (self.resource.type.rpartition(":")[2], *keys)

    @property
    def kind(self) -> str:
        """What tests/policies/hidden.yaml calls it: the kind of object; of our own with the field, unless it says which
        object it is; of a switch the kind of block, or the field."""
        if not self.resource.type.startswith("podwright:"):
            return self.shape[0]
        if not self.resource.type.endswith(":nxos:Switch"):
            inside = [str(key) for key in self.path if key != "spec" and key not in _WHICH]
            return " ".join((self.shape[0], *inside[:1]))
        _, *inside = map(str, self.path)
        if not inside or inside in (["hostname"], ["config"]):
            return "switch"
        return inside[1].split()[0] if inside[0] == "config" else inside[0]

    def unknown(self) -> list[Resource]:
        """The stack as the engine sends it where nobody knows the value."""
        made = Struct()
        made.update(put(self.resource.props, self.path, UNKNOWN))
        return self._with(decode(made, self.resource.urn))

    def turned_out(self, value: Any) -> list[Resource]:
        """The stack with this value there."""
        return self._with(put(self.resource.props, self.path, value))

    def _with(self, props: Any) -> list[Resource]:
        return [*self.stack[: self.at], replace(self.resource, props=props), *self.stack[self.at + 1 :]]

    def _like(self, props: Any) -> Any:
        """Where words are that it may be: the lines of a switch are lines of a switch, its other fields are not."""
        if not self.resource.type.endswith(":nxos:Switch") or len(self.path) < 2:
            return props
        spec = props.get("spec") or {}
        lines = spec.get("config") if isinstance(spec, dict) else None
        return lines if self.path[1] == "config" else {**props, "spec": {**spec, "config": None}}

    def others(self, alike: Sequence[Any]) -> Iterator[Any]:
        """Values that it may have instead: `alike`, those of other objects there; names that something in the stack
        has or names, none of these, nothing, more than there is of anything."""
        words = sorted({word for each in self.stack for word in texts(self._like(each.props))})
        yield from (each for each in alike if each != self.value)
        yield None
        yield from _changed(self.value, words)
        for path in paths(self.value):
            part = _part(self.value, path)
            if isinstance(part, str):
                yield from (put(self.value, path, each) for each in _changed(part, words))


def _changed(value: Any, words: Sequence[str]) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    if isinstance(value, dict | list):
        yield type(value)()
        yield _renamed(value)
    if isinstance(value, dict):
        yield dict.fromkeys(words, next(iter(value.values()), ""))
    if isinstance(value, str):
        yield from (*words, "other", "\n".join(f"{each}:" for each in words))
    if str(value).isdigit():
        yield from ("0", "1000000")
    if isinstance(value, str) and value.startswith("{"):
        yield json.dumps(dict.fromkeys(json.loads(value), words))
        yield json.dumps(dict.fromkeys(json.loads(value), dict.fromkeys(words, words)))


def _renamed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each) for each in value]
    return "other" if isinstance(value, str) else value


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """To every part of a value, outermost first."""
    if path:
        yield path
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths(each, (*path, key))


def texts(value: Any) -> Iterator[str]:
    """Every string in a value."""
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(each)


def _part(value: Any, path: Path) -> Any:
    return reduce(lambda inner, key: inner[key], path, value)


def put(value: Any, path: Path, part: Any) -> Any:
    """A value with another part at a path."""
    if not path:
        return part
    made: Any = dict(value) if isinstance(value, dict) else list(value)
    made[path[0]] = put(value[path[0]], path[1:], part)
    return made


def places(rule: StackRule, stack: Sequence[Resource]) -> Iterator[Place]:
    """Every value of a stack that a rule may read."""
    for at, each in enumerate(stack):
        if rule.types(each.type):
            yield from (Place(stack, at, path) for path in paths(each.props))


def found(rule: StackRule, stack: Sequence[Resource]) -> list[Finding]:
    """What a rule finds; nothing where it does not apply. Raises for a value of a type that its field does not take."""
    try:
        return rule.check(stack)
    except NotApplicable as reason:
        if reason.__cause__ is not None:
            raise TypeError from reason
        return []


def worlds(rule: StackRule, place: Place, alike: Sequence[Any], most: int | None = None) -> list[set[Finding]]:
    """What a rule finds in each stack that a place may turn out to be, but those that no API server takes; in `most` of
    them, evenly drawn, where there are more."""
    made: list[set[Finding]] = []
    values = [*{repr(each): each for each in place.others(alike)}.values()]
    for value in values[:: -(-len(values) // most) if most else 1]:
        stack = place.turned_out(value)
        try:
            if _twice(place.stack) or not _twice(stack):
                made.append({*found(rule, stack)})
        except (AttributeError, KeyError, TypeError, ValueError):
            continue
    return made


def _twice(stack: Sequence[Resource]) -> bool:
    """Whether two switches have one name, which a rule of its own finds; or two objects of Intersight, or two
    things in a list of one, which nothing takes."""
    names = [each.props["spec"]["hostname"] for each in stack if each.type.endswith(":nxos:Switch")]
    ours = [each for each in stack if each.type.startswith("podwright:") and not each.type.endswith(":nxos:Switch")]
    specs = [(each.type, each.props.get("spec") or {}) for each in ours]
    names += [(kind, each.get("object_type"), each["name"]) for kind, each in specs if each.get("name")]
    return len({*names}) < len(names) or any(_twice_inside(each) for _, each in specs)


def _twice_inside(value: Any, field: str = "") -> bool:
    """Whether a list has two things of one name, or a profile two policies of one type."""
    if isinstance(value, dict):
        return any(_twice_inside(each, key) for key, each in value.items())
    if not isinstance(value, list):
        return False
    key = {"policies": "object_type", "hosts": "name", "Classes": "Name"}.get(field)
    named = [each[key] for each in value if isinstance(each, dict) and each.get(key)]
    return len({*named}) < len(named) or any(_twice_inside(each, field) for each in value)


def lost(known: Sequence[Finding], seen: Sequence[Finding]) -> list[Finding]:
    """Findings of a stack of which everything is known that are not among those of one with something unknown; a
    sentence may name another one of several."""
    others = [each.urn for each in seen if each not in known]
    gone = []
    for each in known:
        if each in seen:
            continue
        if each.urn in others:
            others.remove(each.urn)
        else:
            gone.append(each)
    return gone
