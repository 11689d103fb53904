"""Arithmetic of a two-tier Clos: how many leaves, spines, links and modules a number of servers takes.

Numbers only; which models have them is `models`. Bandwidths are one direction.
"""

from dataclasses import dataclass
from math import ceil
from typing import Literal

Layout = Literal["rail", "rack", "packed"]
"""Where a server's NICs go. rail: NICs of one number on one leaf, so that they meet there; rack: all NICs of a server
on one leaf; packed: as they come, the fewest leaves that hold them."""

LEAST_SPINES = 2
"""One spine would be a single point of failure for all traffic between leaves."""


@dataclass(frozen=True)
class Split:
    """How a leaf's ports are shared between hosts and spines."""

    down: int
    """Host ports, counted after breaking out."""
    down_gbps: int
    up: int
    """Uplinks."""
    up_gbps: int

    @property
    def ratio(self) -> float:
        """Oversubscription of a full leaf."""
        return oversubscription(self.down, self.down_gbps, self.up, self.up_gbps)


@dataclass(frozen=True)
class Size:
    """A fabric that carries the servers."""

    leaves: int
    spines: int
    """0: one leaf carries all, and its loss stops all."""
    links_per_pair: int
    host_links: int
    fabric_links: int
    bisection_tbps: float
    """One direction, in Tb/s."""
    hosts_per_leaf: int
    """NICs on the fullest leaf."""
    oversubscription: float
    """Host over uplink bandwidth of the fullest leaf; 0 for a single leaf."""
    rails_per_leaf: int
    """Rails of a server that one leaf carries: what a server loses with it."""


def largest(leaf_ports: int, spine_ports: int) -> int:
    """Host ports of the largest non-blocking two-tier fabric: half of every leaf, and a leaf per spine port."""
    return leaf_ports * spine_ports // 2


def oversubscription(down: int, down_gbps: int, up: int, up_gbps: int) -> float:
    """Host bandwidth over uplink bandwidth of a leaf; 1.0 and below is non-blocking."""
    return down * down_gbps / (up * up_gbps)


def modules(links: int, per_module: int = 1) -> int:
    """Transceivers at one end of so many links: a twin-port or broken-out module carries several."""
    return ceil(links / per_module)


def bisection_tbps(leaves: int, uplinks: int, gbps: int) -> float:
    """Bandwidth between two halves of the leaves in Tb/s, one direction."""
    return leaves * uplinks * gbps / 2 / 1000


def leaves(servers: int, rails: int, down: int, layout: Layout) -> tuple[int, int, int]:
    """Leaves, NICs on the fullest one, rails of a server on one. Raises ValueError where a server does not fit."""
    if layout == "packed":
        count = ceil(servers * rails / down)
        return count, min(down, servers * rails), min(down, rails)
    if layout == "rack":
        if rails > down:
            raise ValueError(f"{rails} NICs of a server do not fit on a leaf with {down} host ports")
        count = ceil(servers / (down // rails))
        return count, ceil(servers / count) * rails, rails
    shared = max((each for each in range(1, rails + 1) if rails % each == 0 and servers * each <= down), default=0)
    if shared:
        return rails // shared, servers * shared, shared
    groups = ceil(servers / down)
    return rails * groups, ceil(servers / groups), 1


def clos(servers: int, rails: int, split: Split, spine_ports: int, layout: Layout = "rail", ratio: float = 1.0) -> Size:
    """The fabric with the fewest leaves, then the fewest spines (two at least), as many uplinks as the hosts need.

    Every leaf has the same number of links to every spine, at `ratio` host bandwidth over uplink bandwidth at most.
    Raises ValueError where two tiers do not reach.
    """
    count, hosts, shared = leaves(servers, rails, split.down, layout)
    if count == 1:
        return Size(1, 0, 0, servers * rails, 0, 0.0, hosts, 0.0, shared)
    needed = ceil(hosts * split.down_gbps / (ratio * split.up_gbps))
    for spines in range(LEAST_SPINES, split.up + 1):
        pair = ceil(needed / spines)
        if spines * pair <= split.up and count * pair <= spine_ports:
            up = spines * pair
            reached = oversubscription(hosts, split.down_gbps, up, split.up_gbps)
            bisection = bisection_tbps(count, up, split.up_gbps)
            return Size(count, spines, pair, servers * rails, count * up, bisection, hosts, reached, shared)
    raise ValueError(f"{count} leaves with {needed} uplinks each do not fit on spines with {spine_ports} ports")


def size(servers: int, rails: int, leaf_ports: int, spine_ports: int, gbps: int = 400) -> Size:
    """The smallest 1:1 fabric of one port speed, every leaf with all its uplinks: room for as many hosts again.

    Half of a leaf's ports face servers. Raises ValueError where two tiers do not reach, or links do not divide.
    """
    host_links = servers * rails
    if host_links > largest(leaf_ports, spine_ports):
        raise ValueError(
            f"{host_links} host ports need a third tier; two tiers end at {largest(leaf_ports, spine_ports)}"
        )
    down = leaf_ports // 2
    count, hosts, shared = leaves(servers, rails, down, "packed")
    uplinks = leaf_ports - down
    for spines in range(LEAST_SPINES, uplinks + 1):
        pair, rest = divmod(uplinks, spines)
        if rest == 0 and count * pair <= spine_ports:
            ratio = oversubscription(hosts, gbps, uplinks, gbps)
            bisection = bisection_tbps(count, uplinks, gbps)
            return Size(count, spines, pair, host_links, count * uplinks, bisection, hosts, ratio, shared)
    raise ValueError(f"no number of spines from 2 to {uplinks} divides {uplinks} uplinks and takes {count} leaves")
