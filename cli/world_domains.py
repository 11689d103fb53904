"""Domains of a world: interconnects, chassis with their blades, and every cable that ends at one of them.

Where the stack file does not say which chassis a blade is in, chassis are made up and filled in the order of the file;
a blade with GPUs takes the slot beside it for its PCIe node. Server ports are given out in the same order, each in both
fabrics: one to every rack server, the rest shared out to the chassis.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.model import blades

SLOTS = 8
"""Slots of a chassis, and ports of each of its modules."""
UPLINK_GBPS = 100
IN_CHASSIS = ("UCSX-S9108-100G",)
"""Interconnects that sit in the chassis: no cable leads to its blades."""


def domains(cluster: model.Cluster, power: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """The world file's `domains`; `power` has the feeds of every rack."""
    return {
        name: {
            "model": domain.model,
            "serials": dict(domain.serials),
            "rack": domain.rack,
            **power[domain.rack],
            "chassis": {
                chassis: {
                    "serial": _serial(domain, chassis) or f"FOX{91000000 + 100 * place + number}",
                    "rack": rack,
                    **power[rack],
                    "slots": slots,
                }
                for number, (chassis, rack, slots) in enumerate(_chassis(cluster, name, domain), 1)
            },
        }
        for place, (name, domain) in enumerate(cluster.domains.items())
    }


def _serial(domain: model.Domain, chassis: str) -> str | None:
    """The serial number that the stack file has for the profile of a chassis."""
    defined = domain.chassis.get(chassis)
    return defined.profile.serial if defined is not None and defined.profile is not None else None


def _chassis(cluster: model.Cluster, name: str, domain: model.Domain) -> Iterator[tuple[str, str, dict[int, str]]]:
    """Name, rack and slots of each chassis of a domain."""
    inside = {
        each: server for each, server in cluster.servers.items() if server.domain == name and blades.slots(server)
    }
    for chassis, defined in domain.chassis.items():
        there = blades.inside(inside, name, chassis)
        yield chassis, defined.rack, {place[1]: each for each, s in there.items() if (place := blades.place(s))}
    made: list[dict[int, str]] = []
    free = 1
    for each, server in inside.items():
        if blades.place(server) is not None:
            continue
        width = blades.slots(server) + blades.nodes(server)
        if not made or free + width > SLOTS + 1:
            made.append({})
            free = 1
        made[-1][free] = each
        free += width
    for number, slots in enumerate(made, len(domain.chassis) + 1):
        yield f"{name}-{number}", domain.rack, slots


def cables(cluster: model.Cluster, plan: fabric.FabricPlan) -> Iterator[list[Any]]:
    """Uplinks in the order of the frontend's leaves, then server ports of both fabrics."""
    for name, domain in cluster.domains.items():
        for side in domain.serials:
            near = f"{name}-{side.lower()}"
            links = [link for link in plan.links if link.peer == near]
            for port, link in zip(domain.uplinks, links, strict=False):
                yield [f"{link.device}:{link.port}", f"{near}:Ethernet1/{port}", UPLINK_GBPS]
            for port, end in zip(domain.server_ports, _ends(cluster, name, domain, side), strict=False):
                yield [f"{near}:Ethernet1/{port}", end, UPLINK_GBPS]


def _ends(cluster: model.Cluster, name: str, domain: model.Domain, side: str) -> list[str]:
    """What the server ports of one fabric end at, as many as there are."""
    racks = [each for each, server in cluster.servers.items() if server.domain == name and not blades.slots(server)]
    boxes = [chassis for chassis, _, _ in _chassis(cluster, name, domain)]
    left = len(domain.server_ports) - len(racks)
    share = max(1, min(SLOTS, left // len(boxes))) if boxes and domain.model not in IN_CHASSIS else 0
    found = [f"{box}:{side}{number}" for box in boxes for number in range(1, share + 1)]
    return [*found, *(f"{each}:{side}1" for each in racks)]
