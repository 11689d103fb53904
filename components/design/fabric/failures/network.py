"""What carries traffic in a plan, with some of it gone: a two-tier Clos in Gb/s, and how much fits through."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import prod

from podwright.components.design.fabric.model import FabricPlan, Link

MOST_SPLITS = 200_000
"""Ways to halve the leaves that are tried; alike leaves count once, so that real fabrics need a few hundred."""


@dataclass(frozen=True)
class Network:
    """The parts that are there."""

    up: dict[str, dict[str, int]]
    """Gb/s from each leaf to each spine; leaves without uplinks are there too."""
    nics: dict[tuple[str, int], tuple[str, int]]
    """(leaf, Gb/s) of each (server, rail)."""
    homes: dict[str, dict[str, int]]
    """Gb/s of each host, array or border to each leaf of its pairs."""
    peers: dict[tuple[str, str], int]
    """Gb/s of each pair's peer link."""

    @cached_property
    def servers(self) -> dict[str, int]:
        """Backend bandwidth of each server in Gb/s."""
        found: Counter[str] = Counter()
        for (server, _), (_, gbps) in self.nics.items():
            found[server] += gbps
        return dict(found)

    def leaf_pairs(self) -> Iterator[tuple[str, str]]:
        """Every two leaves, once."""
        return combinations(self.up, 2)

    def between(self, one: str, other: str) -> int:
        """Gb/s that fit between two leaves: through each spine, the narrower of its two sides."""
        first, second = self.up.get(one, {}), self.up.get(other, {})
        return sum(min(gbps, second.get(spine, 0)) for spine, gbps in first.items())

    @cached_property
    def per_nic(self) -> dict[tuple[str, int], float]:
        """Gb/s that each NIC of a (leaf, rail) can send to other leaves, when all of the leaf's do."""
        below: Counter[str] = Counter()
        speed: dict[tuple[str, int], tuple[str, int]] = {}
        for (_, rail), (leaf, gbps) in self.nics.items():
            below[leaf] += gbps
            speed[leaf, rail] = (leaf, gbps)
        found = {}
        for key, (leaf, gbps) in speed.items():
            room = sum(self.up[leaf].values()) / below[leaf] if len(self.up) > 1 else 1
            found[key] = gbps * min(1.0, room)
        return found

    def bisection(self, leaves: Sequence[str]) -> int | None:
        """Gb/s between two halves of `leaves`, split where it hurts most; a leaf that is gone counts with nothing.

        Leaves with equal uplinks are interchangeable: only how many of each kind stand on one side matters.
        """
        spines = sorted({spine for up in self.up.values() for spine in up})
        alike = Counter(tuple(self.up.get(leaf, {}).get(spine, 0) for spine in spines) for leaf in leaves)
        kinds, counts = list(alike), list(alike.values())
        if prod(count + 1 for count in counts) > MOST_SPLITS:
            return None
        totals = [sum(kind[at] * count for kind, count in alike.items()) for at in range(len(spines))]
        best = None
        for taken in product(*(range(count + 1) for count in counts)):
            if sum(taken) != len(leaves) // 2:
                continue
            here = [
                sum(kind[at] * count for kind, count in zip(kinds, taken, strict=True)) for at in range(len(spines))
            ]
            flow = sum(min(one, total - one) for one, total in zip(here, totals, strict=True))
            best = flow if best is None else min(best, flow)
        return best or 0

    def less(self, links: Iterable[Link]) -> "Network":
        """This network without some of its links; what they do not touch is shared, not copied."""
        up, nics, homes, peers = self.up, self.nics, self.homes, self.peers
        for link in links:
            if link.role == "peer":
                pair = (link.device, link.peer)
                peers = peers | {pair: peers[pair] - link.gbps}
            elif link.peer in homes and link.device in homes[link.peer]:
                legs = homes[link.peer]
                homes = homes | {link.peer: legs | {link.device: legs[link.device] - link.gbps}}
            elif link.role == "fabric":
                left = up[link.device] | {link.peer: up[link.device][link.peer] - link.gbps}
                up = up | {link.device: {spine: gbps for spine, gbps in left.items() if gbps}}
            else:
                gone = (link.peer, int(link.peer_port.removeprefix("rail")))
                nics = {key: value for key, value in nics.items() if key != gone}
        return Network(up, nics, homes, peers)


def network(plan: FabricPlan, devices: frozenset[str] = frozenset(), links: frozenset[Link] = frozenset()) -> Network:
    """The plan's network without some devices and links."""
    role = {switch.hostname: switch.role for switch in plan.switches}
    up: dict[str, dict[str, int]] = {name: {} for name, its in role.items() if its == "leaf" and name not in devices}
    nics: dict[tuple[str, int], tuple[str, int]] = {}
    homes: dict[str, dict[str, int]] = defaultdict(dict)
    peers: dict[tuple[str, str], int] = {}
    for link in plan.links:
        gone = link in links or link.device in devices or link.peer in devices
        gbps = 0 if gone else link.gbps
        if link.role == "peer":
            peers[link.device, link.peer] = peers.get((link.device, link.peer), 0) + gbps
        elif role.get(link.device) != "leaf":
            homes[link.peer][link.device] = homes[link.peer].get(link.device, 0) + gbps
        elif gone:
            continue
        elif link.role == "fabric":
            up[link.device][link.peer] = up[link.device].get(link.peer, 0) + gbps
        else:
            nics[link.peer, int(link.peer_port.removeprefix("rail"))] = (link.device, gbps)
    return Network(up, nics, dict(homes), peers)
