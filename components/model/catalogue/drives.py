"""Places for drives of each server model, and what can make virtual drives of them.

Counts: Cisco's data and spec sheets of the models, front and rear. Numbers of slots: rear ones of a 2U rack server
begin with 101 (Cisco's SDK, storage.StoragePolicy.ControllerAttachedNvmeSlots: 101-104). A model that is not listed is
not judged.
"""

from collections.abc import Mapping
from dataclasses import dataclass

RAID_MINIMUM: Mapping[str, int] = {
    "Raid0": 1, "Raid1": 2, "Raid10": 2, "Raid5": 3, "Raid50": 3, "Raid6": 4, "Raid60": 4,
}  # fmt: skip
"""Drives that a span has at least, by level (Cisco's SDK, storage.AutomaticDriveGroup.DrivesPerSpan)."""
MIRRORS = ("Raid1", "Raid10")
"""Levels whose spans have drives in pairs."""
NESTED = ("Raid10", "Raid50", "Raid60")
"""Levels of several spans; the others have one (Cisco's SDK, storage.AutomaticDriveGroup.NumberOfSpans)."""
MOST_SPANS = 8


@dataclass(frozen=True)
class Drives:
    """Drives that a model has places for."""

    slots: frozenset[int]
    """Numbers of the places."""
    raid: bool
    """Whether a RAID controller can stand before them; without one each is wired to a processor."""
    m2_controllers: int
    """M.2 RAID controllers that it takes."""
    source: str


def _front(count: int, rear: int = 0) -> frozenset[int]:
    return frozenset([*range(1, count + 1), *range(101, 101 + rear)])


_SHEET = "Cisco UCS {} spec sheet"

DRIVES: Mapping[str, Drives] = {
    "UCSC-C245-M8SX": Drives(_front(24, 4), True, 1, _SHEET.format("C245 M8")),
    "UCSC-C240-M8SX": Drives(_front(24, 4), True, 1, _SHEET.format("C240 M8")),
    "UCSC-C240-M7SX": Drives(_front(24, 4), True, 1, _SHEET.format("C240 M7")),
    "UCSC-C225-M8N": Drives(_front(10), False, 1, f"{_SHEET.format('C225 M8')}: ten NVMe drives, direct attached"),
    "UCSC-C220-M8S": Drives(_front(10), True, 1, _SHEET.format("C220 M8")),
    "UCSC-C220-M7S": Drives(_front(10), True, 1, _SHEET.format("C220 M7")),
    "UCSX-210C-M7": Drives(_front(6), True, 1, _SHEET.format("X210c M7")),
    "UCSX-215C-M8": Drives(_front(6), True, 1, _SHEET.format("X215c M8")),
    "UCSX-410C-M7": Drives(_front(6), True, 1, _SHEET.format("X410c M7")),
}
"""By model. What a C845A boots from is not in a public source that was found, so it is not judged."""
