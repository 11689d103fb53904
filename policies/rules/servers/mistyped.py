"""Rules about values that may be of any type: the provider's check names a mistyped one, and no rule ends over it.

The engine shows a policy what the provider has refused too; a traceback there would hide the refusal.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from ..rule import NotApplicable, Rule, StackRule

_Given = TypeVar("_Given")
_Found = TypeVar("_Found")


def careful(rule: Rule | StackRule) -> Rule | StackRule:
    """The rule, which does not apply where a value is not of the type that it reads."""
    if isinstance(rule, StackRule):
        return replace(rule, compare=_careful(rule.compare))
    return replace(rule, check=_careful(rule.check))


def _careful(read: Callable[[_Given], Iterable[_Found]]) -> Callable[[_Given], list[_Found]]:
    def found(given: _Given) -> list[_Found]:
        try:
            return list(read(given))
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise NotApplicable(f"a value is of another type, which its own check names: {error}") from error

    return found
