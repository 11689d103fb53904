"""What carries traffic in a plan, with some of it gone: a two-tier Clos in Gb/s, and how much fits through."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Generic, TypeVar

from podwright.components.design.fabric.failures.exits import Exits
from podwright.components.design.fabric.failures.halves import Halves
from podwright.components.design.fabric.model import FabricPlan, Link

Key = TypeVar("Key")
Value = TypeVar("Value")
Nic = tuple[str, int, int]
"""Server, rail, Gb/s."""


@dataclass(frozen=True)
class Network:
    """The parts that are there."""

    up: dict[str, dict[str, int]]
    """Gb/s from each leaf to each spine; leaves without uplinks are there too."""
    nics: Mapping[tuple[str, int], tuple[str, int]]
    """(leaf, Gb/s) of each (server, rail)."""
    homes: dict[str, dict[str, int]]
    """Gb/s of each host, array or border to each leaf of its pairs."""
    peers: dict[tuple[str, str], int]
    """Gb/s of each pair's peer link."""
    exits: Exits = field(default_factory=Exits)
    """Ways out of the vPC pairs."""
    plain: frozenset[str] = frozenset()
    """Servers with one interface on a pair, whatever is cabled."""

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
        if (one, other) not in self._between:
            first, second = self.up.get(one, {}), self.up.get(other, {})
            self._between[one, other] = sum(min(gbps, second.get(spine, 0)) for spine, gbps in first.items())
        return self._between[one, other]

    @cached_property
    def _between(self) -> dict[tuple[str, str], int]:
        """Pairs of leaves that somebody asked for."""
        return {}

    @cached_property
    def below(self) -> dict[str, list[Nic]]:
        """The NICs of each leaf that has any."""
        found: dict[str, list[Nic]] = defaultdict(list)
        for (server, rail), (leaf, gbps) in self.nics.items():
            found[leaf].append((server, rail, gbps))
        return dict(found)

    @cached_property
    def per_nic(self) -> dict[tuple[str, int], float]:
        """Gb/s that each NIC of a (leaf, rail) can send to other leaves, when all of the leaf's do."""
        found = {key: share for leaf, nics in self.below.items() for key, share in self.shares(leaf, nics).items()}
        return {key: found[key] for key in dict.fromkeys((leaf, rail) for (_, rail), (leaf, _) in self.nics.items())}

    def shares(self, leaf: str, nics: Sequence[Nic]) -> dict[tuple[str, int], float]:
        """Gb/s that each of these NICs of a leaf can send to other leaves by (leaf, rail), when all of them do."""
        if not nics:
            return {}
        room = sum(self.up[leaf].values()) / sum(gbps for _, _, gbps in nics) if len(self.up) > 1 else 1
        return {(leaf, rail): gbps * min(1.0, room) for _, rail, gbps in nics}

    @cached_property
    def columns(self) -> dict[str, tuple[int, ...]]:
        """Gb/s of every leaf to each spine."""
        spines = dict.fromkeys(spine for up in self.up.values() for spine in up)
        return {spine: tuple(up.get(spine, 0) for up in self.up.values()) for spine in spines}

    @cached_property
    def meshed(self) -> bool:
        """Every leaf is on every spine, and there are several: no single link cuts a leaf off from another."""
        return len(self.columns) > 1 and all(map(all, self.columns.values()))

    @cached_property
    def halves(self) -> Halves:
        """Every way to split the leaves."""
        return Halves(self.up)

    def bisection(self, leaves: Iterable[str]) -> int | None:
        """Gb/s between two halves of `leaves`, split where it hurts most; a leaf that is gone counts with nothing.

        None where there are too many ways to split them.
        """
        return self.halves.among(leaves)

    def less(self, links: Iterable[Link]) -> "Network":
        """This network without some of its links; what they do not touch is shared, not copied."""
        up, homes, peers = _Copied(self.up), _Copied(self.homes), _Copied(self.peers)
        lost: set[tuple[str, int]] = set()
        for link in links:
            if link.role == "peer":
                peers.own[link.device, link.peer] -= link.gbps
            elif link.device in self.homes.get(link.peer, ()):
                legs = homes.own[link.peer]
                homes.own[link.peer] = legs | {link.device: legs[link.device] - link.gbps}
            elif link.role == "fabric":
                left = up.own[link.device] | {link.peer: up.own[link.device][link.peer] - link.gbps}
                up.own[link.device] = {spine: gbps for spine, gbps in left.items() if gbps}
            elif (nic := nic_of(link)) is not None:
                lost.add(nic)
        nics = _Without(self.nics, lost) if lost else self.nics
        return Network(up.now, nics, homes.now, peers.now, self.exits, self.plain)

    def without(self, devices: frozenset[str], links: Iterable[Link]) -> "Network":
        """This network without some devices, all of whose links are given."""
        left = self.less(links)
        gone = devices & left.up.keys()
        return Network({leaf: up for leaf, up in left.up.items() if leaf not in gone} if gone else left.up,
                       left.nics, left.homes, left.peers, left.exits, left.plain)  # fmt: skip


class _Without(Mapping[Key, Value]):
    """A mapping less some keys, as a view: thousands of losses take one of thousands of NICs."""

    def __init__(self, whole: Mapping[Key, Value], lost: Set[Key]) -> None:
        self._whole, self._lost = whole, lost

    def __getitem__(self, key: Key) -> Value:
        if key in self._lost:
            raise KeyError(key)
        return self._whole[key]

    def __iter__(self) -> Iterator[Key]:
        return (key for key in self._whole if key not in self._lost)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Copied(Generic[Key, Value]):
    """A mapping that is copied when it is first changed."""

    def __init__(self, shared: dict[Key, Value]) -> None:
        self._shared, self.now = shared, shared

    @property
    def own(self) -> dict[Key, Value]:
        """The copy."""
        if self.now is self._shared:
            self.now = dict(self._shared)
        return self.now


def nic_of(link: Link) -> tuple[str, int] | None:
    """(server, rail) at the end of a link; None for any other link."""
    rail = link.peer_port.removeprefix("rail")
    return (link.peer, int(rail)) if link.role == "host" and rail != link.peer_port else None


def network(plan: FabricPlan, devices: frozenset[str] = frozenset(), links: frozenset[Link] = frozenset()) -> Network:
    """The plan's network without some devices and links."""
    role = {switch.hostname: switch.role for switch in plan.switches}
    up: dict[str, dict[str, int]] = {name: {} for name, its in role.items() if its == "leaf" and name not in devices}
    nics: dict[tuple[str, int], tuple[str, int]] = {}
    homes: dict[str, dict[str, int]] = defaultdict(dict)
    peers: dict[tuple[str, str], int] = {}
    for link in plan.links:
        if link in plan.unused:
            continue
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
    return Network(up, nics, dict(homes), peers, Exits(plan.exits), frozenset(link.peer for link in plan.unused))
