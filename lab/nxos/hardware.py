"""Front-panel ports of the switch models the lab can rack, and what their silicon can do."""

from __future__ import annotations

from dataclasses import dataclass

_QSFP28 = ("10g-4x", "25g-4x", "50g-2x")
_QSFP_DD = (*_QSFP28, "50g-4x", "100g-2x", "100g-4x", "200g-2x")
MAPS = {400: _QSFP_DD, 100: _QSFP28}
"""Words of `interface breakout … map` by the speed of a cage (interfaces guide 10.6(x), breakout modes matrix)."""


@dataclass(frozen=True)
class Gang:
    """Ports `first` to `last` of which every `size` neighbours break out together (interfaces guide 10.6(x)).

    Maps other than those of `all_ports` break the odd ones out, and the even ones are gone meanwhile.
    """

    first: int
    last: int
    size: int
    all_ports: tuple[str, ...] = ()
    one_by_one: bool = False
    """Made whole one by one; otherwise all at once."""

    def members(self, port: int) -> range:
        """The neighbours of a port, itself among them."""
        start = self.first + (port - self.first) // self.size * self.size
        return range(start, start + self.size)


_GANGS = {
    "N9K-C9364C-GX": (Gang(1, 64, 4, one_by_one=True),),
    "N9K-C93600CD-GX": (Gang(1, 24, 4, ("50g-2x",)), Gang(25, 28, 2, _QSFP28)),
}


@dataclass(frozen=True)
class Hardware:
    """One model: its silicon family, and speed in Gb/s per port number."""

    model: str
    chassis: str
    ports: dict[int, int]
    family: str
    module: str

    def names(self) -> list[str]:
        """Interface names of the front panel in order, nothing broken out."""
        return [f"Ethernet1/{number}" for number in self.ports]

    def gang(self, port: int) -> Gang | None:
        """The ports that a port breaks out with; None where each does by itself."""
        return next((each for each in _GANGS.get(self.model, ()) if each.first <= port <= each.last), None)

    def together(self, port: int, word: str) -> tuple[list[int], list[int]]:
        """The ports that a map on this one breaks out, and those that are gone meanwhile."""
        gang = self.gang(port)
        if gang is None or word in gang.all_ports:
            return ([port] if gang is None else list(gang.members(port))), []
        return [n for n in gang.members(port) if n % 2], [n for n in gang.members(port) if not n % 2]


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
