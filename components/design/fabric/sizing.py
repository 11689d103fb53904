"""Arithmetic of a two-tier Clos of one port speed: how many leaves, spines and links a number of servers takes."""

from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True)
class Size:
    """A fabric that carries the servers without oversubscription."""

    leaves: int
    spines: int
    links_per_pair: int
    host_links: int
    fabric_links: int
    bisection_tbps: float
    """One direction, in Tb/s."""


def largest(leaf_ports: int, spine_ports: int) -> int:
    """Host ports of the largest non-blocking two-tier fabric: half of every leaf, and a leaf per spine port."""
    return leaf_ports * spine_ports // 2


def oversubscription(down: int, down_gbps: int, up: int, up_gbps: int) -> float:
    """Host bandwidth over uplink bandwidth of a leaf; 1.0 and below is non-blocking."""
    return down * down_gbps / (up * up_gbps)


def size(servers: int, rails: int, leaf_ports: int, spine_ports: int, gbps: int = 400) -> Size:
    """The smallest 1:1 fabric with at least two spines and as many links between each leaf-spine pair as fit.

    Half of a leaf's ports face servers. Raises ValueError where two tiers do not reach, or links do not divide.
    """
    host_links = servers * rails
    if host_links > largest(leaf_ports, spine_ports):
        raise ValueError(
            f"{host_links} host ports need a third tier; two tiers end at {largest(leaf_ports, spine_ports)}"
        )
    down = leaf_ports // 2
    leaves = ceil(host_links / down)
    uplinks = leaf_ports - down
    for spines in range(2, uplinks + 1):
        pair, rest = divmod(uplinks, spines)
        if rest == 0 and leaves * pair <= spine_ports:
            return Size(leaves, spines, pair, host_links, leaves * uplinks, leaves * uplinks * gbps / 2 / 1000)
    raise ValueError(f"no number of spines from 2 to {uplinks} divides {uplinks} uplinks and takes {leaves} leaves")
