"""What a preview registered, read from the plan that Pulumi saves, and how its resources depend on each other."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

STACK: Final = "pulumi:pulumi:Stack"
PROVIDERS: Final = "pulumi:providers:"
JOIN: Final = ":Join"
"""Ends the type token of the small resources whose only purpose is to be waited for."""


@dataclass(frozen=True)
class Registration:
    """One resource as the program registered it; what it depends on by URN."""

    urn: str
    type: str
    name: str
    custom: bool
    inputs: dict[str, Any]
    parent: str
    dependencies: tuple[str, ...]
    """What it was told to wait for and what its inputs come from, as the engine knows it."""
    sources: tuple[str, ...] = ()
    """Those of them that its inputs come from."""

    @property
    def join(self) -> bool:
        """Whether it only joins others."""
        return self.type.endswith(JOIN)

    def takes(self, other: "Registration") -> bool:
        """Whether its inputs come from the other one, or refer to the object that the other one makes."""
        return other.urn in self.sources or (other.object is not None and other.object in _references(self.inputs))

    @property
    def object(self) -> tuple[str, str] | None:
        """Object type and name of the object that it makes, where its inputs give them."""
        return _named(self.inputs.get("spec"))


def read(plan: Path) -> list[Registration]:
    """Every resource of a saved plan, each behind its parent and what it depends on."""
    goals = {urn: each["goal"] for urn, each in json.loads(plan.read_text())["resourcePlans"].items()}
    found = {urn: _registration(urn, goal) for urn, goal in goals.items()}
    ordered: dict[str, Registration] = {}
    for urn in found:
        _place(urn, found, ordered)
    return list(ordered.values())


def _registration(urn: str, goal: Mapping[str, Any]) -> Registration:
    by_property = [each for urns in goal.get("propertyDependencies", {}).values() for each in urns or ()]
    inputs = goal.get("inputDiff", {}).get("adds", {})
    return Registration(
        urn=urn,
        type=goal["type"],
        name=goal["name"],
        custom=goal["custom"],
        inputs=inputs,
        parent=goal.get("parent", ""),
        dependencies=tuple(dict.fromkeys([*(goal.get("dependencies") or ()), *by_property])),
        sources=tuple(dict.fromkeys(by_property)),
    )


def _references(value: Any) -> Iterator[tuple[str, str]]:
    """What is referred to by name anywhere below `references`, as {"object_type", "name"}."""
    if isinstance(value, list):
        for inner in value:
            yield from _references(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key == "references":
                yield from (named for each in _every(inner) if (named := _named(each)))
            yield from _references(inner)


def _every(references: Mapping[str, Any]) -> Iterator[Any]:
    """A property refers to one object or to a list of them."""
    for value in references.values():
        yield from value if isinstance(value, list) else [value]


def _named(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, dict) or not {"object_type", "name"} <= set(value):
        return None
    return str(value["object_type"]), str(value["name"])


def _place(urn: str, found: Mapping[str, Registration], ordered: dict[str, Registration]) -> None:
    if urn in found and urn not in ordered:
        for other in (found[urn].parent, *found[urn].dependencies):
            _place(other, found, ordered)
        ordered[urn] = found[urn]


@dataclass(frozen=True)
class Edges:
    """How resources depend on each other; the stack, providers and the edges to them are not counted."""

    resources: int
    joins: int
    to_joins: int
    """Edges that end at a join, or begin at one."""
    data: int
    """All others: an input of one is an output of the other, or it was told to wait."""
    most: int
    """Most that a resource was told to wait for; joins, and what its inputs come from or refer to, are not counted."""
    of: str
    """The resource that was told so."""


def edges(registrations: list[Registration]) -> Edges:
    """Count them."""
    known = {each.urn: each for each in registrations if not each.type.startswith((STACK, PROVIDERS))}
    pairs = list(_pairs(known))
    of_each = {each.urn: 0 for each in known.values() if not each.join}
    for one, other in pairs:
        if not one.join and not one.takes(other):
            of_each[one.urn] += 1
    worst = max(of_each, key=of_each.__getitem__)
    to_joins = sum(one.join or other.join for one, other in pairs)
    return Edges(
        resources=len(known),
        joins=sum(each.join for each in known.values()),
        to_joins=to_joins,
        data=len(pairs) - to_joins,
        most=of_each[worst],
        of=worst.rpartition("::")[0].rpartition("$")[2] + "::" + worst.rpartition("::")[2],
    )


def _pairs(known: Mapping[str, Registration]) -> Iterator[tuple[Registration, Registration]]:
    for each in known.values():
        yield from ((each, known[other]) for other in each.dependencies if other in known)
