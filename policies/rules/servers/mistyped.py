"""Rules about values that may be of any type: the provider's check names a mistyped one, and no rule ends over it.

The engine shows a policy what the provider has refused too; a traceback there would hide the refusal.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from ..resource import UnknownValueError
from ..rule import NotApplicable, Rule, StackRule

_Given = TypeVar("_Given")
_Found = TypeVar("_Found")


def careful(rule: Rule | StackRule) -> Rule | StackRule:
    """The rule, which does not apply where a value is not of the type that it reads."""
    if isinstance(rule, StackRule):
        return replace(rule, compare=_careful(rule.compare))
    return replace(rule, check=_careful(rule.check))


def _careful(read: Callable[[_Given], Iterable[_Found]]) -> Callable[[_Given], Iterator[_Found]]:
    def found(given: _Given) -> Iterator[_Found]:
        seen: list[_Found] = []
        try:
            seen.extend(read(given))
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise NotApplicable(f"a value is of another type, which its own check names: {error}") from error
        except UnknownValueError as unknown:
            return _before(seen, unknown)
        return iter(seen)

    return found


def _before(seen: Iterable[_Found], unknown: UnknownValueError) -> Iterator[_Found]:
    """What was found before an unknown value was read, which holds whatever it is."""
    yield from seen
    raise unknown
