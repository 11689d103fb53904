"""Power: what stands in a rack against the rack's budget."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from podwright.components.model.catalogue import INTERCONNECTS, SERVERS, SWITCHES
from podwright.components.model.coherence.references import switches
from podwright.components.model.network import FabricArgs
from podwright.components.model.problems import Problem

USABLE = 0.8
"""Share of a rack's budget that planned draw may take."""


def _power(args: FabricArgs) -> Iterator[Problem]:
    """Highest draw of what stands in a rack, against 80 % of its budget."""
    draw: dict[str, int] = {}
    own = args.site.watts
    for host in args.hosts.values():
        model = SERVERS.get(host.model)
        watts = own.get(host.model) or (model.watts if model else 0)
        draw[host.rack] = draw.get(host.rack, 0) + watts
    for switch in switches(args).values():
        box = SWITCHES.get(switch.model)
        watts = own.get(switch.model) or (box.watts if box else 0)
        draw[switch.rack] = draw.get(switch.rack, 0) + watts
    for name, rack in args.site.racks.items():
        if rack.power_kw is not None and draw.get(name, 0) > rack.power_kw * 1000 * USABLE:
            needed = draw[name] / 1000 / USABLE
            message = f"{draw[name] / 1000:.1f} kW stand in this rack, more than 80 % of {rack.power_kw:g} kW"
            loc = ("site", "racks", name, "power_kw")
            hint = f"move servers, give the rack {needed:.1f} kW, or write what your models draw in site.watts"
            yield Problem(loc, message, hint)


def _watts(args: FabricArgs) -> Iterator[Problem]:
    """A draw is given for a model that exists."""
    yield from _models(args.site.watts, "watts")


def _models(named: Iterable[str], section: str) -> Iterator[Problem]:
    known = (*SERVERS, *SWITCHES, *INTERCONNECTS)
    for name in named:
        if name not in known:
            close = get_close_matches(name, known, n=2, cutoff=0.6)
            hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(known)}"
            yield Problem(("site", section, name), f"{name} is no model of the catalogue", hint, at_key=True)


def _feeds(args: FabricArgs) -> Iterator[Problem]:
    """Two feeds are two."""
    for name, rack in args.site.racks.items():
        if rack.second_feed == rack.power_domain:
            loc = ("site", "racks", name, "second_feed")
            yield Problem(loc, f"{rack.second_feed} is its first feed too", "write another feed, or leave it out")


def _supplies(args: FabricArgs) -> Iterator[Problem]:
    """Supplies are given for a model that exists, and enough are fitted."""
    yield from _models(args.site.supplies, "supplies")
    for name, each in args.site.supplies.items():
        if each.needed > each.fitted:
            loc = ("site", "supplies", name, "needed")
            yield Problem(
                loc, f"{each.needed} supplies are needed, {each.fitted} are fitted", "write how many carry it"
            )


FABRIC = (_power, _watts, _feeds, _supplies)
