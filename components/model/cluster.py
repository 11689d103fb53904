"""The root of a stack file: one cluster."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.compute import Bmc, Domain, Intersight, Server
from podwright.components.model.fabric import Fabric
from podwright.components.model.hosts import Host
from podwright.components.model.network import FabricArgs
from podwright.components.model.operators import Operators
from podwright.components.model.platform import OpenShift, Pool
from podwright.components.model.site import Site
from podwright.components.model.types import Name, Spec
from podwright.components.model.workloads import Acceptance, Storage, Workloads


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
    hosts: dict[Name, Host] = {}
    """Machines on the backend that this stack does not install, by host name; no name may be a server's too."""
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

    @property
    def network(self) -> FabricArgs:
        """What the fabric is planned from."""
        return FabricArgs.model_construct(
            cluster=self.name,
            site=self.site,
            fabric=self.fabric,
            hosts={**self.servers, **self.hosts},
            domains=self.domains,
            gateway=self.openshift.gateway,
            protect=self.protect,
        )
