"""What is defined about ports of a Fabric Interconnect that are no plain Ethernet ports."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.catalogue.interconnects import PortModeName
from podwright.components.model.types import Spec

Number = Annotated[int, Field(ge=1, le=64)]


class PortMode(Spec):
    """Ports of both interconnects of a pair that are Fibre Channel, or broken out into four lanes."""

    mode: PortModeName
    """Intersight's name of the mode. Which ports take which is the model's: FibreChannel on 1 to 16 of a 6454, four at
    a time, and 25 to 40 of a 6664, from the first on; lanes of Ethernet on 49 to 54 of a 6454 and all ports of a 6536;
    lanes of Fibre Channel on 33 to 36 of a 6536 and 1 and 2 of an S9108."""
    ports: Annotated[tuple[Number, ...], Field(min_length=1)]
    """The ports, by their numbers."""
