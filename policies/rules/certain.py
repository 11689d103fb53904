"""What rules that compare resources find for certain, where a preview does not know everything about some of them.

A rule that reads an unknown value is asked again without the resource that has it. What is found then is reported
unless that resource, whatever its value will be, might take the finding away: another one may be what a reference
names, a member that a count lacks, the one that carries a setting for all. Which resources might is stated with the
rule or the finding (`excused_by`). What a rule found before it came to the unknown value holds in any case.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from .resource import Resource, UnknownValueError

F = TypeVar("F")
_MANY: Final = 8
"""Resources that are left out one after another; a rule is asked once for each. After these all of a type that have an
unknown value somewhere are left out together, so that a thousand of them take no minute."""


@dataclass(frozen=True)
class Seen(Generic[F]):
    """Findings that hold whatever is not known yet, and what a rule could not look at, by URN."""

    findings: tuple[F, ...]
    unseen: dict[str, UnknownValueError]


def certain(
    compare: Callable[[Sequence[Resource]], Iterable[F]],
    resources: Sequence[Resource],
    excused: Callable[[F, Resource], bool],
    silent: type[Exception],
    unplaced: Iterable[Resource] = (),
) -> Seen[F]:
    """What `compare` finds among resources, each finding once. `excused` says whether a resource, of which not all is
    known, might take a finding away; `unplaced` are such ones that may belong to these resources or to others.

    Raises `silent` where `compare` does and knew all of what it has read.
    """
    found: dict[F, None] = {}
    left, away, unseen = list(resources), list(unplaced), dict[str, UnknownValueError]()
    while True:
        try:
            for each in compare(left):
                if not any(excused(each, one) for one in away):
                    found.setdefault(each)
        except silent:
            if not unseen:
                raise
        except UnknownValueError as unknown:
            hidden = _hidden(left, unknown, many=len(unseen) >= _MANY)
            if not hidden:
                raise
            unseen |= {each.urn: error for each, error in hidden.items()}
            left = [each for each in left if each not in hidden]
            away += hidden
            continue
        return Seen(tuple(found), unseen)


def _hidden(left: Sequence[Resource], unknown: UnknownValueError, *, many: bool) -> dict[Resource, UnknownValueError]:
    """What is left out for an unknown value: the resource that has it; of many, all of its type with one somewhere."""
    found = {each: unknown for each in left if each.urn == unknown.urn}
    if many:
        types = {each.type for each in found}
        found |= {each: error for each in left if each.type in types if (error := _first(each.props)) is not None}
    return found


def _first(value: Any) -> UnknownValueError | None:
    """What reading all of a value comes to."""
    try:
        parts = value.values() if isinstance(value, Mapping) else value
        nested = (each for each in parts if isinstance(each, Mapping | Sequence) and not isinstance(each, str))
        return next((error for each in nested if (error := _first(each)) is not None), None)
    except UnknownValueError as error:
        return error
