"""What goes dark with a power feed: racks hang on one or on two, and a machine's supplies are divided between two."""

from podwright.components.model.catalogue import SWITCHES
from podwright.components.model.site import Rack, Site


def feeds(rack: Rack) -> tuple[str, ...]:
    """The feeds of a rack, the first one first."""
    return (rack.power_domain,) if rack.second_feed is None else (rack.power_domain, rack.second_feed)


def half_carries(site: Site, model: str) -> bool | None:
    """Whether the supplies on one of two feeds carry a model by themselves; None where nobody says.

    Of an odd number the fewer are counted. A switch has two, whose rating is the catalogue's.
    """
    own = site.supplies.get(model)
    if own is not None:
        return own.fitted // 2 >= own.needed
    switch = SWITCHES.get(model)
    if switch is not None and switch.psu_watts is not None and switch.psu_watts >= switch.watts:
        return True
    return None


def hangs_on(site: Site, rack: Rack, model: str) -> frozenset[str]:
    """Feeds any one of which may take a machine down alone: none where half of its supplies is known to carry it."""
    both = feeds(rack)
    return frozenset(both) if len(both) == 1 or not half_carries(site, model) else frozenset()
