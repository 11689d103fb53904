"""Does a lossless class hold along a path? Judged hop by hop from what each port has configured now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podwright.lab.world.inventory import End
from podwright.lab.world.paths import Hop, Path

if TYPE_CHECKING:
    from podwright.lab.world.model import World

HEADERS = 60
"""IPv4 20, UDP 8, BTH 12, RETH 16, ICRC 4 bytes around one RDMA packet's payload (InfiniBand annex A17)."""


def mtu_problems(world: World, path: Path, mtu: int) -> list[str]:
    """Where a packet that carries `mtu` bytes of payload does not fit."""
    size = mtu + HEADERS
    found = []
    for end in (path.source, path.target):
        nic = world.servers[end[0]].nics[end[1]]
        if nic.mtu < size:
            found.append(f"{end[0]}:{end[1]}: MTU {nic.mtu} is below {size}")
    for hop in path.hops:
        view = world.views[hop.switch]
        for port in (view.port(hop.entry), view.port(hop.exit)):
            if port.mtu < size:
                found.append(f"{hop.switch} {port.name}: MTU {port.mtu} is below {size}")
        leaving = view.port(hop.exit)
        if hop.routed and leaving.svi_mtu is not None and leaving.svi_mtu < size:
            found.append(f"{hop.switch} Vlan{leaving.vlan}: MTU {leaving.svi_mtu} is below {size}")
    return found


def class_mtu_problems(world: World, path: Path, dscp: int, mtu: int) -> list[str]:
    """Where the class that a packet falls into has a smaller network-qos MTU than the packet."""
    size = mtu + HEADERS
    found = []
    for hop in path.hops:
        port = world.views[hop.switch].port(hop.entry)
        limit = port.group_mtu.get(port.classify(dscp))
        if limit is not None and limit < size:
            found.append(f"{hop.switch}: network-qos MTU {limit} of qos-group {port.classify(dscp)} is below {size}")
    return found


def class_problems(world: World, path: Path, dscp: int) -> list[str]:
    """Why packets of this DSCP can be dropped under congestion. Empty: pause works on every link of the path."""
    found: list[str] = []
    source = world.servers[path.source[0]].nics[path.source[1]]
    target = world.servers[path.target[0]].nics[path.target[1]]
    priority = dscp >> 3 if source.trust_dscp else 0
    if priority not in source.pfc:
        found.append(f"{':'.join(path.source)}: the NIC has no pause on priority {priority}")
    if (dscp >> 3 if target.trust_dscp else 0) not in target.pfc:
        found.append(f"{':'.join(path.target)}: the NIC has no pause on priority {dscp >> 3}")
    for hop in path.hops:
        found += _hop_problems(world, hop, dscp, priority)
    return found


def _hop_problems(world: World, hop: Hop, dscp: int, priority: int) -> list[str]:
    """A hop holds when it puts the packet into a no-drop group whose pause has the priority of the whole path."""
    view = world.views[hop.switch]
    entry, leaving = view.port(hop.entry), view.port(hop.exit)
    group = entry.classify(dscp)
    found = []
    if not entry.dscp_groups:
        found.append(f"{hop.switch} {hop.entry}: no classification policy on entry")
    elif group not in entry.no_drop and entry.no_drop:
        found.append(f"{hop.switch} {hop.entry}: DSCP {dscp} goes to qos-group {group}, which is not no-drop")
    if not entry.no_drop:
        found.append(f"{hop.switch}: no network-qos policy pauses any class")
    elif entry.no_drop.get(group, priority) != priority:
        found.append(
            f"{hop.switch}: qos-group {group} pauses priority {entry.no_drop[group]}, the path uses {priority}"
        )
    found += [
        f"{hop.switch} {port.name}: priority-flow-control is not on" for port in (entry, leaving) if not port.pfc_on
    ]
    return found


def marks(world: World, hop: Hop, dscp: int) -> bool:
    """True when the queue that the packet takes out of this hop marks ECN."""
    view = world.views[hop.switch]
    return view.port(hop.entry).classify(dscp) in view.port(hop.exit).ecn


def upstream(path: Path, index: int) -> End:
    """The end that sends into hop `index`: the source NIC or the exit port of the hop before."""
    if index == 0:
        return path.source
    before = path.hops[index - 1]
    return before.switch, before.exit
