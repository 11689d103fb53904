"""What is defined about every switch, whichever fabric it belongs to."""

from ipaddress import IPv4Address
from typing import Annotated

from pydantic import Field

from podwright.components.model.types import Asn, Derived, Name, Serial, Spec


class Switch(Spec):
    """One Nexus switch; its key in the map is its hostname."""

    model: str
    """Product id as in the catalogue, for example N9K-C9364D-GX2A."""
    index: Annotated[int, Field(ge=1, le=63), Derived("the number its name ends in")]
    """Fixed number of this switch in its role. Addresses and ports follow from it: never reuse or renumber."""
    management: IPv4Address
    """Address of mgmt0."""
    asn: Annotated[Asn, Derived("a number of `fabric.asn`")]
    """BGP autonomous system number: one per leaf, one shared by all spines."""
    rack: Name
    """Rack it is mounted in; a key of `site.racks`."""
    serial: Serial | None = None
    """Chassis serial number; checked against the switch where given."""
    adopt: bool = False
    """Take over configuration blocks of the same name that already stand on the switch."""
    renamed_from: Name | None = None
    """Name that the switch has in the stack's state: the next update renames it in place, and the line may go.
    Null: its name is the one it has."""
