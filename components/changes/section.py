"""A switch's configuration as sets of lines, and which cabled ports a section is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

_HIGHEST_VLAN: Final = 4094
Path = tuple[str, ...]
"""A line with what leads to it: the top-level line, lines it is nested in, itself."""

_MEMBER: Final = re.compile(r"^channel-group (\d+)\b", re.M)
_VLANS: Final = re.compile(r"^switchport (?:access vlan|trunk allowed vlan|trunk native vlan) ([\d,-]+)$", re.M)
_ALLOWED: Final = re.compile(r"^(switchport trunk allowed vlan )(\d[\d,-]*)$")
_NAME: Final = re.compile(r"^(?:interface )?(Ethernet[\d/]+|port-channel\d+|Vlan\d+)$|^vlan (\d+)$")


def paths(config: Mapping[str, str]) -> set[Path]:
    """Every line of a configuration; order means nothing."""
    return {path for section, text in config.items() for path in ((section,), *_below(section, text))}


def _below(section: str, text: str) -> Iterator[Path]:
    above: list[tuple[int, str]] = []
    for raw in text.splitlines():
        if line := raw.strip():
            indent = len(raw) - len(raw.lstrip(" "))
            above = [each for each in above if each[0] < indent]
            yield from ((section, *(text for _, text in above), each) for each in _singled(line))
            above.append((indent, line))


def _singled(line: str) -> Iterator[str]:
    """A trunk's VLANs one by one: one more takes nothing from the others."""
    allowed = _ALLOWED.match(line)
    if allowed:
        yield from (f"{allowed[1]}{number}" for number in sorted(_numbers(allowed[2])))
    else:
        yield line


def _numbers(listed: str) -> set[int]:
    """VLANs of a list such as 10,20-22; what is none is the switch's to refuse."""
    ends = (part.partition("-") for part in listed.split(","))
    return {
        number
        for first, _, last in ends
        if first.isdigit() and (last or first).isdigit()
        for number in range(int(first), min(int(last or first), _HIGHEST_VLAN) + 1)
    }


def ports(section: str, configs: tuple[Mapping[str, str], ...]) -> set[str]:
    """Physical ports behind a section: itself, the members of a bundle, the ports in a VLAN; before and after."""
    found = _NAME.match(section)
    if not found:
        return set()
    name = found[1] or f"Vlan{found[2]}"
    if name.startswith("Ethernet"):
        return {name}
    return {port for config in configs for port in _behind(name, config)}


def _behind(name: str, config: Mapping[str, str]) -> Iterator[str]:
    number = int(re.sub(r"\D", "", name))
    for section, text in config.items():
        carried = section.removeprefix("interface ")
        if name.startswith("port-channel"):
            member = _MEMBER.search(text)
            if carried.startswith("Ethernet") and member and int(member[1]) == number:
                yield carried
        elif any(number in _numbers(found) for found in _VLANS.findall(text)):
            yield from ({carried} if carried.startswith("Ethernet") else _behind(carried, config))


def cage_of(section: str) -> str:
    """The port that a breakout line breaks out, Ethernet1/5; empty for every other line."""
    found = re.match(r"interface breakout module (\d+) port (\d+) ", section)
    return f"Ethernet{found[1]}/{found[2]}" if found else ""


def in_cage(port: str, cage: str) -> bool:
    """Whether a port is this cage as a whole, or one of its lanes."""
    return bool(cage) and (port == cage or port.startswith(f"{cage}/"))
