"""What is defined about a chassis of blades, and what its profile in Intersight tells it."""

from typing import Annotated, Literal

from pydantic import Field

from podwright.components.model.catalogue.supplies import Redundancy
from podwright.components.model.types import Name, Serial, Spec

Fans = Literal["Balanced", "LowPower", "HighPower", "MaximumPower", "Acoustic"]
"""`FanControlMode` of Intersight's thermal.Policy, as far as an X-Series chassis takes it."""


class ChassisProfile(Spec):
    """The profile of a chassis in Intersight: power, fans, and the services of its controller.

    The power policy has the chassis's own `redundancy`. With `intersight.management.addresses` its controller takes an
    address of that pool, with `snmp` there it answers SNMPv3.
    """

    serial: Serial
    """Serial number of the chassis, which binds the profile."""
    fans: Fans = "Balanced"
    """How fast the fans run: as heat asks (Balanced), as slow as heat permits (LowPower, Acoustic), or faster
    (HighPower, MaximumPower)."""
    power_save: bool = True
    """True: supplies that neither the load nor `redundancy` needs are put to sleep."""
    lends_reserve: bool = False
    """True: blades may also draw what `redundancy` keeps back (Intersight's ExtendedPowerCapacity). A feed that fails
    then takes more than the others can give."""
    derived: bool = False
    """True: the profile has its policies from a chassis profile template that chassis of the same power and fans share,
    and that shows in Intersight as their source. A chassis joins and leaves it without a restart of a blade. False: the
    profile holds them itself."""
    limit_watts: Annotated[int, Field(ge=1, le=65535)] | None = None
    """The most that the chassis may draw, in W. Null: no limit."""


class Chassis(Spec):
    """A chassis behind a pair of Fabric Interconnects; its key is its name."""

    model: Literal["UCSX-9508"] = "UCSX-9508"
    """Chassis model."""
    rack: Name
    """Rack it stands in; its blades stand in the same."""
    supplies: Annotated[int, Field(ge=2, le=6)] = 6
    """Power supplies that are fitted. On two feeds, the first has half of them."""
    redundancy: Redundancy = "Grid"
    """What the chassis keeps back of its supplies, as its power policy in Intersight says: Grid those of one of two
    feeds, N+1 one, N+2 two. The blades' draw is judged by it."""
    profile: ChassisProfile | None = None
    """Its profile in Intersight. Null: none is written, and `redundancy` is what somebody else has set there."""
