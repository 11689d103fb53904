"""What a rule is: one pure function, and the sentences that explain it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .nexus.device import Device
from .nexus.lines import Line

Props = Mapping[str, Any]
Severity = Literal["low", "medium", "high", "critical"]


class NotApplicable(Exception):  # noqa: N818 - a verdict, not an error
    """The rule does not speak about this resource."""


@dataclass(frozen=True)
class Resource:
    """A resource as the engine shows it to a policy: type token, name, URN and properties."""

    type: str
    name: str
    urn: str
    props: Props


@dataclass(frozen=True)
class Finding:
    """A violation and the resource it stands on."""

    message: str
    urn: str


@dataclass(frozen=True, kw_only=True)
class Told:
    """What every rule says of itself; the reference pages and each finding repeat it."""

    id: str
    title: str
    why: str
    fix: str
    reference: str
    severity: Severity
    mandatory: bool = True


@dataclass(frozen=True, kw_only=True)
class Rule(Told):
    """A rule that judges each resource on its own.

    `check` yields one sentence per violation and raises NotApplicable for resources it does not speak about.
    """

    check: Callable[[Resource], Iterable[str]]


@dataclass(frozen=True, kw_only=True)
class StackRule(Told):
    """A rule that judges resources together, after every one of them is known."""

    check: Callable[[Sequence[Resource]], Iterable[Finding]]


@dataclass(frozen=True)
class Flaw:
    """A violation inside a switch's configuration: where it stands, and what to write instead."""

    message: str
    device: str
    line: Line | None = None
    """The line to change, or the one below which a line is missing; None where the whole switch is meant."""
    instead: str = ""
    """Configuration that mends it, in the switch's words."""
    related: tuple[tuple[str, Line], ...] = ()
    """Other lines it depends on, each with the switch it stands on."""


@dataclass(frozen=True, kw_only=True)
class NexusRule(Told):
    """A rule about Nexus switches, planned or found: `podwright lint` and the policy pack judge by the same one.

    `judge` is given every switch at once and raises NotApplicable where none of them is meant. `alone` says that each
    switch is judged by itself, so that a policy can report on its resource.
    """

    judge: Callable[[Sequence[Device]], Iterable[Flaw]]
    alone: bool = True


def items(value: Any) -> Iterator[Any]:
    """The members of a list property; nothing where the property is absent."""
    yield from value or ()


def strings(value: Any) -> dict[str, str]:
    """A map property as plain strings; empty where the property is absent."""
    return {str(key): str(item) for key, item in (value or {}).items()}
