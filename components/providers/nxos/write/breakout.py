"""Ports broken out into several: whole port and lanes come and go with everything that is configured on them.

Interfaces configuration guide, 10.6(x), overview: a breakout removes the configuration of the port, and `no` that of
its lanes. Some models take neighbouring ports out of service with it. A port takes another map when it is whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from podwright.components.providers.nxos.read.blocks import Block
from podwright.components.providers.nxos.read.spelling import fixed, is_blank

_LINE: Final = re.compile(r"^interface breakout module (\d+) port (\d+) map (\S+)$")


def cage(line: str) -> str:
    """The port that a breakout line breaks out: Ethernet1/5; empty for every other line."""
    found = _LINE.match(line)
    return f"Ethernet{found[1]}/{found[2]}" if found else ""


def word(line: str) -> str:
    """The map of a breakout line: 200g-2x."""
    return line.rpartition(" ")[2]


def cages(names: Collection[str]) -> dict[str, str]:
    """Breakout lines by the port they break out."""
    return {port: name for name in names if (port := cage(name))}


def of_cage(name: str, port: str) -> bool:
    """Whether a line opens a port or one of its lanes."""
    return name == f"interface {port}" or name.startswith(f"interface {port}/")


def leaving(live: Collection[str], want: Collection[str], gone: Collection[str]) -> tuple[str, ...]:
    """Breakout lines that stand and must go, for good or for another map."""
    wanted = cages(want)
    return tuple(
        name for port, name in cages(live).items() if (name in gone if port not in wanted else wanted[port] != name)
    )


def coming(live: Collection[str], want: Collection[str]) -> tuple[str, ...]:
    """Breakout lines that do not stand yet."""
    return tuple(name for name in cages(want).values() if name not in live)


def without(live: Mapping[str, Block], lines: Collection[str]) -> dict[str, Block]:
    """What is left of a configuration when these breakout lines have come or gone: their ports are new."""
    ports = [cage(line) for line in lines]
    return {
        name: block
        for name, block in live.items()
        if name not in lines and not any(of_cage(name, port) for port in ports)
    }


def configured(live: Mapping[str, Block], line: str) -> tuple[str, ...]:
    """What a breakout line takes away when it comes or goes: its port or lanes that somebody configured."""
    port = cage(line)
    return tuple(name for name, block in live.items() if port and of_cage(name, port) and not is_blank(name, block))


def cleared_first(gone: Collection[str], live: Mapping[str, Block], coming: Collection[str]) -> tuple[str, ...]:
    """Ports that are given up while others break out: some of them are no longer there afterwards."""
    return tuple(name for name in gone if coming and fixed(name) and name in live)
