"""What Kueue owes a set of teams, from its own pages alone: nothing here is of podwright, and nothing of Kueue's code.

https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/ (nominalQuota, borrowingLimit, lendingLimit, cohorts),
https://kueue.sigs.k8s.io/docs/concepts/preemption/ (who may be stopped for whom),
https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/ (required levels, counts by domain).

One cohort, one flavor for each pool, GPUs as what is shared out. `broken` is what must not be so at any moment, `owed`
what must not last: a waiting gang that would start now, or once those that may be stopped for it are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

MOST_CANDIDATES = 12
"""Gangs that may be stopped, of which every order is tried; a set with more owes nothing here."""


@dataclass(frozen=True)
class Node:
    """A server that is there and takes pods."""

    name: str
    labels: Mapping[str, str]
    free: Mapping[str, int]
    """What it has for jobs, by resource."""


@dataclass(frozen=True)
class Quota:
    """What a team has of one pool; None: no limit."""

    nominal: int
    borrow: int | None = None
    lend: int | None = None

    @property
    def kept(self) -> int:
        """Of its own, what nobody else takes: nominalQuota less lendingLimit."""
        return 0 if self.lend is None else max(0, self.nominal - self.lend)


@dataclass(frozen=True, eq=False)
class Gang:
    """A job, as its Workload has it."""

    name: str
    team: str
    pool: str
    members: int
    asks: Mapping[str, int]
    """Of one member, by resource."""
    selector: Mapping[str, str]
    priority: int = 0
    together: str | None = None
    """Node label of which all members are to have one value."""
    placed: Mapping[str, int] | None = None
    """Members by node of one that is admitted; None: it waits."""
    barred: bool = False
    """It waits for a time that it was given, after it was stopped for members that were not ready."""

    @property
    def gpus(self) -> int:
        """Of all members."""
        return self.members * self.asks.get("nvidia.com/gpu", 0)


@dataclass(frozen=True)
class World:
    """One moment."""

    nodes: Mapping[str, Node]
    quotas: Mapping[tuple[str, str], Quota]
    """By team and pool."""
    gangs: tuple[Gang, ...]
    borrows: bool
    """Queues are one cohort, and take back what they lend from whoever has it."""
    yields: frozenset[str] = field(default_factory=frozenset)
    """Teams whose gangs of lower priority are stopped for those of higher."""

    def admitted(self) -> list[Gang]:
        """Gangs that hold quota."""
        return [each for each in self.gangs if each.placed is not None]

    def waiting(self) -> list[Gang]:
        """Gangs that do not, and may."""
        return [each for each in self.gangs if each.placed is None and not each.barred]


def broken(world: World) -> Iterator[str]:
    """What no moment may have: more than a quota, than what is lent, or than a node has; a gang in part or apart."""
    used = usage(world.admitted())
    for key, count in used.items():
        quota = world.quotas.get(key)
        if quota is None:
            yield f"team {key[0]} has {count} GPUs of pool {key[1]}, of which it has no quota"
        elif quota.borrow is not None and count > quota.nominal + quota.borrow:
            yield f"team {key[0]} has {count} GPUs of {quota.nominal} and {quota.borrow} borrowed at most"
        elif not world.borrows and count > quota.nominal:
            yield f"team {key[0]} has {count} GPUs of {quota.nominal}, and no queue lends any"
    for pool in sorted({pool for _, pool in world.quotas}):
        if world.borrows and (over := _shared(world.quotas, used, pool)) > (have := _lendable(world.quotas, pool)):
            yield f"{over} GPUs of pool {pool} are held of {have} that queues share"
    for gang in world.admitted():
        if gang.placed:
            yield from _whole(world, gang)


def _whole(world: World, gang: Gang) -> Iterator[str]:
    assert gang.placed is not None
    if sum(gang.placed.values()) != gang.members:
        yield f"{gang.name} is admitted with {sum(gang.placed.values())} of {gang.members} members"
    nodes = [world.nodes[name] for name in gang.placed if name in world.nodes]
    if any(gang.selector.items() - node.labels.items() for node in nodes):
        yield f"{gang.name} is put on nodes that it does not select: {sorted(gang.placed)}"
    if gang.together and len({node.labels.get(gang.together) for node in nodes}) > 1:
        yield f"{gang.name} is to be together by {gang.together}, and is on {sorted(gang.placed)}"


def crowded(world: World) -> Iterator[str]:
    """Nodes that more is put on than they have: so for a moment only, while one that was lost comes back."""
    for name, free in _free(world, world.admitted()).items():
        if short := sorted(what for what, left in free.items() if left < 0):
            yield f"node {name} has less of {', '.join(short)} than was put on it"
    for gang in world.admitted():
        if not gang.placed:
            yield f"{gang.name} has quota and no nodes"


def usage(gangs: Collection[Gang]) -> Counter[tuple[str, str]]:
    """GPUs by team and pool."""
    counts: Counter[tuple[str, str]] = Counter()
    for each in gangs:
        counts[each.team, each.pool] += each.gpus
    return counts


def _shared(quotas: Mapping[tuple[str, str], Quota], used: Mapping[tuple[str, str], int], pool: str) -> int:
    """GPUs held beyond what each queue keeps for itself."""
    return sum(max(0, used.get(key, 0) - quota.kept) for key, quota in quotas.items() if key[1] == pool)


def _lendable(quotas: Mapping[tuple[str, str], Quota], pool: str) -> int:
    return sum(quota.nominal - quota.kept for key, quota in quotas.items() if key[1] == pool)


def _within(world: World, gangs: Collection[Gang], gang: Gang, *, own_alone: bool = False) -> bool:
    """Whether quotas let the gang in beside these; `own_alone`: without borrowing."""
    key = (gang.team, gang.pool)
    quota = world.quotas.get(key)
    if quota is None:
        return False
    used = usage([*gangs, gang])
    if used[key] <= quota.nominal and not world.borrows:
        return True
    if not world.borrows or (own_alone and used[key] > quota.nominal):
        return False
    if quota.borrow is not None and used[key] > quota.nominal + quota.borrow:
        return False
    return _shared(world.quotas, used, gang.pool) <= _lendable(world.quotas, gang.pool)


def _free(world: World, gangs: Collection[Gang]) -> dict[str, Counter[str]]:
    """What is left on each node beside these."""
    left = {name: Counter(dict(node.free)) for name, node in world.nodes.items()}
    for each in gangs:
        for name, count in (each.placed or {}).items():
            if name in left:
                left[name].subtract({what: amount * count for what, amount in each.asks.items()})
    return left


def _room(world: World, gangs: Collection[Gang], gang: Gang) -> bool:
    """Whether all members find nodes beside these, together where they are to be."""
    left = _free(world, gangs)
    able = [node for node in world.nodes.values() if gang.selector.items() <= node.labels.items()]

    def domain(node: Node) -> str:
        return node.labels.get(gang.together, "") if gang.together else ""

    for _, group in groupby(sorted(able, key=domain), key=domain):
        fits = sum(min(left[node.name][what] // count for what, count in gang.asks.items()) for node in group)
        if fits >= gang.members:
            return True
    return False


def _starts(world: World, gangs: Collection[Gang], gang: Gang, *, own_alone: bool = False) -> bool:
    return _within(world, gangs, gang, own_alone=own_alone) and _room(world, gangs, gang)


def owed(world: World) -> Iterator[str]:
    """A sentence for each gang that waits and should not for long."""
    held = world.admitted()
    for gang in world.waiting():
        if _starts(world, held, gang):
            yield f"idle: {gang.name} waits, and its {gang.gpus} GPUs of pool {gang.pool} are free"
        elif world.borrows and _reclaims(world, held, gang):
            yield f"lent: {gang.name} waits for GPUs of team {gang.team}, which others hold"
        elif gang.team in world.yields and _yielded(world, held, gang):
            yield f"priority: {gang.name} waits for gangs of its team that are worth less"


def _reclaims(world: World, held: list[Gang], gang: Gang) -> bool:
    """Whether it fits into its team's own GPUs, and stopping those who hold them makes room, in whatever order.

    A gang of another team may be stopped as long as that team has more than its own.
    """
    if not _within_own(world, held, gang):
        return False
    others = [each for each in held if each.team != gang.team and each.pool == gang.pool]
    if sum(1 for each in others if _over(world, held, each)) > MOST_CANDIDATES:
        return False
    ends = list(_after_stopping(world, frozenset(held), others))
    changed = any(len(end) < len(held) for end in ends)
    return changed and all(_starts(world, end, gang, own_alone=True) for end in ends)


def _within_own(world: World, held: list[Gang], gang: Gang) -> bool:
    quota = world.quotas.get((gang.team, gang.pool))
    return quota is not None and usage([*held, gang])[gang.team, gang.pool] <= quota.nominal


def _over(world: World, gangs: Collection[Gang], each: Gang) -> bool:
    """Whether the team of one of these has more of its pool than its own."""
    key = (each.team, each.pool)
    return usage(gangs)[key] > world.quotas[key].nominal


def _after_stopping(world: World, held: frozenset[Gang], others: list[Gang]) -> Iterator[frozenset[Gang]]:
    """What is left when no more may be stopped, by each order."""
    seen: set[frozenset[Gang]] = set()
    rest = [held]
    while rest:
        now = rest.pop()
        if now in seen:
            continue
        seen.add(now)
        after = [now - {each} for each in others if each in now and _over(world, now, each)]
        if after:
            rest += after
        else:
            yield now


def _yielded(world: World, held: list[Gang], gang: Gang) -> bool:
    """Whether it starts once every gang of its team and pool that is worth less has been stopped."""
    less = [each for each in held if (each.team, each.pool) == (gang.team, gang.pool) and each.priority < gang.priority]
    return bool(less) and _starts(world, [each for each in held if each not in less], gang)
