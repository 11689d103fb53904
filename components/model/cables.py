"""What is defined about cables: how long they are, and what plugs in at both ends."""

from typing import Annotated

from pydantic import Field, StringConstraints

from podwright.components.model.types import Name, Spec, Words

Metres = Annotated[float, Field(gt=0, le=10000)]
"""Length of a cable in metres, slack and the way up and down the racks included."""

Pluggable = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Z0-9][A-Z0-9.-]{2,39}$"),
    Words("a transceiver or cable of the catalogue, such as QDD-400G-DR4-S, or QDD-400-CU without its length"),
]
"""Product id of a transceiver, or of a cable with fixed ends without its length."""


class Ends(Spec):
    """What plugs in at both ends of one kind of link."""

    near: Pluggable
    """At the switch nearer the hosts: the leaf, or the first peer of a pair."""
    far: Pluggable | None = None
    """At the other end: server NIC, spine or second peer. None: the same product as near."""


class Cables(Spec):
    """Lengths and pluggables. A length that is not given is not checked, and the bill of materials says so."""

    same_rack_m: Metres | None = None
    """Length between two devices of one rack, in metres."""
    other_rack_m: Metres | None = None
    """Length between devices of two racks, in metres, where `runs` defines no other."""
    runs: dict[Name, dict[Name, Metres]] = {}
    """Lengths between two racks that differ from it: one rack, then the other; each pair once, in either order."""
    host: Ends | None = None
    """Leaf to server NIC. None: the shortest-reaching choice of the catalogue for each length."""
    fabric: Ends | None = None
    """Leaf to spine. None: as above."""
    peer: Ends | None = None
    """Peer link of a pair. None: as above."""

    def metres(self, one: str, other: str) -> float | None:
        """Length of a cable between two racks; None where none is given."""
        if one == other:
            return self.same_rack_m
        length = self.runs.get(one, {}).get(other) or self.runs.get(other, {}).get(one)
        return length or self.other_rack_m
