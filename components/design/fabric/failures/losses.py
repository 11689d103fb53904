"""What can be lost alone: a device, a power domain, a cable, a transceiver, a power supply."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from podwright.components.design.fabric.materials import cage
from podwright.components.design.fabric.model import FabricPlan, Link, SwitchPlan
from podwright.components.design.hardware import switch_model
from podwright.components.model import FabricArgs
from podwright.components.model.feeds import carried, feeds, half_carries, one_less_carries

Kind = Literal[
    "spine",
    "leaf",
    "pair-leaf",
    "feed",
    "rack",
    "supply",
    "fabric-link",
    "host-link",
    "peer-link",
    "pair-link",
    "optic",
]


@dataclass(frozen=True)
class Loss:
    """One thing that is gone, with everything that goes with it."""

    kind: Kind
    name: str
    devices: frozenset[str] = frozenset()
    links: frozenset[Link] = frozenset()
    unknown: str = ""
    """Why nobody can say what goes with it."""


def losses(args: FabricArgs, plan: FabricPlan) -> Iterator[Loss]:
    """Everything that can be lost alone."""
    for kind, roles in (("spine", {"spine"}), ("leaf", {"leaf"}), ("pair-leaf", {"frontend-leaf", "storage-leaf"})):
        for switch in plan.switches:
            if switch.role in roles:
                yield Loss(kind, switch.hostname, frozenset((switch.hostname,)))  # type: ignore[arg-type]
    yield from _power(args, plan)
    for switch in plan.switches:
        yield Loss("supply", f"{switch.hostname}, one of two", unknown=_supply(switch))
    for server in dict.fromkeys(server for server, _ in plan.host_ports):
        yield _supply_of(args, server)
    leaves = frozenset(switch.hostname for switch in plan.switches if switch.role == "leaf")
    seats: dict[tuple[str, str], list[frozenset[Link]]] = defaultdict(list)
    for link in plan.links:
        alone = frozenset((link,))
        yield Loss(_kind(link, leaves), f"{link.device} {link.port} – {link.peer} {link.peer_port}", links=alone)
        seats[link.device, cage(link.port)].append(alone)
        seats[link.peer, cage(link.peer_port)].append(alone)
    for (device, seat), (first, *others) in seats.items():
        yield Loss("optic", f"{device} {seat}", links=first.union(*others) if others else first)


def _supply_of(args: FabricArgs, server: str) -> Loss:
    """One power supply of a server: it goes with it where the others are known to be too few."""
    name, model = f"{server}, one of its", args.hosts[server].model
    enough = one_less_carries(args.site, model)
    if enough is None:
        return Loss(
            "supply", name, unknown=f"how many supplies carry a {model} is not known: write it in site.supplies"
        )
    return Loss("supply", name, frozenset(() if enough else (server,)))


def _power(args: FabricArgs, plan: FabricPlan) -> Iterator[Loss]:
    """Feeds, and racks that none of them takes down whole. A machine on two feeds goes where half of its supplies is
    known to be too few; where nobody says, the loss is not checked."""
    inside: dict[str, dict[str, str]] = {rack: {} for rack in args.site.racks}
    for switch in plan.switches:
        inside[switch.rack][switch.hostname] = switch.model
    for name, server in args.hosts.items():
        inside[server.rack][name] = server.model
    for name, domain in args.domains.items():
        inside[domain.rack] |= {f"{name}-{side.lower()}": domain.model for side in domain.serials}
    fed: dict[str, set[str]] = defaultdict(set)
    open_: dict[str, set[str]] = defaultdict(set)
    for rack, devices in inside.items():
        both = feeds(args.site.racks[rack])
        for feed in both:
            enough = {name: _enough(args, name, model) for name, model in devices.items()}
            fed[feed] |= {name for name in devices if len(both) == 1 or enough[name] is False}
            open_[feed] |= {devices[name] for name in devices if len(both) > 1 and enough[name] is None}
    for feed, dark in fed.items():
        yield Loss("feed", feed, frozenset(dark), unknown=_undivided(sorted(open_[feed])))
    for rack, devices in inside.items():
        both = feeds(args.site.racks[rack])
        if devices and (len(both) > 1 or devices.keys() != fed[both[0]]):
            yield Loss("rack", rack, frozenset(devices))


def _enough(args: FabricArgs, name: str, model: str) -> bool | None:
    host = args.hosts.get(name)
    return half_carries(args.site, model) if host is None else carried(args, host)


def _undivided(models: list[str]) -> str:
    """Empty where all machines on two feeds are accounted for."""
    if not models:
        return ""
    return f"whether half of its supplies carries a {' or a '.join(models)} is not known: write it in site.supplies"


def _supply(switch: SwitchPlan) -> str:
    """Empty where one of the two supplies is known to carry the whole switch."""
    model = switch_model(switch.model)
    if model.psu_watts is not None and model.psu_watts >= model.watts:
        return ""
    rated = f"{model.psu_watts} W" if model.psu_watts else "no confirmed figure"
    return f"whether one supply ({rated}) carries {model.name} (up to {model.watts} W) is not known"


def _kind(link: Link, leaves: frozenset[str]) -> Kind:
    if link.role in ("fabric", "peer"):
        return "fabric-link" if link.role == "fabric" else "peer-link"
    return "host-link" if link.device in leaves else "pair-link"
