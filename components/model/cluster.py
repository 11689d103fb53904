"""The root of a stack file: one cluster."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.compute import Bmc, Domain, Intersight, Server
from podwright.components.model.fabric import Fabric
from podwright.components.model.operators import Operators
from podwright.components.model.platform import OpenShift, Pool
from podwright.components.model.types import DnsName, DottedQuad, Host, ModelId, Name, Spec
from podwright.components.model.workloads import Acceptance, Storage, Workloads


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


class Cluster(Spec):
    """One cluster, in the operator's words."""

    name: Name
    """Name of the cluster."""
    site: Site
    """The site."""
    fabric: Fabric
    """The network."""
    intersight: Intersight
    """The Intersight account."""
    bmc: Bmc
    """Access to baseboard controllers."""
    domains: dict[Name, Domain] = {}
    """Fabric Interconnect pairs."""
    servers: Annotated[dict[Name, Server], Field(min_length=1)]
    """Servers by host name."""
    openshift: OpenShift
    """The OpenShift installation."""
    pools: dict[Name, Pool] = {}
    """Node pools by name; `control-plane` is there without being said."""
    operators: Operators
    """The operator stack."""
    storage: Storage = Storage()
    """Storage classes and volumes."""
    workloads: Workloads = Workloads()
    """What runs."""
    acceptance: Acceptance
    """The RoCE acceptance check."""
    protect: bool = False
    """Deletion protection: destroy refuses until it is lifted here."""
