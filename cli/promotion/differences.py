"""In what two clusters differ by meaning: value by value, defaults included, and what a site has of its own marked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from podwright.cli.promotion.identity import identifies
from podwright.components import model
from podwright.components.model import describe
from podwright.components.model.problems import Loc

ABSENT = object()
"""In place of a value that a stack does not have."""


@dataclass(frozen=True)
class Difference:
    """One value that two stacks do not have alike."""

    loc: Loc
    path: tuple[str, ...]
    """The same with `*` for the names of entries."""
    first: object
    second: object
    identity: bool
    """Whether it is one of those that tell two sites apart."""

    @property
    def kind(self) -> Literal["changed", "first only", "second only"]:
        """Where the value is."""
        if self.second in (None, ABSENT):
            return "first only"
        return "second only" if self.first in (None, ABSENT) else "changed"


def differences(first: model.Cluster, second: model.Cluster) -> list[Difference]:
    """Every difference, in the order of the sections."""
    return list(_between(_data(first), _data(second), model.Cluster, (), ()))


def _data(cluster: model.Cluster) -> dict[str, Any]:
    made = cluster.model_dump(mode="json")
    # A waiver is of a rule and a resource, wherever it is in the list; a resource's name begins with the cluster's.
    made["waivers"] = {
        f"{each['rule']} on {each.pop('resource').removeprefix(f'{cluster.name}-')}": each for each in made["waivers"]
    }
    return made


def _between(first: object, second: object, annotation: Any, loc: Loc, path: tuple[str, ...]) -> Iterator[Difference]:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        names = _names(annotation, loc)
        for key in {**first, **second}:
            below = (*path, "*" if names else str(key))
            inner = describe.at(model.Cluster, (*loc, key)) if annotation is not None else None
            pair = first.get(key, ABSENT), second.get(key, ABSENT)
            yield from _between(*pair, inner, (*loc, key), below)
    elif first != second and not (_nothing(first) and _nothing(second)):
        alone = _nothing(first) or _nothing(second)
        yield Difference(loc, path, first, second, identifies(path, alone=alone))


def _names(annotation: Any, loc: Loc) -> bool:
    """Whether the keys at a place are names that people give."""
    return loc == ("waivers",) or (annotation is not None and describe.shape(annotation).kind is dict)


def _nothing(value: object) -> bool:
    return value is None or value is ABSENT
