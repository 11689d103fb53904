"""Numbers that a switch gives out once: who has one and loses it lets go of it before another takes it.

An address in a subnet of another interface of the VRF is refused ("overlaps with address configured on …"), and so are
a VNI that another VLAN or VRF has and a vPC number of another port-channel. Without this, a VLAN under another id, or
two that swap their subnets, cannot be written: what is new comes before what is old goes.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from podwright.components.providers.nxos.read.blocks import Block

_ADDRESS: Final = re.compile(r"^ip address (\S+/\d+)\b")
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


def claims(config: Mapping[str, Block]) -> Iterator[Claim]:
    """Every line of a configuration that takes a number which only one section can have."""
    for section, block in config.items():
        vrf = next((line.text.split()[-1] for line in block if line.text.startswith("vrf member ")), "default")
        for line in block:
            network = _network(line.text) if section.startswith("interface ") else None
            if network is not None:
                yield Claim(section, line.text, f"address in {vrf}", str(network), network)
            for start, pattern in _SINGLE:
                if section.startswith(start) and (found := pattern.match(line.text)):
                    yield Claim(section, line.text, start, found[1])


def _network(line: str) -> ipaddress.IPv4Network | None:
    """What an address line takes; nothing where it is no address, which the device says better."""
    found = _ADDRESS.match(line)
    try:
        return ipaddress.IPv4Interface(found[1]).network if found else None
    except ValueError:
        return None


def let_go(live: Mapping[str, Block], want: Mapping[str, Block], gone: Collection[str]) -> list[Claim]:
    """What stands and must go before something else can come: lines that their own sections lose anyway."""
    standing = list(claims(live))
    stay = {(claim.section, claim.line, claim.kind) for claim in claims(want)}
    known = {(claim.section, claim.line, claim.kind) for claim in standing}
    coming = [claim for claim in claims(want) if (claim.section, claim.line, claim.kind) not in known]
    return [
        claim
        for claim in standing
        if (claim.section in want or claim.section in gone)
        and (claim.section, claim.line, claim.kind) not in stay
        and any(each.conflicts(claim) for each in coming)
    ]


def without(live: Mapping[str, Block], claims: Collection[Claim]) -> dict[str, Block]:
    """The configuration once these lines are gone."""
    lines = {(claim.section, claim.line) for claim in claims}
    return {
        section: tuple(line for line in block if (section, line.text) not in lines) for section, block in live.items()
    }
