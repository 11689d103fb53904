"""What the building gives: racks, power feeds, time, names, logs."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.types import DnsName, DottedQuad, Host, ModelId, Name, Spec


class Rack(Spec):
    """A rack; its key is its name."""

    power_domain: Name
    """Power feed it hangs on; no two control-plane hosts share one."""
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
    watts: dict[ModelId, Annotated[int, Field(ge=1, le=50_000)]] = {}
    """Highest draw in W by product id, as the site reckons it. It takes the place of the catalogue's estimate."""
