"""What class-maps and policy-maps make of a packet: references resolved, in the order the device looks."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from .lines import Line
from .spelling import dscps, numbers

_BUILT_IN: Final = re.compile(r"^c-(?:out-|in-)?(?:\d+q-)?n?q-?(\d+|default)$")
"""Class-maps that every Nexus has: c-8q-nq3, c-out-8q-q3, c-out-q1, c-nq-default and their like."""


@dataclass
class ClassMap:
    """A class-map: what it matches."""

    name: str
    line: Line
    every: bool
    """match-all: a packet must meet each match line."""
    matches: list[Line] = field(default_factory=list)

    def enter(self, line: Line) -> None:
        """Enter a block of it."""
        self.matches += [each for each in line.children if each.words[:1] == ("match",)]

    @property
    def dscps(self) -> frozenset[int]:
        """DSCP values that put a packet into this class whatever else it carries."""
        found = [dscps(line.words[2 + (line.words[1] == "ip") :]) for line in self.matches if _by_dscp(line)]
        if not found or (self.every and len(found) < len(self.matches)):
            return frozenset()
        return frozenset.intersection(*found) if self.every else frozenset.union(*found)

    @property
    def opaque(self) -> bool:
        """It looks at something that cannot be known from here: an access list, a protocol."""
        return any(not _by_dscp(line) for line in self.matches)

    @property
    def groups(self) -> frozenset[int]:
        """The qos-groups it matches, for network-qos and queuing."""
        return frozenset(
            n for line in self.matches if line.words[1:2] == ("qos-group",) for n in numbers(line.words[2])
        )


def _by_dscp(line: Line) -> bool:
    return line.words[1:2] == ("dscp",) or line.words[1:3] == ("ip", "dscp")


@dataclass
class Class:
    """One class of a policy-map and what is done to its packets."""

    name: str
    line: Line
    actions: list[Line] = field(default_factory=list)

    def action(self, *start: str) -> Line | None:
        """The last line that begins with these words, unless a later one takes it back."""
        found = None
        for line in self.actions:
            if line.words[: len(start)] == start:
                found = line
            elif line.words[: len(start) + 1] == ("no", *start):
                found = None
        return found

    def number(self, *start: str) -> int | None:
        """The number behind these words."""
        line = self.action(*start)
        word = line.words[len(start)] if line is not None and len(line.words) > len(start) else ""
        return int(word) if word.isdigit() else None


@dataclass
class Policy:
    """A policy-map."""

    kind: str
    name: str
    line: Line
    classes: list[Class] = field(default_factory=list)

    def enter(self, line: Line) -> None:
        """Enter a block of it. Actions stand below their class, or behind it where a person typed without indenting."""
        current: Class | None = None
        for each in line.children:
            if each.words[:1] == ("class",):
                _, rest = _kind(each.words[1:])
                name = "".join(rest[:1])
                current = next((known for known in self.classes if known.name == name), None)
                if current is None:
                    current = Class(name, each)
                    self.classes.append(current)
                current.actions += each.children
            elif each.words[:2] == ("no", "class"):
                self.classes = [known for known in self.classes if known.name != each.words[-1]]
            elif current is not None:
                current.actions += each.walk()


@dataclass
class Qos:
    """Every class-map and policy-map of a switch."""

    classes: dict[tuple[str, str], ClassMap] = field(default_factory=dict)
    policies: dict[tuple[str, str], Policy] = field(default_factory=dict)

    def policy(self, kind: str, name: str | None) -> Policy | None:
        """The policy-map of this name; None where there is none."""
        return self.policies.get((kind, name or ""))

    def group(self, kind: str, each: Class) -> int | None:
        """The qos-group that a network-qos or queuing class stands for."""
        if each.name == "class-default":
            return 0
        if (own := self.classes.get((kind, each.name))) is not None:
            return min(own.groups, default=None)
        found = _BUILT_IN.match(each.name)
        return None if found is None else 0 if found[1] == "default" else int(found[1])

    def for_group(self, policy: Policy, group: int) -> Class | None:
        """The class of a network-qos or queuing policy that a qos-group falls into."""
        return next((each for each in policy.classes if self.group(policy.kind, each) == group), None)

    def takes(self, policy: Policy, dscp: int) -> Class | None:
        """The class of a `type qos` policy that a packet of this DSCP falls into: the first that matches."""
        for each in policy.classes:
            if each.name == "class-default":
                return each
            matched = self.classes.get(("qos", each.name))
            if matched is not None and dscp in matched.dscps:
                return each
        return None

    def group_of(self, policy: Policy, dscp: int) -> int:
        """The qos-group that a policy gives to packets of this DSCP."""
        taken = self.takes(policy, dscp)
        return (taken.number("set", "qos-group") or 0) if taken is not None else 0


def read(lines: Iterable[Line], class_map: type[ClassMap] = ClassMap, policy_map: type[Policy] = Policy) -> Qos:
    """The class-maps and policy-maps of a configuration; a block written twice is one block."""
    qos = Qos()
    for line in lines:
        if line.words[:1] == ("class-map",):
            kind, name, every = _class_map(line.words[1:])
            qos.classes.setdefault((kind, name), class_map(name, line, every)).enter(line)
        elif line.words[:1] == ("policy-map",):
            kind, rest = _kind(line.words[1:])
            name = rest[-1] if rest else ""
            qos.policies.setdefault((kind, name), policy_map(kind, name, line)).enter(line)
        elif line.words[:2] in (("no", "class-map"), ("no", "policy-map")):
            kind, rest = _kind(line.words[2:])
            (qos.classes if line.words[1] == "class-map" else qos.policies).pop((kind, "".join(rest[-1:])), None)
    return qos


def _kind(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The kind, `qos` where none is written, and the words behind it."""
    return ("".join(words[1:2]), words[2:]) if words[:1] == ("type",) else ("qos", words)


def _class_map(words: tuple[str, ...]) -> tuple[str, str, bool]:
    kind, rest = _kind(words)
    return kind, "".join(rest[-1:]), "match-any" not in rest[:-1]


def actions(policy: Policy | None, *start: str) -> Iterator[tuple[Class, Line]]:
    """Every class of a policy that holds a line beginning with these words, and that line."""
    for each in policy.classes if policy is not None else ():
        line = each.action(*start)
        if line is not None:
            yield each, line
