"""A running configuration as blocks: top-level lines, each with the lines below it.

Shape on the wire (NX-OS fundamentals guide, `show running-config`): two spaces per level, ``!`` starts a
comment line, the header holds a ``version`` line, VLANs are listed in one line and named ones again as
blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

Block = tuple["Line", ...]
"""The lines below a top-level line, in the device's order."""


@dataclass(frozen=True)
class Line:
    """One configuration line and what stands below it."""

    text: str
    children: Block = ()
    implied: bool = field(default=False, compare=False)
    """It only repeats the device's own default, so nobody set it: what is read of a port always has its layer and its
    admin state."""


def configured_lines(block: Block) -> Block:
    """The lines that somebody set."""
    return tuple(line for line in block if not line.implied)


_NOT_CONFIGURATION: Final = re.compile(r"^(version \d|Building configuration|Current configuration)")
_VLANS: Final = re.compile(r"^vlan ([\d,-]+)$")
_BREAKOUTS: Final = re.compile(r"^(interface breakout module \d+ port) ([\d,-]+) (map \S+)$")
"""One line for all ports of a map, whatever was typed."""
_PRIORITIES: Final = re.compile(r"^(spanning-tree vlan) ([\d,-]+) (priority \d+)$")
"""One line for all VLANs of a priority, likewise."""
_BANNER: Final = re.compile(r"^(banner \w+ )(\S.*)$", re.DOTALL)
_PORT: Final = re.compile(r"^(Ethernet\d+/(?:\d+/)?)(\d+)$")
_END_OF_JOB: Final = "end-job"
_JOB_DEPTH: Final = 2
"""The commands of a scheduler job stand below its name without an indent, up to ``end-job``."""


class IndentError(ValueError):
    """A line is indented deeper than any line above it allows; the message quotes it."""


def parse(text: str) -> dict[str, Block]:
    """Blocks by top-level line, as the device spells them."""
    blocks: dict[str, Block] = {}
    for line in parse_lines(text):
        if _NOT_CONFIGURATION.match(line.text):
            continue
        if vlans := _VLANS.match(line.text):
            for number in members(vlans[1]):
                name = f"vlan {number}"
                blocks[name] = line.children or blocks.get(name, ())
        elif several := _BREAKOUTS.match(line.text) or _PRIORITIES.match(line.text):
            blocks |= {f"{several[1]} {number} {several[3]}": () for number in members(several[2])}
        else:
            blocks[line.text] = (*blocks.get(line.text, ()), *line.children)
    return blocks


def parse_lines(text: str) -> Block:
    """Nested lines by indentation, comments and blank lines left out. Raises IndentError."""
    numbered = list(_significant(text.splitlines()))
    lines, rest = _level(numbered, 0, numbered[0][0] if numbered else 0)
    if rest != len(numbered):
        raise IndentError(f"the line {numbered[rest][1]!r} is indented less than the first one")
    return lines


def _significant(raw: Iterable[str]) -> Iterator[tuple[int, str]]:
    ending, job, banner = "", False, [""]
    for line in raw:
        if ending:
            banner.append(line)
            if ending in line:
                ending = ""
                yield 0, _in_one_line("\n".join(banner))
            continue
        text = line.strip()
        if not text or text.startswith("!"):
            continue
        if job and text == _END_OF_JOB:
            job = False
            continue
        if found := _BANNER.match(text):
            ending, banner = _opens_banner(found[2]), [text]
            if not ending:
                yield 0, _in_one_line(text)
            continue
        yield len(line) - len(line.lstrip(" ")) + (_JOB_DEPTH if job else 0), text
        job = job or text.startswith("scheduler job name ")


def _opens_banner(body: str) -> str:
    """The delimiter of a banner that runs over several lines; nothing inside it is configuration."""
    return body[0] if body.count(body[0]) < 2 else ""


def _in_one_line(text: str) -> str:
    """A banner in one line between two `^`, whatever its delimiter and however it is broken: so it can be typed."""
    start, body = _BANNER.findall(text)[0]
    words = body[1 : body.index(body[0], 1)].replace("^", " ").split()
    return f"{start}^{' '.join(words)}^"


def _level(numbered: list[tuple[int, str]], at: int, indent: int) -> tuple[Block, int]:
    lines: list[Line] = []
    while at < len(numbered) and numbered[at][0] >= indent:
        depth, text = numbered[at]
        if depth > indent:
            raise IndentError(f"the line {text!r} is indented deeper than the one above it allows")
        at += 1
        children: Block = ()
        if at < len(numbered) and numbered[at][0] > indent:
            children, at = _level(numbered, at, numbered[at][0])
        lines.append(Line(text, children))
    return tuple(lines), at


def render(block: Block, depth: int = 0) -> str:
    """Child text as a spec holds it: newline separated, nested lines indented two spaces."""
    return "\n".join(flat(block, depth))


def flat(block: Block, depth: int = 0) -> Iterator[str]:
    """The lines of a block with their indent."""
    for line in block:
        yield "  " * depth + line.text
        yield from flat(line.children, depth + 1)


def text_of(blocks: Mapping[str, Block]) -> str:
    """A whole configuration as text."""
    return "\n".join(line for name, block in blocks.items() for line in (name, *flat(block, 1)))


def members(listed: str) -> list[int]:
    """The numbers of a list such as ``1,3-5``, in order."""
    found: set[int] = set()
    for part in listed.split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return sorted(found)


def listed(numbers: Iterable[int]) -> str:
    """The shortest spelling of a set of numbers: ``1,3-5``."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(f"{p[0]}-{p[-1]}" if len(p) > 1 else str(p[0]) for p in parts)


def port_ranges(names: Iterable[str]) -> str:
    """Ports as a switch takes them, neighbours by number in one: Ethernet1/1-4,9."""
    slots: dict[str, list[int]] = {}
    rest = []
    for name in names:
        if found := _PORT.match(name):
            slots.setdefault(found[1], []).append(int(found[2]))
        else:
            rest.append(name)
    return ", ".join([*(slot + listed(numbers) for slot, numbers in slots.items()), *sorted(rest)])
