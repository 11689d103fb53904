"""Power supplies by model: how many are fitted, what one delivers, and how two feeds share them.

A rating of None says that it is chosen with the order: whether half of the supplies carries the machine is then for
`site.supplies` to say.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Redundancy = Literal["Grid", "N+1", "N+2", "NotRedundant"]
"""`RedundancyMode` of Intersight's power.Policy, which is a chassis's."""
SPARE: Final[Mapping[Redundancy, int]] = {"NotRedundant": 0, "N+1": 1, "N+2": 2}
"""Supplies that the chassis keeps back; Grid keeps back one feed's."""


@dataclass(frozen=True)
class PowerSupplies:
    """The power supplies of one machine."""

    fitted: int
    watts: int | None
    """What one delivers, in W at 200 V and more; None where the order decides it."""
    source: str

    def half_carries(self, draw: int) -> bool | None:
        """Whether those on one of two feeds carry a draw in W by themselves; None where the rating is not known. Of an
        odd number the fewer are counted."""
        return None if self.watts is None else self.fitted // 2 * self.watts >= draw

    def one_less_carries(self, draw: int) -> bool | None:
        """Whether the others carry a draw in W when one is lost; None where the rating is not known."""
        return None if self.watts is None else (self.fitted - 1) * self.watts >= draw

    def budget(self, mode: Redundancy) -> int | None:
        """Watts that the machine may take under a redundancy mode; None where the rating is not known."""
        if self.watts is None:
            return None
        kept = self.fitted - self.fitted // 2 if mode == "Grid" else SPARE[mode]
        return max(self.fitted - kept, 0) * self.watts


C880A: Final = PowerSupplies(12, 3200, "Cisco UCS C880A M8 spec sheet: 12 of UCSAI-PSU-3200W, 54 V")
RACK_PAIR: Final = PowerSupplies(2, None, "Cisco UCS C-Series spec sheets: two, 1+1, of a rating chosen with the order")
