"""Front-panel ports: what they run at, into what they break out, and the error correction both ends must agree on.

Cages: netbox-community/devicetype-library (400gbase-x-qsfpdd is QSFP-DD, 100gbase-x-qsfp28 is QSFP28). Breakouts:
what the FX2, GX and GX2 models are sold with, as far as all models with that cage offer it; the words of the `map` in
`interface breakout` are those that Cisco's Nexus as Code takes. 8 x 50G is not among those words, so it is listed and
not offered. Error correction: IEEE 802.3 clause 74 (FC), 91 and 108 (RS-528), 119 and 134
(RS-544, part of every 200G and 400G port and of 50 and 100 Gb/s lanes in PAM4); NX-OS calls the first two fc-fec and
rs-fec.
"""

from dataclasses import dataclass
from typing import Literal

CageName = Literal["QSFP-DD", "QSFP28", "QSFP112"]
Fec = Literal["none", "FC", "RS-528", "RS-544"]


@dataclass(frozen=True)
class Breakout:
    """One front-panel port as several."""

    count: int
    gbps: int
    """Of each part."""
    word: str | None
    """What NX-OS calls it in `interface breakout`; None where no source gives the word."""


@dataclass(frozen=True)
class Gang:
    """Ports Ethernet1/`first` to Ethernet1/`last` of which every `size` neighbours break out together.

    Interfaces configuration guide 10.6(x), overview. With maps that are not in `whole` the odd ports break out, and the
    even ones are gone meanwhile.
    """

    first: int
    last: int
    size: int
    whole: tuple[str, ...] = ()

    def members(self, number: int) -> tuple[int, ...]:
        """The neighbours of a port, itself among them."""
        start = self.first + (number - self.first) // self.size * self.size
        return tuple(range(start, start + self.size))


@dataclass(frozen=True, eq=False)
class Cage:
    """A receptacle: what fits into it, and its electrical lanes. There is one of each, in CAGES."""

    name: CageName
    takes: tuple[str, ...]
    """Form factors of transceivers and cable ends that work in it."""
    lane_gbps: int
    """Fastest electrical lane in Gb/s."""
    speeds: tuple[int, ...]
    """Gb/s it runs at unbroken."""
    breakouts: tuple[Breakout, ...]
    fec: dict[int, tuple[Fec, ...]]
    """Error correction the port can run, by Gb/s."""


_QUARTERS = (Breakout(4, 25, "25g-4x"), Breakout(4, 10, "10g-4x"), Breakout(2, 50, "50g-2x"))
_NRZ: dict[int, tuple[Fec, ...]] = {100: ("RS-528", "none"), 40: ("none",)}

CAGES: dict[str, Cage] = {
    cage.name: cage
    for cage in (
        Cage("QSFP28", ("QSFP28",), 25, (100, 40), _QUARTERS, _NRZ),
        Cage(
            "QSFP-DD",
            ("QSFP-DD", "QSFP56", "QSFP28"),
            50,
            (400, 200, 100, 40),
            (Breakout(4, 100, "100g-4x"), Breakout(2, 200, "200g-2x"), Breakout(8, 50, None)),
            {400: ("RS-544",), 200: ("RS-544",), 100: ("RS-528", "RS-544", "none"), 40: ("none",)},
        ),
        # A server NIC's: NVIDIA's transceiver pages say that BlueField-3 takes QSFP112 and nothing else.
        Cage("QSFP112", ("QSFP112",), 100, (400, 200), (), {400: ("RS-544",), 200: ("RS-544",)}),
    )
}
"""Receptacles by name."""


@dataclass(frozen=True)
class PortGroup:
    """Consecutive front-panel ports Ethernet1/`first` to Ethernet1/`last`, each of `gbps` Gb/s."""

    first: int
    last: int
    gbps: int
    cage_name: CageName

    @property
    def count(self) -> int:
        """Ports of the group."""
        return self.last - self.first + 1

    @property
    def cage(self) -> Cage:
        """Their receptacle."""
        return CAGES[self.cage_name]

    def parts(self, gbps: int) -> int:
        """Ports of `gbps` that one of these makes: 1 unbroken, 4 for 4 x 100G, 0 where it makes none."""
        whole = int(gbps in self.cage.speeds)
        return max([whole, *(each.count for each in self.cage.breakouts if each.gbps == gbps and each.word)])


def cage_number(port: str) -> int:
    """Number on the front panel of a port or a part of one: 7 of Ethernet1/7 and of Ethernet1/7/2."""
    return int(port.split("/")[1])
