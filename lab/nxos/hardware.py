"""Front-panel ports of the switch models the lab can rack, and what their silicon can do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Hardware:
    """One model: its silicon family, and speed in Gb/s per port number."""

    model: str
    chassis: str
    ports: dict[int, int]
    family: str
    module: str

    def names(self) -> list[str]:
        """Interface names of the front panel in order."""
        return [f"Ethernet1/{number}" for number in self.ports]


def _ports(*blocks: tuple[int, int]) -> dict[int, int]:
    """Blocks of (how many, speed), numbered on from 1."""
    numbered: dict[int, int] = {}
    for count, speed in blocks:
        numbered.update(dict.fromkeys(range(len(numbered) + 1, len(numbered) + count + 1), speed))
    return numbered


_ROWS = (
    # model, description in `show inventory`, ports, silicon family. Ports: NetBox device-type library.
    ("N9K-C9336C-FX2", "36x40/100G QSFP28", _ports((36, 100)), "FX2"),
    ("N9K-C9364C-GX", "64x40/100G QSFP28", _ports((64, 100)), "GX"),
    ("N9K-C9316D-GX", "16x400G QSFP-DD", _ports((16, 400)), "GX"),
    ("N9K-C93600CD-GX", "28x100G + 8x400G", _ports((28, 100), (8, 400)), "GX"),
    ("N9K-C9332D-GX2B", "32x400G QSFP-DD", _ports((32, 400), (2, 10)), "GX2"),
    ("N9K-C9348D-GX2A", "48x400G QSFP-DD", _ports((48, 400), (2, 10)), "GX2"),
    ("N9K-C9364D-GX2A", "64x400G QSFP-DD", _ports((64, 400), (2, 10)), "GX2"),
    ("N9K-C93180YC-FX3", "48x25G + 6x100G", _ports((48, 25), (6, 100)), "FX3"),
)
MODELS: dict[str, Hardware] = {
    model: Hardware(model, f"Nexus9000 {model.removeprefix('N9K-')} Chassis", ports, family, text)
    for model, text, ports, family in _ROWS
}


def hardware(model: str) -> Hardware:
    """The catalogue row of `model`. Raises ValueError with the known ones."""
    try:
        return MODELS[model]
    except KeyError:
        raise ValueError(f"the lab has no switch model {model}; it knows {', '.join(MODELS)}") from None
