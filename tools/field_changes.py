"""Which lines of a switch each field of a stack file changes, found by changing it in the examples, one at a time."""

from __future__ import annotations

import copy
import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from podwright.components import model
from podwright.components.changes.impact import Impact, impacts
from podwright.components.design import fabric
from podwright.components.model import FabricArgs, describe
from podwright.components.model.types import Spec
from tools.goldens import stack_file

SECTIONS: Final = ("fabric", "site", "domains", "hosts")
"""Sections that the network is planned from, servers' own ports aside."""
_SWITCH: Final = "podwright:nxos:Switch"
EXAMPLES: Final = ("lab", "pairs", "evpn", "prod", "unnumbered", "baseline")
"""Examples that between them have every section of a network."""

Keys = tuple[str | int, ...]


@dataclass(frozen=True)
class Place:
    """One field of one example: where it stands, what it is called in a table, what it holds and may hold."""

    keys: Keys
    name: str
    value: Any
    annotation: Any


@dataclass(frozen=True)
class FieldChange:
    """What changing a field led to."""

    example: str
    old: Any
    new: Any
    found: tuple[Impact, ...]


def places(root: Spec, keys: Keys = (), name: str = "") -> Iterator[Place]:
    """Every field that is no section of its own, and sections within others that may be left out; of many entries of a
    kind, the first."""
    for field, annotation in describe.hints(type(root)).items():
        value = getattr(root, field)
        here, called = (*keys, field), f"{name}.{field}" if name else field
        if isinstance(value, Spec):
            yield from places(value, here, called)
            if describe.shape(annotation).optional and len(here) > 1:
                yield Place(here, called, value, annotation)
        elif isinstance(value, Mapping) and value and isinstance(first := next(iter(value.values())), Spec):
            yield from places(first, (*here, next(iter(value))), f"{called}.*")
        elif isinstance(value, tuple) and value and isinstance(value[0], Spec):
            yield from places(value[0], (*here, 0), f"{called}[]")
        else:
            yield Place(here, called, value, annotation)
        if isinstance(value, Spec) and (kinds := describe.shape(annotation).variants):
            yield Place(here, called, type(value), kinds)


def others(value: Any, annotation: Any) -> Iterator[Any]:
    """Values to try in a field's place, likely ones first; of sections that are of one kind or another, the others."""
    if isinstance(value, type):
        yield from ({"kind": get_args(describe.hints(kind)["kind"])[0]} for kind in annotation if kind is not value)
        return
    if isinstance(value, Spec):
        yield None
        return
    yield from (word for word in _words(annotation) if word != value)
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield from (value + 1, value - 1, value + 100, value * 2, value // 2)
    elif isinstance(value, ipaddress.IPv4Network):
        size = value.num_addresses
        yield from (
            str(ipaddress.IPv4Network((int(value.network_address) + n * size, value.prefixlen))) for n in (7, 1)
        )
    elif isinstance(value, ipaddress.IPv4Address):
        yield from (str(value + 1), str(value + 40))
    elif value is None:
        yield from (1, 2, 64, 100, True)
    elif isinstance(value, str):
        yield from _texts(value)


def _texts(value: str) -> Iterator[str]:
    yield from (f"{value}x", value[:-1])
    if value[-1:].isdigit():
        yield f"{value[:-1]}{(int(value[-1]) + 1) % 10}"


def _words(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif get_origin(annotation) in (Union, UnionType):
        for each in get_args(annotation):
            yield from _words(each)
    elif hasattr(annotation, "__metadata__"):
        yield from _words(annotation.__origin__)


def found(names: Sequence[str] = EXAMPLES, below: Keys = ()) -> dict[str, FieldChange | None]:
    """By field, what changing it changed; None where no example takes another value there and nothing else changed."""
    table: dict[str, FieldChange | None] = {}
    for example in names:
        cluster = model.load(stack_file(example))
        dumped = cluster.model_dump(mode="json")
        for place in places(cluster):
            known = table.get(place.name)
            if place.keys[0] in SECTIONS and place.keys[: len(below)] == below and not (known and known.found):
                table[place.name] = _changed(example, dumped, cluster.network, place) or known
    return table


def between(old: FabricArgs, new: FabricArgs) -> tuple[Impact, ...]:
    """What lies between two networks, on the switches that both have."""
    before, after = network_specs(old), network_specs(new)
    return tuple(each for name in before if name in after for each in impacts(_SWITCH, before[name], after[name]))


def _changed(example: str, dumped: Any, before: FabricArgs, place: Place) -> FieldChange | None:
    tried: FieldChange | None = None
    for value in others(place.value, place.annotation):
        mapping = copy.deepcopy(dumped)
        here = mapping
        for key in place.keys[:-1]:
            here = here[key]
        here[place.keys[-1]] = value
        try:
            after = model.load(mapping).network
            impacted = between(before, after)
        except (model.SpecErrors, ValueError, KeyError):
            continue
        if isinstance(place.value, Spec) and network_specs(before).keys() != network_specs(after).keys():
            continue  # Switches that come or go have no lines to compare.
        tried = FieldChange(example, place.value, value, impacted)
        if impacted:
            return tried
    return tried


def network_specs(network: FabricArgs) -> dict[str, dict[str, Any]]:
    """What decides the class of a change of each switch: its name, configuration and cables."""
    switches = fabric.plan(network).switches
    return {
        each.hostname: {
            "hostname": each.hostname,
            "config": dict(each.config),
            "links": {port: vars(end) for port, end in each.links.items()},
        }
        for each in switches
    }
