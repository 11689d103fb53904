"""The accepted worst case: `fabric.survive` against what the switches, links, rails and power domains leave.

Counted from what is defined, without a graph; the graph of `design/fabric/failures` must agree (tests/design/fabric).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.feeds import carried, hangs_on
from podwright.components.model.hosts import Host
from podwright.components.model.network import FabricArgs
from podwright.components.model.problems import Problem
from podwright.components.model.switch import Switch

_LOC = ("fabric", "survive")
_SLACK = 1e-9
"""Shares are ratios of whole numbers: what is this close is equal."""


def _say(kind: str, asked: float, left: float, what: str, hint: str) -> Iterator[Problem]:
    if left < asked - _SLACK:
        message = f"{what} leaves {left:.4g}, {asked:g} is asked for"
        yield Problem((*_LOC, kind), message, f"{hint}; write {left:.4g} or null to accept it")


def _spine(args: FabricArgs) -> Iterator[Problem]:
    fabric = args.fabric
    if fabric.survive is None or fabric.survive.spine is None or len(fabric.leaves) < 2:
        return
    asked, spines = fabric.survive.spine, len(fabric.spines)
    name = next(iter(fabric.spines))
    hint = (
        "no number of spines leaves all of it" if asked > 1 - _SLACK else f"{ceil(1 / (1 - asked) - _SLACK)} spines do"
    )
    what = f"losing {name}, one of {spines}," if spines > 1 else f"losing {name}, the only spine,"
    yield from _say("spine", asked, 1 - 1 / spines, what, hint)


def _fabric_link(args: FabricArgs) -> Iterator[Problem]:
    fabric = args.fabric
    if fabric.survive is None or fabric.survive.fabric_link is None or len(fabric.leaves) < 2:
        return
    asked, links = fabric.survive.fabric_link, len(fabric.spines) * fabric.links_per_pair
    hint = "no number of links leaves all of it"
    if asked < 1 - _SLACK:
        hint = f"{ceil(1 / (1 - asked) - _SLACK)} uplinks per leaf do"
    yield from _say("fabric_link", asked, 1 - 1 / links, f"losing one of a leaf's {links} uplinks", hint)


@dataclass(frozen=True)
class _Railed:
    """A server on the backend: its leaf group, and the leaf of each rail."""

    name: str
    group: int
    leaf: dict[int, str]


def _railed(args: FabricArgs) -> list[_Railed]:
    """Servers whose rails all end on a leaf; another check speaks of the others."""
    carrier = {(leaf.group, rail): name for name, leaf in args.fabric.leaves.items() for rail in leaf.rails}
    found = []
    for name, server in args.hosts.items():
        model = SERVERS.get(server.model)
        if server.group is None or model is None or not model.rails:
            continue
        leaf = {nic.rail: carrier.get((server.group, nic.rail), "") for nic in model.rails}
        if all(leaf.values()):
            found.append(_Railed(name, server.group, leaf))
    return found


def _leaf(args: FabricArgs) -> Iterator[Problem]:
    survive = args.fabric.survive
    if survive is None or survive.leaf is None:
        return
    worst, where = 1.0, ""
    for server in _railed(args):
        name, most = Counter(server.leaf.values()).most_common(1)[0]
        left = 1 - most / len(server.leaf)
        if left < worst:
            worst, where = left, f"losing {name}, where {most} of {len(server.leaf)} rails of {server.name} end,"
    yield from _say("leaf", survive.leaf, worst, where, "spread a group's rails over more leaves")


def _feed(args: FabricArgs) -> Iterator[Problem]:
    """A server keeps its rails when it has power, so have its leaves, and a spine where other groups are."""
    fabric, racks = args.fabric, args.site.racks
    servers = _railed(args)
    if fabric.survive is None or fabric.survive.feed is None or not servers:
        return
    machines: list[tuple[str, Host | Switch]] = [*args.hosts.items(), *fabric.leaves.items(), *fabric.spines.items()]
    hanging = {name: hangs_on(racks[each.rack], carried(args, each)) for name, each in machines if each.rack in racks}
    worst, where = 1.0, ""
    for feed in sorted(frozenset().union(*hanging.values())):
        dark = {name for name, its in hanging.items() if feed in its}
        left = _whole(servers, dark, set(fabric.spines) <= dark) / len(servers)
        if left < worst:
            worst, where = left, f"losing power domain {feed}"
    hint = "put fewer servers, and the leaves and spines they need, on one power domain"
    if not worst:
        hint = "a leaf takes its rails from every server of its group: two power domains must feed its rack"
    yield from _say("feed", fabric.survive.feed, worst, where, hint)


def _whole(servers: list[_Railed], dark: set[str], no_spine: bool) -> int:
    """Servers that keep every rail and, on each, the servers of other groups that are still there."""
    live = [each for each in servers if each.name not in dark]
    there: dict[int, set[int]] = defaultdict(set)
    for each in live:
        for rail, leaf in each.leaf.items():
            if leaf not in dark:
                there[rail].add(each.group)
    apart = {rail for rail, groups in there.items() if no_spine and len(groups) > 1}
    return sum(not dark & set(each.leaf.values()) and not apart & set(each.leaf) for each in live)


FABRIC = (_spine, _fabric_link, _leaf, _feed)
