"""What a fabric is planned from: its own section, and what it must know of the things that plug into it."""

from ipaddress import IPv4Address

from podwright.components.model.compute import Domain
from podwright.components.model.fabric import Fabric
from podwright.components.model.handover import FabricPaths
from podwright.components.model.hosts import Host
from podwright.components.model.site import Site
from podwright.components.model.types import Name, Spec


class FabricArgs(Spec):
    """All switches of one cluster, and everything the plan of them reads."""

    cluster: Name
    """Name of the cluster; it is stamped on every resource."""
    site: Site
    """The site."""
    fabric: Fabric
    """The network."""
    hosts: dict[Name, Host] = {}
    """What is cabled to leaves, by host name: servers of this cluster, and machines that somebody else installs."""
    domains: dict[Name, Domain] = {}
    """Fabric Interconnect pairs that hang on the frontend, by name."""
    beside: tuple[FabricPaths, ...] = ()
    """Other fabrics of the same site: `paths` of each. No address is used twice."""
    gateway: IPv4Address | None = None
    """Default gateway of the machine network, which the frontend pair answers for. None: the network's first
    address."""
    together: bool = False
    """All switches change in one wave: for changes that both ends of a link must make."""
    protect: bool = False
    """Deletion protection: destroy refuses until it is lifted here."""
