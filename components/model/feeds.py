"""What goes dark with a power feed: racks hang on one or on two, and a machine's supplies are divided between two."""

from podwright.components.model import blades
from podwright.components.model.catalogue import INTERCONNECTS, SERVERS, SWITCHES
from podwright.components.model.hosts import Host
from podwright.components.model.network import FabricArgs
from podwright.components.model.site import Rack, Site
from podwright.components.model.switch import Switch


def feeds(rack: Rack) -> tuple[str, ...]:
    """The feeds of a rack, the first one first."""
    return (rack.power_domain,) if rack.second_feed is None else (rack.power_domain, rack.second_feed)


def half_carries(site: Site, model: str) -> bool | None:
    """Whether the supplies on one of two feeds carry a model by themselves; None where nobody says.

    Of an odd number the fewer are counted. What `site.supplies` leaves out has the catalogue's, where it knows them.
    """
    own = site.supplies.get(model)
    if own is not None:
        return own.fitted // 2 >= own.needed
    switch = SWITCHES.get(model)
    if switch is not None and switch.psu_watts is not None and switch.psu_watts >= switch.watts:
        return True
    box = SERVERS.get(model) or INTERCONNECTS.get(model)
    if box is None or box.supplies is None:
        return None
    draw = site.watts.get(model) or box.watts
    return None if draw is None else box.supplies.half_carries(draw)


def carried(args: FabricArgs, machine: Host | Switch) -> bool | None:
    """The same for a machine where it stands: a blade is carried as long as its chassis is."""
    if isinstance(machine, Host) and machine.slot is not None and machine.model not in args.site.supplies:
        return blades.half_carries(args.site, args.hosts, args.domains, machine)
    return half_carries(args.site, machine.model)


def one_less_carries(site: Site, model: str) -> bool | None:
    """Whether a server goes on when one of its supplies is lost; None where nobody says."""
    own = site.supplies.get(model)
    if own is not None:
        return own.fitted > own.needed
    box = SERVERS.get(model)
    if box is None or box.supplies is None:
        return None
    return box.supplies.one_less_carries(site.watts.get(model) or box.watts)


def hangs_on(rack: Rack, carried: bool | None) -> frozenset[str]:
    """Feeds any one of which may take a machine down alone: none where half of its supplies is known to carry it."""
    both = feeds(rack)
    return frozenset(both) if len(both) == 1 or not carried else frozenset()
