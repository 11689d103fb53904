"""Numbers that a switch gives out once: who has one and loses it lets go of it before another takes it.

An address in a subnet of another interface of the VRF is refused ("overlaps with address configured on …"), and so are
a VNI that another VLAN or VRF has and a vPC number of another port-channel. Without this, a VLAN under another id, or
two that swap their subnets, cannot be written: what is new comes before what is old goes.

A secondary address and an HSRP group's virtual address stand on the interface's own address: they let go before it does
and come back behind it. Which of these orders a switch insists on is in no guide; this one is right under any.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from podwright.components.providers.nxos.read.blocks import Block, Line

_ADDRESS: Final = re.compile(r"^ip address (\S+/\d+)\b")
_SECONDARY: Final = re.compile(r"^ip address \S+ secondary\b")
_GROUP: Final = re.compile(r"^hsrp \d+")
_VIRTUAL: Final = re.compile(r"^ip (\d+(?:\.\d+){3})\b")
_SINGLE: Final = (
    ("vlan ", re.compile(r"^vn-segment (\d+)$")),
    ("vrf context ", re.compile(r"^vni (\d+)\b")),
    ("interface port-channel", re.compile(r"^vpc (\d+)$")),
)
"""Sections, and the line in them whose number no other section of the kind may have."""


@dataclass(frozen=True)
class Claim:
    """A line of a section that takes a number."""

    section: str
    line: str
    kind: str
    """Kind of section; for an address, its VRF: only claims of one kind conflict."""
    number: str
    network: ipaddress.IPv4Network | None = None

    def conflicts(self, other: Claim) -> bool:
        """Whether the device refuses this one while the other stands."""
        if self.kind != other.kind or self.section == other.section:
            return False
        if self.network is not None and other.network is not None:
            return self.network.overlaps(other.network)
        return self.number == other.number

    @property
    def order(self) -> int:
        """What stands on an interface's own address lets go before that does."""
        return 0 if _GROUP.match(self.line) else 1 if _SECONDARY.match(self.line) else 2

    def stands_on(self, other: Claim) -> bool:
        """Whether the other one is the own address of this one's interface."""
        return self.section == other.section and self.order < 2 == other.order and other.network is not None


def claims(config: Mapping[str, Block]) -> Iterator[Claim]:
    """Every line of a configuration that takes a number which only one section can have."""
    for section, block in config.items():
        vrf = next((line.text.split()[-1] for line in block if line.text.startswith("vrf member ")), "default")
        for line in block:
            for network in _networks(line) if section.startswith("interface ") else ():
                yield Claim(section, line.text, f"address in {vrf}", str(network), network)
            for start, pattern in _SINGLE:
                if section.startswith(start) and (found := pattern.match(line.text)):
                    yield Claim(section, line.text, start, found[1])


def _networks(line: Line) -> Iterator[ipaddress.IPv4Network]:
    """What a line takes of the addresses: a subnet, or the virtual addresses of an HSRP group."""
    if _GROUP.match(line.text):
        for below in line.children:
            if found := _VIRTUAL.match(below.text):
                with suppress(ValueError):
                    yield ipaddress.IPv4Network(found[1])
    elif network := _network(line.text):
        yield network


def _network(line: str) -> ipaddress.IPv4Network | None:
    """What an address line takes; nothing where it is no address, which the device says better."""
    found = _ADDRESS.match(line)
    try:
        return ipaddress.IPv4Interface(found[1]).network if found else None
    except ValueError:
        return None


def let_go(live: Mapping[str, Block], want: Mapping[str, Block], gone: Collection[str]) -> list[Claim]:
    """What stands and must go before something else can come, in order: lines that their own sections lose anyway, and
    what stands on an address that goes."""
    standing = [claim for claim in claims(live) if claim.section in want or claim.section in gone]
    stay, known = set(claims(want)), set(claims(live))
    coming = [claim for claim in stay if claim not in known]
    leaving = [claim for claim in standing if claim not in stay]
    first = [claim for claim in leaving if claim.order == 1 or any(each.conflicts(claim) for each in coming)]
    first += [claim for claim in leaving if any(claim.stands_on(other) for other in leaving)]
    first += [claim for claim in standing if any(claim.stands_on(other) for other in first)]
    lines = {(claim.section, claim.line): claim for claim in first}
    return sorted(lines.values(), key=lambda claim: claim.order)


def without(live: Mapping[str, Block], claims: Collection[Claim]) -> dict[str, Block]:
    """The configuration once these lines are gone."""
    lines = {(claim.section, claim.line) for claim in claims}
    return {
        section: tuple(line for line in block if (section, line.text) not in lines) for section, block in live.items()
    }
