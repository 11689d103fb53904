"""The cabling schedule: every cable of a plan, port by port, in an order that only the cables decide."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

import networkx as nx

from podwright.components.design import hardware
from podwright.components.design.fabric.materials import cage, choice_of, ends_of, is_part
from podwright.components.design.fabric.model import FabricPlan, Link, LinkRole
from podwright.components.design.hardware import FixedCable
from podwright.components.model import FabricArgs

End = tuple[str, str]
"""(device, port): where a plug sits. At a server the port is the NIC's name (`rail3`)."""
ROLES: tuple[LinkRole, ...] = get_args(LinkRole)
_PORT = re.compile(r"^e(?:th(?:ernet)?)?\s*(\d+(?:/\d+){1,2})$", re.IGNORECASE)
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Cable:
    """One cable as the person who pulls it needs it. `device` is the end nearer the hosts, or the switch."""

    device: str
    port: str
    rack: str
    peer: str
    peer_port: str
    peer_rack: str
    """Empty where the stack file does not say where the device stands."""
    gbps: int
    role: LinkRole
    label: str
    """What the label at `port` says: own end first. All far ends where one plug at a broken-out port has several."""
    peer_label: str
    optic: str = ""
    """Transceiver or cable at `port`, as in the bill of materials; empty where that leaves it open."""
    peer_optic: str = ""
    length_m: str = ""
    """Length in metres by `fabric.cables`; empty where it says none."""
    shared: str = ""
    """The front-panel port whose one plug serves this row and others, where it is broken out; else empty."""

    @property
    def ends(self) -> tuple[End, End]:
        """Both ends, the schedule's first."""
        return (self.device, self.port), (self.peer, self.peer_port)


def interface(text: str) -> str:
    """A port as NX-OS spells it in a configuration: Eth1/1, ethernet 1/1 and Ethernet1/1 are one; others stay."""
    found = _PORT.match(text.strip())
    return f"Ethernet{found[1]}" if found else text.strip()


def short(port: str) -> str:
    """The spelling that tables and labels have room for: Eth1/1."""
    return port.replace("Ethernet", "Eth", 1)


@lru_cache(maxsize=1 << 16)  # devices and ports of a site: a comparison sorts by the same few thousand names again
def natural(text: str) -> tuple[tuple[int, str], ...]:
    """A sort key that counts: leaf-2 before leaf-10, Ethernet1/9 before Ethernet1/10."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(text) if part)


def order(cable: Cable) -> tuple[object, ...]:
    """Where a cable stands in the schedule: by switch, then by port; nothing else moves it."""
    return natural(cable.device), natural(cable.port), natural(cable.peer), natural(cable.peer_port)


def schedule(args: FabricArgs, plan: FabricPlan) -> tuple[Cable, ...]:
    """Every cable of the plan."""
    racks = _racks(args, plan)
    models = {switch.hostname: switch.model for switch in plan.switches}
    fans: dict[End, list[str]] = {}
    for link in plan.links:
        fans.setdefault((link.device, cage(link.port)), []).append(f"{link.peer} {short(link.peer_port)}")
    return tuple(sorted((_cable(args, models, link, racks, fans) for link in plan.links), key=order))


def plugs(cables: Iterable[Cable]) -> int:
    """How many cables rows stand for: those of one broken-out port are one cable."""
    return len({(cable.device, cable.shared or cable.port) for cable in cables})


def _cable(
    args: FabricArgs,
    models: Mapping[str, str],
    link: Link,
    racks: Mapping[str, str],
    fans: Mapping[End, list[str]],
) -> Cable:
    near_rack, far_rack = racks.get(link.device, ""), racks.get(link.peer, "")
    runs = args.fabric.cables
    metres = runs.metres(near_rack, far_rack) if runs and near_rack and far_rack else None
    near, far = f"{link.device} {short(link.port)}", f"{link.peer} {short(link.peer_port)}"
    shared = cage(link.port) if is_part(link.port) else ""
    plug, ends = (f"{link.device} {short(shared)}", fans[link.device, shared]) if shared else (near, [far])
    optic, peer_optic = _plugs(args, models, link, metres)
    return Cable(
        device=link.device,
        port=link.port,
        rack=near_rack,
        peer=link.peer,
        peer_port=link.peer_port,
        peer_rack=far_rack,
        gbps=link.gbps,
        role=link.role,
        label=f"{plug} > {', '.join(ends)}",
        peer_label=f"{far} > {near}",
        optic=optic,
        peer_optic=peer_optic,
        length_m=f"{metres:g}" if metres else "",
        shared=shared,
    )


def _plugs(args: FabricArgs, models: Mapping[str, str], link: Link, metres: float | None) -> tuple[str, str]:
    """What the bill of materials takes for both ends; empty where it leaves them open."""
    ends = ends_of(args, models, link)
    choice = choice_of(args, link, ends, metres) if ends else None
    if choice is None:
        return "", ""
    if isinstance(choice.near, FixedCable):
        name = choice.near.product(metres) if metres else choice.near.name
        return name, name
    return choice.near.name, choice.far.name


def _racks(args: FabricArgs, plan: FabricPlan) -> dict[str, str]:
    """Rack by device. The interconnects of a domain stand in its rack and are named after it: x-series-a."""
    found = {switch.hostname: switch.rack for switch in plan.switches}
    found |= {name: server.rack for name, server in args.hosts.items()}
    for name, domain in args.domains.items():
        found |= {f"{name}-{fabric.lower()}": domain.rack for fabric in domain.serials}
    return found


def graph(cables: Iterable[Cable]) -> nx.Graph:
    """Plug places as nodes, cables as edges; the cable itself is the edge's `cable`."""
    made: nx.Graph = nx.Graph()
    for cable in cables:
        made.add_edge(*cable.ends, cable=cable)
    return made


def cables(made: nx.Graph) -> tuple[Cable, ...]:
    """The schedule of a graph: the inverse of `graph`."""
    return tuple(sorted((data["cable"] for _, _, data in made.edges(data=True)), key=order))


def nic_names(args: FabricArgs) -> dict[str, dict[str, str]]:
    """By server: the name under which an LLDP agent announces a rail NIC, to the schedule's name of it."""
    found: dict[str, dict[str, str]] = {}
    for name, server in args.hosts.items():
        nics = hardware.rails(server)
        found[name] = {each: f"rail{nic.rail}" for nic in nics for each in hardware.interface_names(nic.pci)}
    return found
