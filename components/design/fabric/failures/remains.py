"""What one loss leaves, in figures: everything that it does not touch keeps what it had and is not looked at."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar

from podwright.components.design.fabric.failures.network import Network, nic_of
from podwright.components.design.fabric.model import Link

Key = TypeVar("Key")
_NOTHING: Mapping[str, int] = {}
Verdict = Literal["fatal", "degraded", "none", "not checked"]
"""fatal: jobs end (a server loses a rail, its power or its node network; servers of one rail lose each other), or a
peer of a pair drops what hosts send to it.
degraded: everything goes on with less."""


@dataclass(frozen=True, eq=False)
class Remains:
    """The network before and after a loss; shared by losses that take the same with them, such as a cable's plugs."""

    before: Network
    gone: frozenset[str]
    """Switches and servers that are lost."""
    lost: frozenset[Link]
    """Every cable that is lost, those of lost devices too."""

    @cached_property
    def after(self) -> Network:
        """What is there after the loss."""
        return self.before.without(self.gone, self.lost)

    @cached_property
    def alike(self) -> object:
        """Equal for losses of one link that become one another when leaves, spines or servers with the same links
        change places: their figures are the same. Any other loss is alike only to itself."""
        if self.gone or len(self.lost) != 1:
            return self
        (link,) = self.lost
        nic = nic_of(link)
        if nic is not None and nic in self.before.nics:
            return "nic", self.before.nics[nic][1], self.before.servers[nic[0]]
        if link.role == "fabric" and self.before.meshed:
            return "fabric", link.gbps, self.before.halves.alike[link.device], self.before.columns[link.peer]
        return self

    @cached_property
    def _nics(self) -> frozenset[tuple[str, int]]:
        """(server, rail) that are lost."""
        return frozenset(nic for link in self.lost if (nic := nic_of(link)) is not None and nic in self.before.nics)

    @cached_property
    def _narrowed(self) -> Mapping[str, Mapping[str, int]]:
        """Leaves that lost bandwidth to spines, each with what it has left to those."""
        found: dict[str, dict[str, int]] = defaultdict(dict)
        for link in self.lost:
            if link.role == "fabric":
                found[link.device][link.peer] = self.after.up.get(link.device, _NOTHING).get(link.peer, 0)
        return found

    @cached_property
    def _alike(self) -> Mapping[str, object]:
        """Leaves in classes: what is true of two leaves is true of any two of their classes."""
        found: dict[str, object] = dict(self.before.halves.alike)
        for leaf, left in self._narrowed.items():
            found[leaf] = (found[leaf], frozenset(left.items()))
        return found

    @cached_property
    def servers(self) -> Mapping[str, float]:
        """Gb/s left on the backend of every server that lost some."""
        lost: dict[str, int] = defaultdict(int)
        for nic in self._nics:
            lost[nic[0]] += self.before.nics[nic][1]
        had = self.before.servers
        return {name: had[name] - lost[name] for name in _in_order(lost, had)}

    @cached_property
    def pairs(self) -> Mapping[tuple[str, str], int]:
        """Gb/s left between every two leaves that lost some."""
        alike, known = self._alike, self._lost_of_alike
        found: dict[tuple[str, str], int] = {}
        for pair in self._touched_pairs():
            classes = (alike[pair[0]], alike[pair[1]])
            if classes not in known:
                known[classes] = (self._between(*pair), self.before.between(*pair))
            left, had = known[classes]
            if left < had:
                found[pair] = left
        return found

    @cached_property
    def _lost_of_alike(self) -> dict[tuple[object, object], tuple[int, int]]:
        """Gb/s left and had between two leaves of each two classes that `pairs` came across."""
        return {}

    def _touched_pairs(self) -> Iterator[tuple[str, str]]:
        """Every two leaves of which one is narrowed, in the order of the leaves."""
        if len(self._narrowed) > 1:
            return (pair for pair in self.before.leaf_pairs() if not self._narrowed.keys().isdisjoint(pair))
        leaves = list(self.before.up)
        at = {leaf: leaves.index(leaf) for leaf in self._narrowed}
        return (
            (other, leaf) if number < at[leaf] else (leaf, other)
            for leaf in at
            for number, other in enumerate(leaves)
            if other != leaf
        )

    def _between(self, one: str, other: str) -> int:
        """Gb/s left between two leaves: what they had, with the spines counted anew that one of them lost some to."""
        had, others = self.before.up[one], self.before.up[other]
        has, theirs = self.after.up.get(one, _NOTHING), self.after.up.get(other, _NOTHING)
        spines = self._narrowed.get(one, _NOTHING).keys() | self._narrowed.get(other, _NOTHING).keys()
        return self.before.between(one, other) - sum(
            min(had.get(spine, 0), others.get(spine, 0)) - min(has.get(spine, 0), theirs.get(spine, 0))
            for spine in spines
        )

    @cached_property
    def per_nic(self) -> Mapping[tuple[str, int], float]:
        """Gb/s that each NIC of a (leaf, rail) that lost some can still send to other leaves, when all of them do."""
        leaves = self._narrowed.keys() | {self.before.nics[nic][0] for nic in self._nics}
        had = self.before.per_nic
        found: dict[tuple[str, int], float] = {}
        for leaf in leaves & self.before.below.keys():
            nics = [nic for nic in self.before.below[leaf] if nic[:2] not in self._nics]
            has = self.after.shares(leaf, nics)
            for key in self.before.shares(leaf, self.before.below[leaf]):
                if has.get(key, 0) < had[key]:
                    found[key] = has.get(key, 0)
        return {key: found[key] for key in _in_order(found, had)}

    @cached_property
    def homes(self) -> Mapping[str, int]:
        """Gb/s left to the frontend and storage pairs of every host, array and border that lost some."""
        before, after = self.before.homes, self.after.homes
        if after is before:
            return {}
        return {
            name: left
            for name, legs in before.items()
            if after.get(name) is not legs and (left := sum(after.get(name, {}).values())) < sum(legs.values())
        }

    @cached_property
    def per_pair(self) -> Mapping[tuple[str, frozenset[str]], tuple[int, int]]:
        """Gb/s left and had of every host that lost some, to each pair that it lost some to."""
        pair_of = {leaf: frozenset(pair) for pair in self.before.peers for leaf in pair}
        found: dict[tuple[str, frozenset[str]], tuple[int, int]] = {}
        for name in self.homes:
            for pair in dict.fromkeys(pair_of.get(leaf, frozenset((leaf,))) for leaf in self.before.homes[name]):
                left, had = (
                    sum(gbps for leaf, gbps in homes.get(name, {}).items() if leaf in pair)
                    for homes in (self.after.homes, self.before.homes)
                )
                if left < had:
                    found[name, pair] = left, had
        return found

    @cached_property
    def worst_pair(self) -> float:
        """Share left between the two live leaves that lost most. A leaf that is gone has no pairs: see worst_server."""
        if self.pairs and self.gone.isdisjoint(self.before.up):
            return min((left / had for left, had in self._lost_of_alike.values() if left < had), default=1.0)
        live = ((pair, left) for pair, left in self.pairs.items() if self.gone.isdisjoint(pair))
        return min((left / self.before.between(*pair) for pair, left in live), default=1.0)

    @cached_property
    def worst_server(self) -> float:
        """Share of the backend bandwidth left to the server that lost most; one without power has none."""
        return min((left / self.before.servers[name] for name, left in self.servers.items()), default=1.0)

    @cached_property
    def worst_home(self) -> float:
        """Share left to the one of its pairs that a live host lost most to."""
        live = (share for (name, _), share in self.per_pair.items() if name not in self.gone)
        return min((left / had for left, had in live), default=1.0)

    @cached_property
    def whole(self) -> float:
        """Share of the backend's servers that keep every rail, and every server of their rails in other groups."""
        if not self.before.servers:
            return 1.0
        return 1 - len({*self.servers, *self.apart}) / len(self.before.servers)

    @cached_property
    def bisection(self) -> int | None:
        """Gb/s left between the two halves of the leaves, split where it hurts most; None where too many to try."""
        return self.before.halves.least({leaf: self.after.up.get(leaf, _NOTHING) for leaf in self._narrowed})

    @cached_property
    def cut_off(self) -> tuple[str, ...]:
        """Servers with no rail left."""
        return tuple(name for name, left in self.servers.items() if not left)

    @cached_property
    def apart(self) -> tuple[str, ...]:
        """Servers that keep a rail and no longer reach a server of another group on it."""
        cut = {frozenset(pair) for pair, left in self.pairs.items() if not left and self.gone.isdisjoint(pair)}
        if not cut:
            return ()
        members: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for (server, rail), (leaf, _) in self.after.nics.items():
            members[rail][leaf].append(server)
        found: dict[str, None] = {}
        for leaves in members.values():
            for leaf, servers in leaves.items():
                if any(frozenset((leaf, each)) in cut for each in leaves):
                    found |= dict.fromkeys(servers)
        return tuple(found)

    @cached_property
    def homeless(self) -> tuple[str, ...]:
        """Hosts that still have power and no leg to a pair they had."""
        cut = dict.fromkeys(name for (name, _), (left, _) in self.per_pair.items() if not left)
        return tuple(name for name in cut if name not in self.gone)

    @cached_property
    def stranded(self) -> tuple[tuple[str, str], ...]:
        """(peer of a pair, network) that a live peer reached and no longer does: what hosts send to it is dropped."""
        return self.before.exits.stranded(self.gone, self.lost)

    @cached_property
    def verdict(self) -> Verdict:
        """What it means for jobs."""
        if self.stranded or self.servers or self.apart or not self.before.servers.keys().isdisjoint(self.homeless):
            return "fatal"
        lost = self.pairs or self.per_nic or self.homes or self.after.peers != self.before.peers
        return "degraded" if lost else "none"

    @cached_property
    def why(self) -> str:
        """The verdict's reason in a sentence."""
        return "; ".join(self._reasons()) or "the rest carries it"

    def _reasons(self) -> Iterator[str]:
        dark = [name for name in self.servers if name in self.gone]
        if dark:
            yield f"{_count(dark, 'server')} without power"
        short = [name for name in self.servers if name not in self.gone]
        if short:
            lost = {rail for server, rail in self._nics if server not in self.gone}
            rails = f"rail{'s' if len(lost) > 1 else ''} {', '.join(str(rail) for rail in sorted(lost))}"
            yield f"{_count(short, 'server')} without {rails}: jobs on all rails end"
        if self.apart:
            yield f"{_count(self.apart, 'server')} no longer reach those of other groups on their rail"
        live = [left for pair, left in self.pairs.items() if self.gone.isdisjoint(pair)]
        if live and not any(live):
            yield "no path between leaves: only traffic that stays on its rail goes on"
        elif live:
            yield f"{len(live)} {'pairs' if len(live) > 1 else 'pair'} of leaves down to {self.worst_pair:.4g}"
        if self.homeless:
            plain = self.before.plain.intersection(self.homeless)
            single = f", {len(plain)} of one interface without a bond" if plain else ""
            yield f"{', '.join(self.homeless[:3])} cut off from its pair{single}"
        for leaf, network in self.stranded[:2]:
            yield f"{leaf} has no way to {network} any more and drops what comes to it"
        legs = [name for name, left in self.homes.items() if left and name not in self.homeless]
        if legs:
            yield f"{_count(legs, 'host')} on fewer legs to its pair"
        if self.after.peers != self.before.peers and not self.gone:
            yield "the peer link is narrower"


def _in_order(some: Iterable[Key], whole: Mapping[Key, object]) -> list[Key]:
    """Keys in the order in which a whole has them."""
    found = set(some)
    return list(found) if len(found) < 2 else [key for key in whole if key in found]


def _count(names: Iterable[str], what: str) -> str:
    found = tuple(names)
    return f"{found[0]}" if len(found) == 1 else f"{len(found)} {what}s"
