"""What can be lost alone: a device, a power domain, a cable, a transceiver, a power supply."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from podwright.components.design.fabric.materials import cage
from podwright.components.design.fabric.model import FabricPlan, Link, SwitchPlan
from podwright.components.design.hardware import switch_model
from podwright.components.model import FabricArgs

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
        yield Loss("supply", f"{server}, one of its", unknown="the catalogue does not say how many supplies carry it")
    leaves = frozenset(switch.hostname for switch in plan.switches if switch.role == "leaf")
    seats: dict[tuple[str, str], list[frozenset[Link]]] = defaultdict(list)
    for link in plan.links:
        alone = frozenset((link,))
        yield Loss(_kind(link, leaves), f"{link.device} {link.port} – {link.peer} {link.peer_port}", links=alone)
        seats[link.device, cage(link.port)].append(alone)
        seats[link.peer, cage(link.peer_port)].append(alone)
    for (device, seat), (first, *others) in seats.items():
        yield Loss("optic", f"{device} {seat}", links=first.union(*others) if others else first)


def _power(args: FabricArgs, plan: FabricPlan) -> Iterator[Loss]:
    """Power domains, and racks where a domain feeds more than one."""
    inside: dict[str, set[str]] = {rack: set() for rack in args.site.racks}
    for switch in plan.switches:
        inside[switch.rack].add(switch.hostname)
    for name, server in args.hosts.items():
        inside[server.rack].add(name)
    for name, domain in args.domains.items():
        inside[domain.rack] |= {f"{name}-{side.lower()}" for side in domain.serials}
    fed: dict[str, set[str]] = defaultdict(set)
    for rack, devices in inside.items():
        fed[args.site.racks[rack].power_domain] |= devices
    for feed, devices in fed.items():
        yield Loss("feed", feed, frozenset(devices))
    for rack, devices in inside.items():
        if devices != fed[args.site.racks[rack].power_domain]:
            yield Loss("rack", rack, frozenset(devices))


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
