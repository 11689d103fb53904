"""What the building gives: racks, power feeds, time, names, logs."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.types import DnsName, DottedQuad, Host, ModelId, Name, Spec


class Supplies(Spec):
    """Power supplies of one model, as the site has fitted them."""

    fitted: Annotated[int, Field(ge=1, le=16)]
    """How many a machine has. On two feeds, each has half of them."""
    needed: Annotated[int, Field(ge=1, le=16)]
    """How many of them carry it at its highest draw: 4 of 6 where the data sheet says 4+2."""


class Rack(Spec):
    """A rack; its key is its name."""

    power_domain: Name
    """Power feed it hangs on; no two control-plane hosts share one that can take both down."""
    second_feed: Name | None = None
    """Second power feed: the supplies of each machine in it are divided between both. Null: all hang on `power_domain`.
    """
    power_kw: Annotated[float, Field(gt=0, le=200)] | None = None
    """Power budget in kW. None: not checked."""


class Site(Spec):
    """What the building gives."""

    ntp: Annotated[tuple[Host, ...], Field(min_length=1, max_length=4)]
    """Time servers."""
    dns: Annotated[tuple[DottedQuad, ...], Field(min_length=1, max_length=3)]
    """Addresses of the name servers."""
    domain: DnsName
    """Search domain of switches and servers."""
    syslog: Host | None = None
    """Log server."""
    racks: Annotated[dict[Name, Rack], Field(min_length=1)]
    """Racks by name."""
    supplies: dict[ModelId, Supplies] = {}
    """Supplies by product id, for machines in racks with two feeds. A model left out has the catalogue's, where it
    knows them."""
    watts: dict[ModelId, Annotated[int, Field(ge=1, le=50_000)]] = {}
    """Highest draw in W by product id, as the site reckons it. It takes the place of the catalogue's estimate."""
