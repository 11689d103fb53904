"""Mutants of a device text: each line about QoS, MTU, VLANs or BFD gone, and each value of it changed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

KINDS: Final = {
    "MTU": re.compile(r"mtu |system jumbomtu "),
    "BFD": re.compile(r"bfd|feature bfd$"),
    "VLAN": re.compile(
        r"vlan \d|interface Vlan|(no )?switchport|vn-segment |vni |member vni |vpc |channel-group |hsrp \d"
        r"|feature (interface-vlan|hsrp|lacp|vpc|vn-segment-vlan-based|nv overlay)$|nv overlay "
    ),
    "QoS": re.compile(
        r"priority-flow-control |service-policy|random-detect|bandwidth |priority level|pause |set qos-group"
        r"|match dscp|class |class-map|policy-map|system qos"
    ),
}
"""What a line is about, by its beginning."""
_VALUE: Final = re.compile(
    r"(?<![\w-])(\d+|on|ecn|kbytes|trunk(?=$)|active|associate-vrf)(?![\w-])|(?<=c-8q-nq)\d|(?<=c-out-8q-q)\d"
    r"|(?<=c-in-q)\d|(?<=interface Vlan)\d+|\d+(?=-\d+\b)|(?<=\d-)\d+"
)
_WORDS: Final = {
    "on": "off", "ecn": "", "kbytes": "mbytes", "9216": "1500", "trunk": "access", "active": "on", "associate-vrf": "",
}  # fmt: skip
_NUMBERED: Final = re.compile(r"(?<=^channel-group )\d+|(?<=^vpc )\d+")
_WHOLE: Final = ("vlan ", "interface ", "vpc domain ")
"""Blocks that go with their first line: alone, their lines would belong to the block above."""


@dataclass(frozen=True)
class Mutant:
    """One text with one token or line changed."""

    line: int
    text: str
    what: str
    """What was done, behind its block in brackets."""
    parents: frozenset[int]
    """Lines it stands below: where a finding points when the line itself is gone."""
    kind: str
    shape: str
    """Equal for lines that look alike: block and line without port numbers and names."""


def kinds(text: str) -> dict[tuple[str, str], str]:
    """Each line of a text that is about one of the kinds, with its block, and which it is."""
    lines = text.splitlines()
    found = {(_header(lines, at), line): kind(lines, at) for at, line in enumerate(lines)}
    return {place: about for place, about in found.items() if about}


def kind(lines: list[str], at: int) -> str:
    """What a line is about; empty where it is about something else."""
    bare = lines[at].strip()
    found = next((name for name, pattern in KINDS.items() if pattern.match(bare)), "")
    return found or ("VLAN" if bare == "no shutdown" and _header(lines, at).startswith("interface Vlan") else "")


def mutants(text: str) -> Iterator[Mutant]:
    """Every mutation of a text's lines; of ports that look alike the first stands for all."""
    lines = text.splitlines()
    seen: set[str] = set()
    for at, line in enumerate(lines):
        about, alike = kind(lines, at), shape(lines, at)
        if not about or alike in seen:
            continue
        seen.add(alike)
        parents = frozenset(_parents(lines, at))
        block = lines[min(parents) - 1] if parents else ""
        near = parents | frozenset(_users(lines, line)) | ({1} if not parents else set())
        dropped = [*lines[:at], *lines[_end(lines, at) :]]
        yield Mutant(at + 1, _joined(dropped), f"[{block}] drop: {line.strip()}", near, about, alike)
        for found in _VALUE.finditer(line):
            changed = (line[: found.start()] + _other(found[0]) + line[found.end() :]).rstrip()
            edited = [*lines[:at], changed, *lines[at + 1 :]]
            yield Mutant(at + 1, _joined(edited), f"[{block}] to: {changed}", parents, about, alike)


def shape(lines: list[str], at: int) -> str:
    """A line with its block; port, bundle and VLAN numbers of blocks that look alike left out."""
    header = opened = _header(lines, at)
    if opened.startswith("interface "):
        start = lines.index(opened) + 1
        block = (line for line in lines[start : _end(lines, start - 1)] if "description" not in line)
        words = sorted(re.sub(r"\d+", "", " ".join(line.split()[:2])) for line in block)
        header = f"{re.sub(r'[0-9/]+$', '', opened)} {' '.join(words)}"
    elif opened.startswith("vlan "):
        header = "vlan"
    return header if lines[at] == opened else f"{header} | {_NUMBERED.sub('', lines[at].strip())}"


def _joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def _other(token: str) -> str:
    return _WORDS[token] if token in _WORDS else str(int(token) + 1)


def _header(lines: list[str], at: int) -> str:
    return next((lines[back] for back in range(at, -1, -1) if not lines[back].startswith(" ")), "")


def _end(lines: list[str], at: int) -> int:
    """Number of lines up to the end of what goes with a line."""
    if not lines[at].startswith(_WHOLE):
        return at + 1
    return next((end for end in range(at + 1, len(lines)) if not lines[end].startswith(" ")), len(lines))


def _parents(lines: list[str], at: int) -> Iterator[int]:
    """Numbers of the lines it stands below, and of what else changes place with it."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    for number in range(at, 0, -1):
        above = len(lines[number - 1]) - len(lines[number - 1].lstrip())
        if above < indent:
            yield number
            indent = above


def _users(lines: list[str], dropped: str) -> Iterator[int]:
    """Numbers of the lines that name the map whose first line is gone, in the file without that line."""
    words = dropped.split()
    if words[0] in ("class-map", "policy-map"):
        yield from (at if at > lines.index(dropped) else at + 1 for at, line in enumerate(lines) if words[-1] in line)
