"""Transceivers and cables with fixed ends: form factor, line, reach, fibre, connector, error correction.

Reach, fibre and connector are the PHY's own (IEEE 802.3 bm, bs, cd, cm, cu, ck; 100G Lambda MSA for FR and LR4);
product ids and the lengths cables are sold in: sources in each row. An entry's error correction is that on the line;
`host_fec` is what the port must run, which differs where the module does it itself (100G over one wavelength).
"""

from dataclasses import dataclass
from typing import Literal

from podwright.components.model.catalogue.ports import Fec

Fibre = Literal["OM4", "OS2"]
_GUIDE = "Cisco Nexus 9000 NX-OS Interfaces Configuration Guide 10.6(x), chapter 3"
_HYPERFABRIC = "Cisco Hyperfabric's cable list"
_SPLIT = "public listings of Cisco's QSFP-DD breakout cables; lengths as far as listed"
_SPEC_6536 = "Cisco UCS 6536 Fabric Interconnect spec sheet, table 15"
_X580P = "Cisco UCS X580p spec sheet, table 8"
_QDD = "IEEE 802.3 or its MSA; product id from public listings of Cisco's 400G QSFP-DD modules"
_QSFP28 = "IEEE 802.3 or its MSA; product id from public listings of Cisco's QSFP-100G modules"


@dataclass(frozen=True)
class Optic:
    """One transceiver."""

    name: str
    form: str
    """Form factor; a cage takes it or not."""
    gbps: int
    lane_gbps: int
    """Electrical lanes towards the port, Gb/s each."""
    line: str
    """PHY on the fibre. Two transceivers talk when their lines are the same."""
    fibre: Fibre
    connector: str
    reach_m: int
    fec: Fec
    host_fec: Fec
    source: str
    links: int = 1
    """Links of `gbps` that one of these carries: 4 for 4 x 100G, 2 for a twin-port 800G module."""
    parts: tuple[int, str] | None = None
    """How many links of which line it makes instead when its port is broken out."""


@dataclass(frozen=True)
class FixedCable:
    """A copper (DAC) or active optical cable (AOC) whose two ends are part of it."""

    name: str
    """Product id without the length."""
    kind: Literal["DAC", "AOC"]
    form: str
    """Form factor of both ends."""
    gbps: int
    lane_gbps: int
    lengths_m: tuple[float, ...]
    fec: Fec | None
    """None where no source says; then it is not checked."""
    source: str
    far_form: str = ""
    """Form factor of the far ends where it is another."""
    links: int = 1
    """Far ends, each of `gbps`: more than one for a port that is broken out."""

    @property
    def reach_m(self) -> float:
        """The longest it is sold in."""
        return self.lengths_m[-1]

    def product(self, metres: float) -> str:
        """Product id of the shortest that reaches; ValueError where none does."""
        for length in self.lengths_m:
            if length >= metres:
                return f"{self.name}{length:g}M"
        raise ValueError(f"{self.name} ends at {self.reach_m:g} m")


_AOC = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 25.0, 30.0)

CABLES: dict[str, FixedCable] = {
    cable.name: cable
    for cable in (
        FixedCable("QDD-400-CU", "DAC", "QSFP-DD", 400, 50, (1.0, 2.0, 2.5, 3.0), "RS-544", _HYPERFABRIC),
        FixedCable("QDD-400-AOC", "AOC", "QSFP-DD", 400, 50, _AOC[3:], "RS-544", _HYPERFABRIC),
        FixedCable("QSFP-100G-CU", "DAC", "QSFP28", 100, 25, (1.0, 2.0, 3.0, 5.0), "RS-528", _HYPERFABRIC),
        FixedCable("QSFP-100G-AOC", "AOC", "QSFP28", 100, 25, _AOC, None, _HYPERFABRIC),
        # One plug at the port that is broken out, several at the other end.
        FixedCable("QDD-2Q200-CU", "DAC", "QSFP-DD", 200, 50, (1.0, 3.0), None, _SPLIT, "QSFP56", 2),
        FixedCable("QDD-4ZQ100-CU", "DAC", "QSFP-DD", 100, 50, (1.0, 2.0, 3.0), None, _SPLIT, "QSFP28", 4),
        FixedCable("QSFP-4SFP25G-CU", "DAC", "QSFP28", 25, 25, (1.0, 2.0, 3.0, 5.0), None, _SPEC_6536, "SFP28", 4),
    )
}
"""Cables with fixed ends by product id without length, the preferred first."""

_MPO12, _MPO16, _LC = "MPO-12 APC", "MPO-16 APC", "duplex LC"

_DD: tuple[tuple[str, str, Fibre, str, int, tuple[int, str] | None], ...] = (
    # name, line, fibre, connector, reach, broken out into
    ("QDD-400G-SR8-S", "400GBASE-SR8", "OM4", _MPO16, 100, None),
    ("QDD-400G-SR4.2-BD", "400GBASE-SR4.2", "OM4", "MPO-12", 100, None),
    ("QDD-400G-DR4-S", "400GBASE-DR4", "OS2", _MPO12, 500, (4, "100GBASE-DR")),
    ("QDD-400G-FR4-S", "400G-FR4", "OS2", _LC, 2000, None),
    ("QDD-400G-LR4-S", "400G-LR4-10", "OS2", _LC, 10000, None),
    ("QDD-400G-LR8-S", "400GBASE-LR8", "OS2", _LC, 10000, None),
)

OPTICS: dict[str, Optic] = {
    optic.name: optic
    for optic in (
        *(
            Optic(name, "QSFP-DD", 400, 50, line, fibre, plug, reach, "RS-544", "RS-544", _QDD, parts=parts)
            for name, line, fibre, plug, reach, parts in _DD
        ),
        Optic("QDD-4X100G-FR-S", "QSFP-DD", 100, 50, "100G-FR", "OS2", _MPO12, 2000, "RS-544", "RS-544", _QDD, links=4),
        # Four electrical lanes of 100 Gb/s: for server NICs. Multimode VR4 has no partner in an eight-lane port.
        Optic("QSFP-400G-VR4", "QSFP112", 400, 100, "400GBASE-VR4", "OM4", _MPO12, 50, "RS-544", "RS-544",
              "Cisco transceiver compatibility matrix"),
        Optic("QSFP-400G-DR4", "QSFP112", 400, 100, "400GBASE-DR4", "OS2", _MPO12, 500, "RS-544", "RS-544", _X580P),
        Optic("QSFP-100G-SR4-S", "QSFP28", 100, 25, "100GBASE-SR4", "OM4", "MPO-12", 100, "RS-528", "RS-528", _QSFP28),
        Optic("QSFP-100G-DR-S", "QSFP28", 100, 25, "100GBASE-DR", "OS2", _LC, 500, "RS-544", "none", _QSFP28),
        Optic("QSFP-100G-FR-S", "QSFP28", 100, 25, "100G-FR", "OS2", _LC, 2000, "RS-544", "none", _QSFP28),
        Optic("QSFP-100G-LR4-S", "QSFP28", 100, 25, "100GBASE-LR4", "OS2", _LC, 10000, "none", "none", _QSFP28),
        # Twin-port: for 800G ports, which no switch of this catalogue has (the N9364E-SG2 would).
        Optic("QDD-8X100G-FR", "QSFP-DD800", 100, 100, "100G-FR", "OS2", "2 x MPO-12 APC", 2000, "RS-544", "RS-544",
              _GUIDE, links=8),
        Optic("QDD-2X400G-FR4", "QSFP-DD800", 400, 100, "400G-FR4", "OS2", "2 x duplex LC", 2000, "RS-544", "RS-544",
              _GUIDE, links=2),
    )
}  # fmt: skip
"""Transceivers by product id, the preferred first."""

TRUNKS: dict[tuple[str, str], tuple[str, tuple[int, ...]]] = {
    ("MPO-12", "OS2"): ("CB-M12-M12-SMF", (1, 2, 3, 5, 7, 10, 15, 20, 25, 30)),
    ("MPO-12", "OM4"): ("CB-M12-M12-MMF", (1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30)),
}
"""Cisco's own fibre trunks (type B) by connector and fibre: product id without length, and lengths in metres (the
X580p spec sheet). Longer runs and other connectors are the site's structured cabling."""
