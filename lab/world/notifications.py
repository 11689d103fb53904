"""Congestion notification packets: how many, which queue they take on every port of their way, and who counts them.

A receiver that gets a marked packet answers with one, marked with the DSCP of its NIC's firmware, and the sender slows
down. Names of the NICs' counters: Linux, drivers/infiniband/hw/mlx5/counters.c (`np_cnp_sent`, `rp_cnp_handled`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podwright.lab.world.paths import Path

if TYPE_CHECKING:
    from podwright.lab.world.model import World

BYTES = 78
"""A notification on the wire: Ethernet 14, IPv4 20, UDP 8, BTH 12, reserved 16, ICRC 4, FCS 4 (InfiniBand A17.9)."""
QUEUES = tuple(f"cnp_queue{group}" for group in range(8))
"""Counters of a switch port: notifications that left it, by qos-group."""


def fast(world: World, path: Path, dscp: int) -> bool:
    """True when every switch of the path queues the receiver's notifications apart from bulk and from the class."""
    mark = _mark(world, path)
    ports = [world.views[hop.switch].port(hop.exit) for hop in path.hops]
    return all(port.classify(mark) not in (0, port.classify(dscp)) for port in ports)


def send(world: World, path: Path, number: int) -> None:
    """The receiver notifies the sender, over the path that the data took: both NICs and every queue count it."""
    mark = _mark(world, path)
    world.counters[path.target]["np_cnp_sent"] += number
    world.counters[path.source]["rp_cnp_handled"] += number
    for hop in path.hops:
        group = world.views[hop.switch].port(hop.exit).classify(mark)
        world.counters[hop.switch, hop.entry][QUEUES[group]] += number


def _mark(world: World, path: Path) -> int:
    server, nic = path.target
    return world.servers[server].nics[nic].cnp_dscp
