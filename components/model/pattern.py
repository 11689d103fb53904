"""Values written once for many entries: what `+n` and a list in turn come to for the number in an entry's name.

`gpu-[01-16]` is sixteen entries, `fi-[a-b]` two, `cp-[01-03],inf-[01-03]` six, `gpu-*` every entry whose name is gpu-
and a number, `*` every entry. In such an entry

    203.0.113.10+n   is 203.0.113.17 for leaf-07: the number is added to an address, a MAC or digits
    64600+n          is 64607, a number
    g+n/2            is g4 for gpu-07 and gpu-08: two entries share one
    [a, b, c]        where one value belongs: a for 1, b for 2, c for 3, a for 4
    feed-[a-c]       the list [feed-a, feed-b, feed-c]

Only the number in an entry's own name counts (a letter of a range by its place in the alphabet), never its place in the
file or how many there are: an entry that comes or goes changes no value of another.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import AddressValueError, IPv4Address
from typing import Any

from podwright.components.model import describe

_ENTRY = re.compile(r"^(?P<stem>.*?)(?P<digits>\d+)$")
_PART = r"(\d+(-\d+)?|[a-z](-[a-z])?)"
_RANGE = re.compile(rf"^(?P<stem>[^\[\]*,]*)\[(?P<parts>{_PART}(,{_PART})*)\]$")
_BETWEEN = re.compile(r"(?<=\]),\s*")
"""What stands between two ranges of one key."""
_SUM = re.compile(r"^(?P<base>.*?)\+n(/(?P<each>[1-9]\d*))?$")
_MAC = re.compile(r"^([0-9a-f]{2}:){5}[0-9a-f]{2}$")
_DIGITS = re.compile(r"^(?P<text>.*?)(?P<digits>\d*)$")
_BEFORE_A = ord("a") - 1
_MOST = 1000
"""Entries that one range may make: more than any stack has."""


class PatternError(ValueError):
    """A pattern that comes to nothing; the message says why."""


@dataclass(frozen=True)
class Key:
    """The key of an entry that stands for several."""

    text: str
    stem: str
    """What names begin with."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Names that a range makes, each with its number; none for a wildcard."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names that a range makes."""
        return tuple(self.numbers)

    def covers(self, name: str) -> bool:
        """Whether an entry of this name takes its values from here."""
        if self.numbers:
            return name in self.numbers
        return self.text == "*" or (name.startswith(self.stem) and name[len(self.stem) :].isdigit())


def key(text: str) -> Key | None:
    """The pattern that a key is, or None for a plain name. Raises PatternError for a range that is none."""
    if text.endswith("*"):
        return Key(text, text[:-1])
    stems: list[str] = []
    numbers: dict[str, int] = {}
    for each in ranges(text):
        found = _RANGE.match(each)
        if found is None:
            return None
        stems.append(found["stem"])
        numbers |= {f"{found['stem']}{member}": number for member, number in _members(found["parts"])}
    return Key(text, stems[0], numbers)


def ranges(text: str) -> list[str]:
    """The single ranges of a key; the key itself where it is none."""
    return _BETWEEN.split(text)


def _members(parts: str) -> Iterator[tuple[str, int]]:
    """Numbers of a range as they are written, with the zeros before them (01-03,07), or letters; each as a number."""
    count = 0
    for part in parts.split(","):
        first, _, last = part.partition("-")
        low, high = _place(first), _place(last or first)
        count += high - low + 1
        if high < low:
            raise PatternError(f"{part} ends before it begins")
        if count > _MOST:
            raise PatternError(f"makes more than {_MOST} entries")
        for number in range(low, high + 1):
            yield (str(number).zfill(len(first)) if first.isdigit() else chr(_BEFORE_A + number)), number


def _place(text: str) -> int:
    return int(text) if text.isdigit() else ord(text) - _BEFORE_A


def number(name: str) -> int | None:
    """The number a name ends in; None where it has none."""
    found = _ENTRY.match(name)
    return int(found["digits"]) if found else None


def is_mac(written: object) -> bool:
    """Whether a value is a MAC address in lower case."""
    return isinstance(written, str) and _MAC.match(written) is not None


def listed(written: object) -> list[str]:
    """What a range in a value stands for: `feed-[a-c]` is feed-a, feed-b, feed-c. Empty for anything else.

    Raises PatternError for a range that is none.
    """
    found = _RANGE.match(written) if isinstance(written, str) else None
    return [f"{found['stem']}{each}" for each, _ in _members(found["parts"])] if found else []


def value(written: object, name: str, annotation: Any, own: int | None = None) -> object:
    """What stands for an entry of this name, whose number is `own` or stands in it. Raises PatternError."""
    if isinstance(written, str):
        if members := listed(written):
            return value(members, name, annotation, own)
        found = _SUM.match(written)
        return _sum(found["base"], -(-_own(name, own) // int(found["each"] or 1))) if found else written
    if isinstance(written, list):
        if _in_turn(written, annotation):
            if not written:
                raise PatternError("is an empty list, of which nothing can be taken in turn")
            return value(written[(_own(name, own) - 1) % len(written)], name, annotation, own)
        return [value(each, name, None, own) for each in written]
    if isinstance(written, dict):
        return {inner: value(each, name, describe.at(annotation, (inner,)), own) for inner, each in written.items()}
    return written


def _own(name: str, own: int | None) -> int:
    found = number(name) if own is None else own
    if found is None:
        raise PatternError(f"the name {name} ends in no number")
    return found


def _in_turn(written: Sequence[object], annotation: Any) -> bool:
    """A list where one value belongs, or a list of lists where one list does; never in a property of Intersight's."""
    if annotation is None or describe.shape(annotation).kind is Any:
        return False
    if describe.shape(annotation).kind is tuple:
        return bool(written) and all(isinstance(each, list) for each in written)
    return True


def _sum(base: str, count: int) -> object:
    if re.fullmatch(r"-?\d*", base):
        return int(base or 0) + count
    if base.count(".") == 3:
        try:
            return str(IPv4Address(base) + count)
        except AddressValueError:
            raise PatternError(f"{base} + {count} is no IPv4 address") from None
    if _MAC.match(base):
        total = int(base.replace(":", ""), 16) + count
        return ":".join(f"{total % (1 << 48):012x}"[place : place + 2] for place in range(0, 12, 2))
    found = _DIGITS.match(base)
    assert found is not None
    return f"{found['text']}{int(found['digits'] or 0) + count:0{len(found['digits'])}d}"
