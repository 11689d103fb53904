"""Leaf-by-leaf difference of two property maps, and the property paths that name the leaves.

Maps here are keyed by configuration lines and file names (``interface Ethernet1/1``), so path segments hold
dots, slashes, spaces and quotes; `render` writes them the way the engine's path parser reads them back
(``spec.config["interface Ethernet1/1"]``; grammar: sdk/go/common/resource/property_path.go).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

Path = tuple[str | int, ...]
Change = Literal["add", "delete", "update"]


class Unknown:
    """A value that only an operation still to come will tell."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()

_PLAIN = re.compile(r"^[A-Za-z_][A-Za-z0-9_-]*$")


def render(path: Path) -> str:
    """The engine's spelling of a path: ``spec.hosts[0]["a.b"]``.

    The engine's grammar cannot spell a key that ends in a backslash; the path then stops at the parent.
    """
    text = ""
    for segment in path:
        if isinstance(segment, str) and segment.endswith("\\"):
            return text
        if isinstance(segment, int):
            text += f"[{segment}]"
        elif _PLAIN.match(segment):
            text += f".{segment}" if text else segment
        else:
            escaped = segment.replace('"', '\\"')
            text += f'["{escaped}"]'
    return text


@dataclass(frozen=True)
class Difference:
    """Changed leaves by path; `replaces` holds those that need a new object."""

    changes: Mapping[Path, Change] = field(default_factory=dict)
    replaces: frozenset[Path] = frozenset()
    delete_before_replace: bool = False

    def replacing(self, *prefixes: Path) -> Difference:
        """The same difference, with every changed leaf at or below one of `prefixes` asking for replacement.

        A leaf whose parent vanished altogether (its path is a prefix of the asked one) counts as well.
        """
        hit = {path for path in self.changes if any(_related(path, prefix) for prefix in prefixes)}
        return replace(self, replaces=self.replaces | hit)

    def without(self, *prefixes: Path) -> Difference:
        """The same difference, silent about every leaf at or below one of `prefixes`."""
        elsewhere = {p: c for p, c in self.changes.items() if not any(p[: len(x)] == x for x in prefixes)}
        return replace(self, changes=elsewhere, replaces=frozenset(self.replaces & elsewhere.keys()))


def _related(path: Path, prefix: Path) -> bool:
    shorter = min(len(path), len(prefix))
    return path[:shorter] == prefix[:shorter]


def leaf_difference(old: Any, new: Any) -> Difference:
    """One entry per leaf that differs between `old` and `new`.

    An empty map or list is a leaf of its own. An unknown on the new side may change, so it is an update (an
    add where there was nothing). ``True`` and ``1`` differ, ``1`` and ``1.0`` do not (the wire has one
    number type).
    """
    return Difference(changes=dict(_walk((), old, new)))


def _walk(path: Path, old: Any, new: Any) -> Iterator[tuple[Path, Change]]:
    if isinstance(new, Unknown) or isinstance(old, Unknown):
        yield path, "update"
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _walk_maps(path, old, new)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _walk_lists(path, old, new)
    elif not _same_leaf(old, new):
        yield path, "update"


def _walk_maps(path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[Path, Change]]:
    for key in _ordered(old, new):
        here = (*path, key)
        if key not in new:
            yield from _every_leaf(here, old[key], "delete")
        elif key not in old:
            yield from _every_leaf(here, new[key], "add")
        else:
            yield from _walk(here, old[key], new[key])


def _walk_lists(path: Path, old: list[Any], new: list[Any]) -> Iterator[tuple[Path, Change]]:
    for index in range(max(len(old), len(new))):
        here = (*path, index)
        if index >= len(new):
            yield from _every_leaf(here, old[index], "delete")
        elif index >= len(old):
            yield from _every_leaf(here, new[index], "add")
        else:
            yield from _walk(here, old[index], new[index])


def _ordered(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterable[str]:
    return [*old, *(key for key in new if key not in old)]


def _every_leaf(path: Path, value: Any, change: Change) -> Iterator[tuple[Path, Change]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _every_leaf((*path, key), inner, change)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from _every_leaf((*path, index), inner, change)
    else:
        yield path, change


def _same_leaf(old: Any, new: Any) -> bool:
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    return bool(old == new)
