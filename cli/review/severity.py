"""Severities in their order, and from which on a command fails."""

from collections.abc import Iterable
from typing import Final, Literal

from podwright.policies.rules.rule import Severity

FailOn = Literal["high", "medium", "low"]
ORDER: Final[tuple[Severity, ...]] = ("low", "medium", "high", "critical")


def reached(severities: Iterable[Severity], least: FailOn | None) -> bool:
    """Whether some finding is as severe as `least`, or more so; None: none ever is."""
    return least is not None and any(ORDER.index(each) >= ORDER.index(least) for each in severities)
