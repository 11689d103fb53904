"""What a change of one Intersight property costs the server or interconnect that it is deployed to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Literal

Felt = Literal["server", "interconnects", "nobody"]
UNSURE: Final = "[?]"
"""Source of a class that nothing was found to prove: the worst that is likely."""


class Disruption(IntEnum):
    """From nothing to lost data; a server's own answer is compared with it."""

    NONE = 0
    """Taken when the profile is deployed; nothing that runs notices."""
    FLAP = 1
    """Taken when the profile is deployed; a link is down, or traffic is lost, for a moment."""
    REBOOT = 2
    """Waits for a restart: of the server, in its pool's roll-out; of a Fabric Interconnect, at its deployment."""
    WIPE = 3
    """Data on disks is lost."""

    @property
    def word(self) -> str:
        """As a preview spells it."""
        return self.name.lower()


@dataclass(frozen=True)
class PropertyRow:
    """One property of one type of object."""

    object_type: str
    name: str
    """Of a part, with dots: `VlanSettings.NativeVlan`. Empty: the object itself is added to what it stands in, or taken
    out. `*`: every property without a row of its own."""
    disruption: Disruption
    reason: str
    source: str
    """`[?]` where nothing was found that says it: the class is then the worst that is likely."""
    felt_by: Felt = "server"


def type_rows(
    object_type: str, *rows: tuple[str, Disruption, str, str], felt_by: Felt = "server"
) -> Iterator[tuple[str, Mapping[str, PropertyRow]]]:
    """Rows of a type: names with blanks between them (`-` for the object itself), class, reason, source."""
    yield (
        object_type,
        {
            name: PropertyRow(object_type, name, disruption, reason, source, felt_by)
            for names, disruption, reason, source in rows
            for name in ([each.strip("-") for each in names.split()])
        },
    )
