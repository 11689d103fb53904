"""Questions about values of which a preview does not know some: one that is not known keeps no other from being asked.

What stands in a list or is found by a key is asked for in the order of what is known: known things first, then what the
others came to is raised. Where the order of a list counts, `items` reads it as it is.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from ..resource import UnknownValueError
from ..rule import NotApplicable, apart, known, perhaps

T = TypeVar("T")
Found = TypeVar("Found")
Part = Callable[[Any], Any]


def sifted(test: Callable[[T], object], things: Iterable[T]) -> Iterator[T]:
    """The things that pass a test."""
    unknown: UnknownValueError | None = None
    for each in things:
        try:
            passes = test(each)
        except UnknownValueError as first:
            unknown = unknown or first
            continue
        if passes:
            yield each
    if unknown is not None:
        raise unknown


def each_of(made: Callable[[T], Found], things: Iterable[T]) -> Iterator[Found]:
    """What is made of each thing, such as a part of it."""
    found, unknown = known(things)
    yield from apart(_one(made, each) for each in found)
    if unknown is not None:
        raise unknown


def _one(made: Callable[[T], Found], thing: T) -> Iterator[Found]:
    yield made(thing)


def members(value: Any) -> Iterator[Any]:
    """The members of a list property, or the values of a map; nothing where the property is absent."""
    listed = value or ()
    return each_of(listed.__getitem__, list(listed) if isinstance(listed, Mapping) else range(len(listed)))


def asked(ask: Callable[[T], Iterable[Found]], things: Iterable[T], silent: str = "") -> Iterator[Found]:
    """What a question finds of each thing. Raises NotApplicable, with `silent`, where there is none to ask about."""
    found, unknown = known(things)
    if silent and not found and unknown is None:
        raise NotApplicable(silent)
    yield from apart(_all(ask, each) for each in found)
    if unknown is not None:
        raise unknown


def _all(ask: Callable[[T], Iterable[Found]], thing: T) -> Iterator[Found]:
    yield from ask(thing)


def all_of(questions: Iterable[Callable[[], Iterable[Found]]]) -> Iterator[Found]:
    """What several questions find."""
    return asked(_now, questions)


def any_of(tests: Iterable[Callable[[], object]]) -> bool:
    """Whether a test holds."""
    return holds(_now, tests)


def all_hold(tests: Iterable[Callable[[], object]]) -> bool:
    """Whether every test holds."""
    return not any_of(partial(_fails, test) for test in tests)


def _fails(test: Callable[[], object]) -> bool:
    return not test()


def _now(ask: Callable[[], T]) -> T:
    return ask()


def holds(test: Callable[[T], object], things: Iterable[T]) -> bool:
    """Whether something passes a test."""
    return any(True for _ in sifted(test, things))


def joined(things: Iterable[T], say: Callable[[list[T]], Found]) -> Iterator[Found]:
    """One sentence about all of the things that are known, where there is one."""
    found, unknown = known(things)
    if found:
        yield say(found)
    if unknown is not None:
        raise unknown


def differ(one: Any, two: Any) -> bool:
    """Whether two values are not the same, by what is known of them."""
    if isinstance(one, Mapping) and isinstance(two, Mapping):
        return {*one} != {*two} or holds(lambda key: differ(one[key], two[key]), one)
    if _is_list(one) and _is_list(two):
        return len(one) != len(two) or holds(lambda at: differ(one[at], two[at]), range(len(one)))
    return bool(one != two)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


@dataclass(frozen=True)
class Some(Generic[T]):
    """Things of which one is, or is not; and what came of others that are not known."""

    things: frozenset[T]
    unknown: UnknownValueError | None

    def has(self, thing: T) -> bool:
        """Whether it is one of them."""
        if thing not in self.things and self.unknown is not None:
            raise self.unknown.with_traceback(None)
        return thing in self.things

    def without(self, others: "Some[T]") -> Iterator[T]:
        """Those that are not among the others."""
        for each in sorted(self.things - others.things):  # type: ignore[type-var]
            if others.unknown is not None:
                raise others.unknown.with_traceback(None)
            yield each
        if self.unknown is not None:
            raise self.unknown.with_traceback(None)


def some(things: Iterable[T]) -> Some[T]:
    """Things, read as far as they are known."""
    found, unknown = known(things)
    return Some(frozenset(found), unknown)


def indexed(things: Iterable[T], *parts: Part) -> Mapping[Any, T]:
    """Things by key, which is a part of each, or several: of two with one key the last.

    To ask for a key that is not there raises what the thing came to that may have it.
    """
    found: dict[Any, T] = {}
    unplaced: list[tuple[T, UnknownValueError]] = []
    there, unknown = known(things)
    for each in there:
        try:
            found[_key(each, parts)] = each
        except UnknownValueError as first:
            unplaced.append((each, first))
    return PartlyIndexed(found, parts, unplaced, unknown) if unplaced or unknown is not None else found


def _key(thing: Any, parts: Sequence[Part]) -> Any:
    return tuple(part(thing) for part in parts) if len(parts) > 1 else parts[0](thing)


def _has(part_and_value: tuple[Part, Any], thing: Any) -> bool:
    part, value = part_and_value
    return bool(part(thing) == value)


class PartlyIndexed(Mapping[Any, T]):
    """Things by key, of which not every key is known."""

    def __init__(
        self,
        found: dict[Any, T],
        parts: Sequence[Part],
        unplaced: Sequence[tuple[T, UnknownValueError]],
        unknown: UnknownValueError | None,
    ) -> None:
        self._found, self._parts, self._unplaced, self._unknown = found, parts, unplaced, unknown

    def __getitem__(self, key: Any) -> T:
        if key not in self._found:
            for each, unknown in self._unplaced:
                if self._may_have(each, key):
                    raise unknown.with_traceback(None)
            if self._unknown is not None:
                raise self._unknown.with_traceback(None)
        return self._found[key]

    def _may_have(self, thing: T, key: Any) -> bool:
        values = key if len(self._parts) > 1 else (key,)
        return all(perhaps(partial(_has, each), thing) for each in zip(self._parts, values, strict=True))

    def __iter__(self) -> Iterator[Any]:
        yield from self._found
        for unknown in (*(each for _, each in self._unplaced), self._unknown):
            if unknown is not None:
                raise unknown.with_traceback(None)

    def __len__(self) -> int:
        return sum(1 for _ in self)
