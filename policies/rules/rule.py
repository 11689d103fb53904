"""What a rule is: one pure function, the resources it is about, and the sentences that explain it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from .certain import Seen, certain
from .clusters import by_cluster
from .guides import guides
from .nexus.device import Device
from .nexus.lines import Line
from .quantity import quantity
from .resource import Resource, UnknownValueError

Props = Mapping[str, Any]
TypeTest = Callable[[str], bool]
"""Whether a rule is about resources of this type token: asked before anything of a resource is decoded."""
Found = TypeVar("Found")
Thing = TypeVar("Thing")
Severity = Literal["low", "medium", "high", "critical"]


class NotApplicable(Exception):  # noqa: N818 - a verdict, not an error
    """The rule does not speak about this resource."""


@dataclass(frozen=True)
class Finding:
    """A violation and the resource it stands on."""

    message: str
    urn: str
    excused_by: Sequence[Callable[[Resource], bool]] | None = field(default=None, compare=False)
    """Tests of which a resource passes every one, or may once all of it is known, that might take the finding away.
    None: the rule's own `excused_by`, which is about its type alone."""


def nothing(_: object) -> bool:
    """The test that holds for no type, and for no resource."""
    return False


def anything(_: object) -> bool:
    """The test that holds for every type, and for every resource and switch."""
    return True


@dataclass(frozen=True, kw_only=True)
class RuleText:
    """What every rule states about itself; the reference pages and each finding repeat it."""

    id: str
    title: str
    why: str
    fix: str
    reference: str
    severity: Severity
    mandatory: bool = True
    frameworks: tuple[str, ...] = ()
    """Controls that a published mapping has for this very check, as their framework names them; `frameworks` has the
    address of the mapping. None is written by likeness alone."""

    @property
    def tags(self) -> tuple[str, ...]:
        """What a reviewer filters by: whose guide the rule follows, and controls of frameworks."""
        return (*guides(self.reference), *self.frameworks)


@dataclass(frozen=True, kw_only=True)
class Rule(RuleText):
    """A rule that checks each resource on its own.

    `check` yields one sentence per violation and raises NotApplicable for resources it does not speak about.
    """

    types: TypeTest
    check: Callable[[Resource], Iterable[str]]


@dataclass(frozen=True, kw_only=True)
class StackRule(RuleText):
    """A rule that compares the resources of one cluster, after every one of them is known.

    `compare` is given those of one cluster at a time, of the types that the rule is about, and raises NotApplicable
    where it does not speak about them.
    """

    types: TypeTest
    compare: Callable[[Sequence[Resource]], Iterable[Finding]]
    together: Callable[[Sequence[Finding], Sequence[Resource]], Iterable[Finding]] = lambda found, _: found
    """What is reported of all that is found in one cluster: several findings of one cause may be one sentence. What is
    certain is known before, since part of them may be."""

    per_cluster: bool = True
    """False: clusters of one stack are compared with each other too, since they share what the rule is about."""

    excused_by: TypeTest | None = None
    """Types of which a resource might take a finding away by being there, or by being other than it is: what the rule
    looks for and does not find. `nothing` where each finding stays whatever else a stack holds; None: any type that the
    rule is about, so that one unknown value among them hides every finding of their cluster.
    tests/policies/test_unknown.py holds a rule to it."""

    def check(self, resources: Iterable[Resource]) -> list[Finding]:
        """Every violation in a stack, cluster by cluster. Raises NotApplicable where the rule speaks about none."""
        return list(self.look(resources).findings)

    def look(self, resources: Iterable[Resource]) -> Seen[Finding]:
        """The same, with what the rule could not look at during a preview."""
        about = [each for each in resources if self.types(each.type)]
        clusters, unplaced = by_cluster(about) if self.per_cluster else ({"": about}, {})
        found: dict[Finding, None] = {}
        unseen = {each.urn: unknown for each, unknown in unplaced.items()}
        reasons: list[NotApplicable] = []
        for members in clusters.values():
            try:
                seen = certain(self.compare, members, self.excuses, NotApplicable, unplaced)
            except NotApplicable as reason:
                reasons.append(reason)
                continue
            found.update(dict.fromkeys(self.together(seen.findings, members)))
            unseen |= seen.unseen
        if len(reasons) == len(clusters) and not unseen:
            raise reasons[0]
        return Seen(tuple(found), unseen)

    def excuses(self, finding: Finding, resource: Resource) -> bool:
        """Whether a resource, of which not all is known, might take a finding away."""
        if finding.excused_by is None:
            return (self.excused_by or self.types)(resource.type)
        return all(perhaps(test, resource) for test in finding.excused_by)


def perhaps(test: Callable[[Thing], object], thing: Thing) -> bool:
    """Whether a resource, a switch or a part of these passes a test, or may once it is known."""
    try:
        return bool(test(thing))
    except UnknownValueError:
        return True


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
    excused_by: Callable[[Device], bool] | None = field(default=None, compare=False)
    """Whether a switch, of which not all is known, might take it away; None: as the rule says."""


@dataclass(frozen=True, kw_only=True)
class NexusRule(RuleText):
    """A rule about Nexus switches, planned or found: `podwright lint` and the policy pack check by the same one.

    `judge` is given every switch at once and raises NotApplicable where none of them is meant. `alone` says that each
    switch is checked by itself, so that a policy can report on its resource.
    """

    judge: Callable[[Sequence[Device]], Iterable[Flaw]]
    alone: bool = True
    excused_by: TypeTest | None = None
    """Of a rule that compares switches: `nothing` where a switch more, whatever it is, never takes a flaw away; None
    where any may. See `StackRule.excused_by`."""


def items(value: Any) -> Iterator[Any]:
    """The members of a list property; nothing where the property is absent."""
    yield from value or ()


def apart(parts: Iterable[Iterable[Found]]) -> Iterator[Found]:
    """What several questions find, each asked by itself: one that comes to an unknown value keeps no other from being
    asked, and is raised after all of them."""
    unknown: UnknownValueError | None = None
    for part in parts:
        try:
            yield from part
        except UnknownValueError as first:
            unknown = unknown or first
    if unknown is not None:
        raise unknown


def known(things: Iterable[Thing]) -> tuple[list[Thing], UnknownValueError | None]:
    """All that comes before an unknown value is read, and that one. `apart` reads what is known behind it too."""
    found: list[Thing] = []
    try:
        found.extend(iter(things))  # of a map itself the length would be asked for first
    except UnknownValueError as unknown:
        return found, unknown
    return found, None


def spoken(looked: Iterable[Found | None], silent: str) -> Iterator[Found]:
    """What was found among what was looked at, where None is in order. Raises NotApplicable where nothing was looked
    at."""
    nothing_there = True
    for each in looked:
        nothing_there = False
        if each is not None:
            yield each
    if nothing_there:
        raise NotApplicable(silent)


def once(things: Iterable[Thing]) -> Iterator[Thing]:
    """Each thing the first time that it comes by."""
    met: set[Thing] = set()
    for each in things:
        if each not in met:
            met.add(each)
            yield each


def whole(amount: Any) -> int:
    """A whole number as an object has it: 2, "2", 2.0, which numbers are on the wire, or "1k"; 0 for what is none."""
    return int(quantity(amount))


def strings(value: Any) -> Mapping[str, str]:
    """A map property as plain strings, without what is null in it; empty where the property is absent. Of one with
    unknown values each is read when it is asked for."""
    if value and not isinstance(value, dict):
        return _Strings(value)
    return {str(key): str(item) for key, item in (value or {}).items() if item is not None}


class _Strings(Mapping[str, str]):
    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __getitem__(self, key: str) -> str:
        if (item := self._values[key]) is None:
            raise KeyError(key)
        return str(item)

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._values if self._values[key] is not None)

    def __len__(self) -> int:
        return len([*iter(self)])
