"""Leaves of Kubernetes objects, and objects without one of them.

Two objects have one role if they are of one kind and have the same leaves, whatever the values and however long the
lists: the eight SR-IOV policies of a pool are one role. The first of each role by its name stands for all.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from podwright.components import model
from tests.platforms.planned import Object, objects
from tools import goldens

Path = tuple[str | int, ...]
IDENTITY: Final = (("apiVersion",), ("kind",), ("metadata", "name"))
"""What an object is, not what it has: without one of these there is no request to send."""
_NAMESPACE: Final = ("metadata", "namespace")


@dataclass(frozen=True)
class Leaf:
    """A value that is no container, or an empty container, of the object at a position of the plan."""

    at: int
    kind: str
    object: str
    path: Path

    @property
    def pointer(self) -> str:
        """The path as RFC 6901 writes it."""
        return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in self.path)

    @property
    def name(self) -> str:
        """Kind and pointer: what harmless.yaml names a leaf by."""
        return f"{self.kind} {self.pointer}"

    @property
    def place(self) -> str:
        """Kind, object with its namespace, and pointer."""
        return f"{self.kind} {self.object} {self.pointer}"

    def dropped(self, planned: list[Object]) -> list[Object]:
        """The plan without this leaf; whatever has none of it is the same object as before."""
        changed = copy.deepcopy(planned[self.at])
        owner: Any = changed
        for step in self.path[:-1]:
            owner = owner[step]
        del owner[self.path[-1]]
        if self.path == _NAMESPACE:
            changed["metadata"]["namespace"] = "default"  # where an API server's clients put it then
        return [*planned[: self.at], changed, *planned[self.at + 1 :]]


def leaves(planned: list[Object]) -> list[Leaf]:
    """Every leaf of the first object of each role."""
    roles: set[tuple[object, ...]] = set()
    found: list[Leaf] = []
    for at, each in enumerate(planned):
        paths = [path for path in _paths(each, ()) if path not in IDENTITY]
        role = (each["apiVersion"], each["kind"], frozenset(map(_shape, paths)))
        if role not in roles:
            roles.add(role)
            found += [Leaf(at, each["kind"], "/".join(filter(None, _place(each))), path) for path in paths]
    return found


def _shape(path: Path) -> Path:
    return tuple("*" if isinstance(step, int) else step for step in path)


def _paths(value: Any, path: Path) -> Iterator[Path]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not inner or not value:
        yield path
    for step, each in inner:
        yield from _paths(each, (*path, step))


def without(planned: list[Object], dropped: Iterable[Leaf]) -> list[Object]:
    """The plan without several leaves; later members of a list go first, so that earlier ones stay where they are."""
    for leaf in sorted(dropped, key=lambda leaf: [str(step).zfill(4) for step in leaf.path], reverse=True):
        planned = leaf.dropped(planned)
    return planned


def plan(example: str) -> list[Object]:
    """Objects of an example, in an order of their own: that of registration differs from run to run."""
    found = objects(model.load(goldens.stack_file(example)))
    return sorted(found, key=lambda each: (each["apiVersion"], each["kind"], *_place(each)))


def _place(found: Object) -> tuple[str, str]:
    return str(found["metadata"].get("namespace", "")), str(found["metadata"]["name"])
