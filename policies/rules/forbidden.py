"""Lines that are in circulation and do not do what their authors think."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from .nexus.device import Device
from .nexus.lines import Line
from .rule import Flaw, apart

_RED: Final = (
    "class type queuing c-out-8q-q3\n  random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes"
)


@dataclass(frozen=True)
class Wrong:
    """A line, what is wrong with it, what to write."""

    pattern: re.Pattern[str]
    below: str
    """Beginning of the line it stands below; empty for a top-level line."""
    what: str
    instead: str


WRONG: Final = (
    Wrong(
        re.compile(r"^hardware qos ecn\b.*"),
        "",
        "is no NX-OS command: ECN is marked by a queue, with thresholds in bytes",
        f"policy-map type queuing <name>\n  {_RED} drop-probability 7 weight 0 ecn",
    ),
    Wrong(
        re.compile(r"^hardware profile portmode$"),
        "",
        "names no port mode; it sets port speeds (48x25G+4x100G), not buffers, and needs a reload",
        "hardware profile portmode <mode of this model>, or nothing",
    ),
    Wrong(
        re.compile(r"^buffer-boost$"),
        "hardware profile portmode",
        "belongs to interfaces of first-generation hardware; Cloud Scale switches share one buffer",
        "hardware qos ns-buffer-profile mesh, or nothing",
    ),
    Wrong(
        re.compile(r"^vrf management$"),
        "vpc domain",
        "is no line of a vPC domain: the VRF stands on the keepalive's own line",
        "peer-keepalive destination <mgmt0 of the peer> source <own mgmt0> vrf management",
    ),
    Wrong(
        re.compile(r"^qos-mode pipe$"),
        "interface nve",
        "leaves the outer header's marks at the end of the tunnel: ECN set on the way never reaches the receiver",
        "no qos-mode pipe",
    ),
    Wrong(
        re.compile(r"^random-detect .*-threshold \d+ (percent|%).*"),
        "class",
        "counts in percent; a queue's thresholds are bytes or packets",
        "random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn",
    ),
)


def lines(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Every line of the table, wherever it stands."""
    yield from apart(_wrong(device, block) for device in devices for block in device.lines)


def _wrong(device: Device, block: Line) -> Iterator[Flaw]:
    for above, line in _each(block):
        for wrong in WRONG:
            place = above.startswith(wrong.below) and bool(above) == bool(wrong.below)
            if place and wrong.pattern.match(line.command):
                message = f"{device.name}: '{line.command}' {wrong.what}"
                yield Flaw(message, device.name, line, wrong.instead)


def _each(block: Line) -> Iterator[tuple[str, Line]]:
    """A block's own line, and those below it with the line above."""
    yield "", block
    yield from _below(block)


def _below(line: Line) -> Iterator[tuple[str, Line]]:
    for each in line.children:
        yield line.command, each
        yield from _below(each)
