"""What stands in a chassis: which blade in which slot, what they draw together, and what its supplies give them."""

from collections.abc import Mapping

from podwright.components.model.catalogue import CHASSIS, SERVERS, PowerSupplies
from podwright.components.model.catalogue.interconnects import PCIE_NODE_WATTS
from podwright.components.model.chassis import Chassis
from podwright.components.model.compute import Domain
from podwright.components.model.hosts import Host
from podwright.components.model.site import Site


def place(host: Host) -> tuple[str, int] | None:
    """Chassis and first slot of a blade; None where the file does not say."""
    if host.slot is None:
        return None
    chassis, _, slot = host.slot.rpartition("/")
    return chassis, int(slot)


def slots(host: Host) -> int:
    """Slots that a blade takes by itself, without its PCIe node; 0 for a rack server and an unknown model."""
    model = SERVERS.get(host.model)
    return model.slots if model else 0


def nodes(host: Host) -> int:
    """PCIe nodes beside a blade: its GPUs sit in one X440p."""
    return int(host.gpus is not None and slots(host) > 0)


def inside(hosts: Mapping[str, Host], domain: str, chassis: str) -> dict[str, Host]:
    """The blades of one chassis by host name."""
    there = ((name, host, place(host)) for name, host in hosts.items() if host.domain == domain)
    return {name: host for name, host, where in there if where and where[0] == chassis}


def draw(site: Site, host: Host) -> int:
    """Highest draw of a blade and its PCIe node in W: the site's figure for the model, else the catalogue's, which has
    the PCIe node's in it."""
    own, model = site.watts.get(host.model), SERVERS.get(host.model)
    if own is not None or model is None:
        return own or 0
    return model.watts - (0 if nodes(host) else PCIE_NODE_WATTS)


def supplies(chassis: Chassis) -> PowerSupplies:
    """The power supplies that are fitted in a chassis."""
    full = CHASSIS[chassis.model].supplies
    return PowerSupplies(chassis.supplies, full.watts, full.source)


def half_carries(site: Site, hosts: Mapping[str, Host], domains: Mapping[str, Domain], host: Host) -> bool | None:
    """Whether the supplies on one of two feeds carry the chassis of a blade with all that is in it; None for what is in
    no chassis that the file names."""
    where, domain = place(host), domains.get(host.domain or "")
    if where is None or domain is None or where[0] not in domain.chassis:
        return None
    there = inside(hosts, host.domain or "", where[0]).values()
    return supplies(domain.chassis[where[0]]).half_carries(sum(draw(site, each) for each in there))
