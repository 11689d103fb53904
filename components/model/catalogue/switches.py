"""Nexus 9000 models of the Cloud Scale family: what their front panel offers.

Port counts, speeds and cages: netbox-community/devicetype-library, device-types/Cisco. Throughput as Cisco's data
sheets print it: some count both directions, some one; a test holds each to the sum of its ports. Buffers, supplies
and draw are for information where a source says them and None where none does; nothing is refused because of them
except a rack's own power budget. Dynamic load balancing: NX-OS 10.5(1)F release note (FX3, GX, GX2 and HX-TOR only).
400G copper: NX-OS Interfaces Configuration Guide 10.6(x), chapter 3 (which also says that it never negotiates).
"""

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from podwright.components.model.catalogue.ports import Breakout, Gang, PortGroup

Family = Literal["FX2", "GX", "GX2"]
_DLB_SINCE = {"GX": "10.5(1)F", "GX2": "10.5(1)F"}


@dataclass(frozen=True)
class Switch:
    """One switch model."""

    name: str
    family: Family
    groups: tuple[PortGroup, ...]
    rack_units: int
    watts: int
    """Highest draw with optics in W, an upper estimate for a rack's budget (9364C-GX: its supply's rating)."""
    one_way_gbps: int
    """Data-sheet throughput in Gb/s, one direction."""
    both_ways: bool
    """The data sheet prints twice that: it counts what goes in and what comes out."""
    buffer_mb: int | None
    """Shared packet buffer of the whole switch in MB; None where no source confirms a figure."""
    psu_watts: int | None
    """Rated draw of one of its two supplies in W; None where no source confirms a figure."""
    copper_400g: str | None
    """First NX-OS release that takes 400G copper cables; None without 400G ports."""
    gangs: tuple[Gang, ...] = ()
    """Ports that do not break out each by itself."""

    @property
    def dlb_since(self) -> str | None:
        """First NX-OS release with dynamic load balancing on this ASIC; None without."""
        return _DLB_SINCE.get(self.family)

    @property
    def dlb(self) -> bool:
        """Whether dynamic load balancing exists on this ASIC."""
        return self.dlb_since is not None

    @property
    def ports(self) -> int:
        """Front-panel ports that carry traffic, SFP+ service ports not counted."""
        return sum(group.count for group in self.groups)

    @property
    def top_gbps(self) -> int:
        """Speed of its fastest ports in Gb/s."""
        return max(group.gbps for group in self.groups)

    def group(self, number: int) -> PortGroup | None:
        """The ports that Ethernet1/`number` is one of, or None where the model has no such port."""
        return next((group for group in self.groups if group.first <= number <= group.last), None)

    def gbps(self, number: int) -> int | None:
        """Speed of port Ethernet1/`number` in Gb/s, or None where the model has no such port."""
        found = self.group(number)
        return found.gbps if found else None

    def count(self, gbps: int) -> int:
        """Ports of `gbps` it can have, all of them broken out where that makes more."""
        return sum(self.makes(number, gbps) for number in range(1, self.ports + 1))

    def makes(self, number: int, gbps: int) -> int:
        """Ports of `gbps` that Ethernet1/`number` makes when all do: 0 where a neighbour's breakout takes it away."""
        found, split = self.group(number), self.split(number, gbps)
        if found is None or (split and split.count > 1 and number in self.together(number, str(split.word))[1]):
            return 0
        return found.parts(gbps)

    def split(self, number: int, gbps: int) -> Breakout | None:
        """How Ethernet1/`number` breaks out into parts of `gbps`; None where it does not."""
        found = self.group(number)
        return next((each for each in found.cage.breakouts if each.gbps == gbps and each.word), None) if found else None

    def together(self, number: int, word: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The ports that break out when this one does, and those that are gone meanwhile."""
        gang = next((each for each in self.gangs if each.first <= number <= each.last), None)
        if gang is None:
            return (number,), ()
        members = gang.members(number)
        if word in gang.whole:
            return members, ()
        return tuple(each for each in members if each % 2), tuple(each for each in members if not each % 2)

    def described(self) -> str:
        """Its ports in a few words: 28 × 100G and 8 × 400G."""
        return " and ".join(f"{group.count} × {group.gbps}G" for group in self.groups)


def _dd(first: int, last: int) -> PortGroup:
    return PortGroup(first, last, 400, "QSFP-DD")


def _q28(first: int, last: int) -> PortGroup:
    return PortGroup(first, last, 100, "QSFP28")


_ROWS = (
    # model, family, ports, rack units, W, throughput one way, printed both ways, buffer, supply, 400G copper since
    Switch("N9K-C9332D-GX2B", "GX2", (_dd(1, 32),), 1, 1500, 12800, False, None, None, "10.2(1q)F"),
    Switch("N9K-C9348D-GX2A", "GX2", (_dd(1, 48),), 2, 2300, 19200, False, None, None, "10.2(3)F"),
    Switch("N9K-C9364D-GX2A", "GX2", (_dd(1, 64),), 2, 2900, 25600, False, None, None, "10.2(3)F"),
    Switch("N9K-C9316D-GX", "GX", (_dd(1, 16),), 1, 1100, 6400, False, None, None, "9.3(5)"),
    Switch("N9K-C93600CD-GX", "GX", (_q28(1, 28), _dd(29, 36)), 1, 1100, 6000, False, None, None, "9.3(5)",
           (Gang(1, 24, 4, ("50g-2x",)), Gang(25, 28, 2, ("50g-2x", "25g-4x", "10g-4x")))),
    Switch("N9K-C9336C-FX2", "FX2", (_q28(1, 36),), 1, 750, 3600, True, 40, None, None),
    Switch("N9K-C9364C-GX", "GX", (_q28(1, 64),), 2, 1622, 6400, True, None, 1622, None, (Gang(1, 64, 4),)),
)  # fmt: skip

SWITCHES: dict[str, Switch] = {switch.name: switch for switch in _ROWS}
"""Cloud Scale models by product id."""

REFUSED_SWITCHES: dict[str, str] = {
    name: "is a Silicon One switch, whose QoS commands differ from Cloud Scale and are not confirmed by a source yet"
    for name in ("N9364E-SG2-Q", "N9364E-SG2-O", "N9K-C9804", "N9K-C9808")
}
"""Models that exist but are not offered, with the reason."""


def printed_tbps(switch: Switch) -> float:
    """Throughput in Tb/s as the model's data sheet prints it."""
    return switch.one_way_gbps * (2 if switch.both_ways else 1) / 1000


def unknown(name: str) -> str | None:
    """Why no fabric can be sized with this model at all, with the nearest names; None where one can."""
    if name in SWITCHES:
        return None
    if name in REFUSED_SWITCHES:
        return f"{name} {REFUSED_SWITCHES[name]}"
    close = nearest(name)
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(SWITCHES)}"
    return f"{name} is not in the switch catalogue; {hint}"


def lacking(name: str, ports: int, gbps: int) -> str | None:
    """Why a model does not have so many ports of a speed, with one that has them; None where it has."""
    model = SWITCHES[name]
    if model.count(gbps) >= ports:
        return None
    able = [each for each in SWITCHES.values() if each.count(gbps) >= ports]
    smallest = min(able, key=lambda each: each.one_way_gbps, default=None)
    most = max(SWITCHES.values(), key=lambda each: each.count(gbps))
    if smallest is not None:
        instead = f"{smallest.name} has them"
    elif most.count(gbps):
        instead = f"the most in one switch is {most.count(gbps)} ({most.name})"
    else:
        instead = f"no Cloud Scale switch has {gbps}G ports, nor breaks out into them"
    return f"{ports} × {gbps}G is not a {name}, which has {model.described()}: {instead}"


def nearest(model: str) -> tuple[str, ...]:
    """Product ids that a wrong one may have meant, the nearest first: short names and missing prefixes count."""
    wanted = _bare(model)
    known = {_bare(name): name for name in SWITCHES}
    if wanted in known:
        return (known[wanted],)
    close = get_close_matches(wanted, tuple(known), n=3, cutoff=0.6)
    return tuple(known[each] for each in close)


def _bare(model: str) -> str:
    return model.upper().removeprefix("NEXUS ").removeprefix("N9K-").removeprefix("C")
