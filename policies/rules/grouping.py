"""Violations of one cause as one sentence: a setting that is wrong on every port is one finding, not one per port."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from .rule import Flaw

_PORT: Final = re.compile(r"\b(?:Ethernet|port-channel|Vlan|loopback|nve|mgmt)\d+(?:/\d+)*")
_ADDRESS: Final = re.compile(r"\b\d+(?:\.\d+){3}\b")
_NUMBERED: Final = re.compile(r"\bvpc \d+")
"""What is numbered as its port is."""
_DIGITS: Final = re.compile(r"(\d+)")
_FACING: Final = re.compile(r" \(to [^()]+\)")
_RANGES: Final = 8
"""Ranges of ports that are spelled out for one switch; more of them are counted."""


def grouped(flaws: Iterable[Flaw], switches: Iterable[str]) -> list[Flaw]:
    """The first of those whose sentences differ only in the switch, port or address, with the places of all.

    `switches` are the names that a sentence may contain.
    """
    names = _names(switches)
    alike: dict[str, list[Flaw]] = {}
    for flaw in flaws:
        alike.setdefault(_sentence(flaw.message, names), []).append(flaw)
    return [_joined(each, names) for each in alike.values()]


def _names(switches: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(set(switches), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")


def _sentence(message: str, names: re.Pattern[str]) -> str:
    """What a sentence has in common with those of the same cause."""
    text = _FACING.sub("", message)
    for place in (_PORT, _ADDRESS, _NUMBERED, names):
        text = place.sub("·", text)
    return text


def _joined(flaws: Sequence[Flaw], names: re.Pattern[str]) -> Flaw:
    """One flaw for all: the first by switch and port, since a plan's maps have no order of their own."""
    if len(flaws) == 1:
        return flaws[0]
    placed = sorted(
        ((*_where(flaw, names), flaw) for flaw in flaws), key=lambda each: (*map(_natural, each[:2]), each[2].message)
    )
    ports: dict[str, dict[str, None]] = {}
    for switch, port, _ in placed:
        ports.setdefault(switch, {}).update({port: None} if port else {})
    count = f" ({len(ports)} switches)" if len(ports) > 1 else ""
    first = placed[0][2]
    places = "; ".join(_place(switch, list(named)) for switch, named in ports.items())
    return replace(first, message=f"{first.message}\n  in all: {places}{count}")


def _where(flaw: Flaw, names: re.Pattern[str]) -> tuple[str, str]:
    """The switch and the port, or the address, that a sentence names first."""
    switch = names.search(flaw.message)
    port = _PORT.search(flaw.message) or _ADDRESS.search(flaw.message)
    return (switch[0] if switch else flaw.device), (port[0] if port else "")


def _natural(name: str) -> list[str | int]:
    """Words and numbers of a name in turn: Ethernet1/9 stands before Ethernet1/10."""
    return [int(each) if each.isdigit() else each for each in _DIGITS.split(name)]


def _place(switch: str, ports: Sequence[str]) -> str:
    if not ports:
        return switch
    addresses = bool(_ADDRESS.match(ports[0]))
    pieces = [(each, 1) for each in ports] if addresses else list(_ranges(ports))
    listed = ", ".join(text for text, _ in pieces[:_RANGES])
    more = sum(count for _, count in pieces[_RANGES:])
    physical = all(each.startswith("Ethernet") for each in ports)
    noun = "neighbors" if addresses else "ports" if physical else "interfaces"
    count = f" ({len(ports)} {noun})" if len(ports) > 1 else ""
    return f"{switch} {listed}{f' and {more} more' if more else ''}{count}"


def _ranges(ports: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Ports as a switch writes ranges of them, such as Ethernet1/1-16, each with its count."""
    runs: list[tuple[str, int, int]] = []
    for stem, number in sorted(map(_split, ports), key=lambda each: (_natural(each[0]), each[1])):
        if runs and runs[-1][0] == stem and runs[-1][2] == number - 1:
            runs[-1] = (stem, runs[-1][1], number)
        else:
            runs.append((stem, number, number))
    for stem, first, last in runs:
        yield (f"{stem}{first}" if first == last else f"{stem}{first}-{last}"), last - first + 1


def _split(port: str) -> tuple[str, int]:
    """What a port's name begins with, and the number it ends in."""
    number = _DIGITS.findall(port)[-1]
    return port[: -len(number)], int(number)
