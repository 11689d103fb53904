"""Fabric Interconnects and the chassis behind them, by the names that Intersight prints.

Ports and their modes: `device_model` and the constraints of each model in Cisco's Ansible module
intersight_port_policy. Chassis: Cisco UCS X9508 spec sheet, tables 4, 10 and 13 and step 7; PCIe node: Cisco UCS X440p
spec sheet, table 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from podwright.components.model.catalogue.supplies import PowerSupplies

InterconnectName = Literal["UCS-FI-6454", "UCS-FI-6536", "UCS-FI-6664", "UCSX-S9108-100G"]
_PORTS = "Cisco Ansible collection cisco.intersight, intersight_port_policy"

PortModeName = Literal[
    "FibreChannel", "BreakoutEthernet10G", "BreakoutEthernet25G", "BreakoutEthernet2x100G", "BreakoutEthernet4x100G",
    "BreakoutFibreChannel8G", "BreakoutFibreChannel16G", "BreakoutFibreChannel32G",
]  # fmt: skip
"""`CustomMode` of Intersight's fabric.PortMode: what a port is other than one Ethernet port."""
FIBRE_CHANNEL: Final = "FibreChannel"
_ETHERNET_LANES: Final = ("BreakoutEthernet10G", "BreakoutEthernet25G")
_CHANNEL_LANES: Final = ("BreakoutFibreChannel8G", "BreakoutFibreChannel16G", "BreakoutFibreChannel32G")


@dataclass(frozen=True)
class Modes:
    """Ports that take the same modes."""

    names: tuple[str, ...]
    first: int
    last: int
    step: int = 1
    """Ports are given to `FibreChannel` from the first one on, so many at a time."""


@dataclass(frozen=True)
class Interconnect:
    """One Fabric Interconnect model."""

    name: InterconnectName
    ports: int
    """Ethernet ports towards servers and the frontend, numbered from 1."""
    described: str
    watts: int | None
    """Highest draw in W; None where no source confirms it."""
    supplies: PowerSupplies | None
    """None for the one that sits in a chassis and is fed by it, and where no source confirms them."""
    source: str
    modes: tuple[Modes, ...] = ()
    """What its ports can be other than one Ethernet port each."""


@dataclass(frozen=True)
class Chassis:
    """One chassis model."""

    name: str
    slots: int
    supplies: PowerSupplies
    """Fully fitted; one of two feeds has the first half."""
    source: str

    def least(self, nodes: int) -> int:
        """Power supplies without which so many nodes cannot be ordered."""
        return 2 if nodes <= 1 else 4 if nodes <= 6 else 6


INTERCONNECTS: Final[Mapping[str, Interconnect]] = {
    each.name: each
    for each in (
        Interconnect("UCS-FI-6454", 54, "48 x 10/25G, 6 x 40/100G (49 to 54); Fibre Channel on 1 to 16", None, None,
                     _PORTS, (Modes((FIBRE_CHANNEL,), 1, 16, 4), Modes(_ETHERNET_LANES, 49, 54))),
        Interconnect("UCS-FI-6536", 36, "36 x 10/25/40/100G; Fibre Channel by breakout of 33 to 36", 1100,
                     PowerSupplies(2, 1100, "Cisco UCS 6536 spec sheet"), f"Cisco UCS 6536 spec sheet; {_PORTS}",
                     (Modes(_ETHERNET_LANES, 1, 36), Modes(_CHANNEL_LANES, 33, 36))),
        Interconnect("UCS-FI-6664", 64, "48 x 40/100G (1 to 24, 41 to 64), 16 x 10/25/50G; Fibre Channel on 25 to 40",
                     None, None, _PORTS, (Modes((FIBRE_CHANNEL,), 25, 40),)),
        Interconnect("UCSX-S9108-100G", 8, "8 x 40/100G, in the chassis; Fibre Channel by breakout of 1 and 2", None,
                     None, f"Cisco UCS X9508 spec sheet; {_PORTS}", (Modes(_CHANNEL_LANES, 1, 2),)),
    )
}  # fmt: skip
"""Fabric Interconnects by model."""

X9508: Final = Chassis(
    "UCSX-9508", 8, PowerSupplies(6, 2800, "Cisco UCS X9508 spec sheet, table 13: PEM 1 feeds 1 to 3, PEM 2 4 to 6"),
    "Cisco UCS X9508 spec sheet",
)  # fmt: skip
CHASSIS: Final[Mapping[str, Chassis]] = {X9508.name: X9508}
"""Chassis by model."""

PCIE_NODE_WATTS: Final = 1300
"""Highest draw of an X440p, which takes a slot of its own beside the compute node whose GPUs it holds."""
