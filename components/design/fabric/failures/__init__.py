"""What fails when: every single loss of a plan, and what is left of it. Shares are of what the plan had, 0 to 1."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from podwright.components.design.fabric.failures.network import Network, network
from podwright.components.design.fabric.materials import cage
from podwright.components.design.fabric.model import FabricPlan, Link, SwitchPlan
from podwright.components.design.hardware import switch_model
from podwright.components.model import Cluster

Kind = Literal[
    "spine",
    "leaf",
    "pair-leaf",
    "feed",
    "rack",
    "supply",
    "fabric-link",
    "host-link",
    "peer-link",
    "pair-link",
    "optic",
]
Verdict = Literal["fatal", "degraded", "none", "not checked"]
"""fatal: jobs end (a server loses a rail, its power or its node network; servers of one rail lose each other).
degraded: everything goes on with less."""


@dataclass(frozen=True)
class Loss:
    """One thing that is gone, with everything that goes with it."""

    kind: Kind
    name: str
    devices: frozenset[str] = frozenset()
    links: frozenset[Link] = frozenset()
    unknown: str = ""
    """Why nobody can say what goes with it."""


@dataclass(frozen=True)
class Effect:
    """What one loss leaves."""

    loss: Loss
    before: Network = field(repr=False)
    after: Network = field(repr=False)

    @cached_property
    def servers(self) -> Mapping[str, float]:
        """Gb/s left on the backend of every server that lost some."""
        after = self.after.servers
        return {name: after.get(name, 0) for name, was in self.before.servers.items() if after.get(name, 0) < was}

    @cached_property
    def pairs(self) -> Mapping[tuple[str, str], int]:
        """Gb/s left between every two leaves that lost some."""
        touched = {leaf for leaf, up in self.before.up.items() if self.after.up.get(leaf) != up}
        return {
            pair: left
            for pair in self.before.leaf_pairs()
            if (pair[0] in touched or pair[1] in touched)
            and (left := self.after.between(*pair)) < self.before.between(*pair)
        }

    @cached_property
    def per_nic(self) -> Mapping[tuple[str, int], float]:
        """Gb/s that each NIC of a (leaf, rail) that lost some can still send to other leaves, when all of them do."""
        after = self.after.per_nic
        return {key: after.get(key, 0) for key, was in self.before.per_nic.items() if after.get(key, 0) < was}

    @cached_property
    def homes(self) -> Mapping[str, int]:
        """Gb/s left to the frontend and storage pairs of every host, array and border that lost some."""
        return {
            name: left
            for name, legs in self.before.homes.items()
            if (left := sum(self.after.homes.get(name, {}).values())) < sum(legs.values())
        }

    @cached_property
    def worst_pair(self) -> float:
        """Share left between the two live leaves that lost most. A leaf that is gone has no pairs: see worst_server."""
        gone = self.loss.devices
        return min(
            (left / self.before.between(*pair) for pair, left in self.pairs.items() if not gone & set(pair)),
            default=1.0,
        )

    @cached_property
    def worst_server(self) -> float:
        """Share of the backend bandwidth left to the server that lost most; one without power has none."""
        return min((left / self.before.servers[name] for name, left in self.servers.items()), default=1.0)

    @cached_property
    def worst_home(self) -> float:
        """Share left to the pairs of the live host that lost most."""
        live = {name: left for name, left in self.homes.items() if name not in self.loss.devices}
        return min((left / sum(self.before.homes[name].values()) for name, left in live.items()), default=1.0)

    @cached_property
    def whole(self) -> float:
        """Share of the backend's servers that keep every rail, and every server of their rails in other groups."""
        if not self.before.servers:
            return 1.0
        return 1 - len({*self.servers, *self.apart}) / len(self.before.servers)

    @cached_property
    def bisection(self) -> int | None:
        """Gb/s left between the two halves of the leaves, split where it hurts most; None where too many to try."""
        return self.after.bisection(tuple(self.before.up))

    @cached_property
    def cut_off(self) -> tuple[str, ...]:
        """Servers with no rail left."""
        return tuple(name for name, left in self.servers.items() if not left)

    @cached_property
    def apart(self) -> tuple[str, ...]:
        """Servers that keep a rail and no longer reach a server of another group on it."""
        cut = {frozenset(pair) for pair, left in self.pairs.items() if not left}
        members: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for (server, rail), (leaf, _) in self.after.nics.items() if cut else ():
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
        return tuple(name for name, left in self.homes.items() if not left and name not in self.loss.devices)

    @property
    def verdict(self) -> Verdict:
        """What it means for jobs."""
        if self.loss.unknown:
            return "not checked"
        nodes = set(self.homeless) & {server for server, _ in self.before.nics}
        if self.servers or self.apart or nodes:
            return "fatal"
        lost = self.pairs or self.per_nic or self.homes or self.after.peers != self.before.peers
        return "degraded" if lost else "none"

    @property
    def why(self) -> str:
        """The verdict's reason in a sentence."""
        return self.loss.unknown or "; ".join(_reasons(self)) or "the rest carries it"


def _reasons(effect: Effect) -> Iterator[str]:
    dark = [name for name in effect.servers if name in effect.loss.devices]
    if dark:
        yield f"{_count(dark, 'server')} without power"
    lost = {
        rail for server, rail in effect.before.nics if (server, rail) not in effect.after.nics and server not in dark
    }
    short = [name for name in effect.servers if name not in dark]
    if short:
        rails = f"rail{'s' if len(lost) > 1 else ''} {', '.join(str(rail) for rail in sorted(lost))}"
        yield f"{_count(short, 'server')} without {rails}: jobs on all rails end"
    if effect.apart:
        yield f"{_count(effect.apart, 'server')} no longer reach those of other groups on their rail"
    live = {pair: left for pair, left in effect.pairs.items() if not effect.loss.devices & set(pair)}
    if live and not any(live.values()):
        yield "no path between leaves: only traffic that stays on its rail goes on"
    elif live:
        yield f"{len(live)} {'pairs' if len(live) > 1 else 'pair'} of leaves down to {effect.worst_pair:.4g}"
    if effect.homeless:
        yield f"{', '.join(effect.homeless[:3])} cut off from its pair"
    legs = [name for name, left in effect.homes.items() if left]
    if legs:
        yield f"{_count(legs, 'host')} on fewer legs to its pair"
    if effect.after.peers != effect.before.peers and not effect.loss.devices:
        yield "the peer link is narrower"


def _count(names: Iterable[str], what: str) -> str:
    found = tuple(names)
    return f"{found[0]}" if len(found) == 1 else f"{len(found)} {what}s"


def effects(cluster: Cluster, plan: FabricPlan) -> tuple[Effect, ...]:
    """Every single loss with what it leaves, large things first."""
    before = network(plan)
    known: dict[tuple[frozenset[str], frozenset[Link]], Network] = {}
    found = []
    for loss in losses(cluster, plan):
        key = (loss.devices, loss.links)
        if key not in known:
            known[key] = network(plan, loss.devices) if loss.devices else before.less(loss.links)
        found.append(Effect(loss, before, known[key]))
    return tuple(found)


def losses(cluster: Cluster, plan: FabricPlan) -> Iterator[Loss]:
    """Everything that can be lost alone."""
    for kind, roles in (("spine", {"spine"}), ("leaf", {"leaf"}), ("pair-leaf", {"frontend-leaf", "storage-leaf"})):
        for switch in plan.switches:
            if switch.role in roles:
                yield Loss(kind, switch.hostname, frozenset((switch.hostname,)))  # type: ignore[arg-type]
    yield from _power(cluster, plan)
    for switch in plan.switches:
        yield Loss("supply", f"{switch.hostname}, one of two", unknown=_supply(switch))
    for server in dict.fromkeys(server for server, _ in plan.host_ports):
        yield Loss("supply", f"{server}, one of its", unknown="the catalogue does not say how many supplies carry it")
    seats: dict[tuple[str, str], list[Link]] = defaultdict(list)
    for link in plan.links:
        name = f"{link.device} {link.port} – {link.peer} {link.peer_port}"
        yield Loss(_kind(plan, link), name, links=frozenset((link,)))
        seats[link.device, cage(link.port)].append(link)
        seats[link.peer, cage(link.peer_port)].append(link)
    for (device, seat), carried in seats.items():
        yield Loss("optic", f"{device} {seat}", links=frozenset(carried))


def _power(cluster: Cluster, plan: FabricPlan) -> Iterator[Loss]:
    """Power domains, and racks where a domain feeds more than one."""
    inside: dict[str, set[str]] = {rack: set() for rack in cluster.site.racks}
    for switch in plan.switches:
        inside[switch.rack].add(switch.hostname)
    for name, server in cluster.servers.items():
        inside[server.rack].add(name)
    for name, domain in cluster.domains.items():
        inside[domain.rack] |= {f"{name}-{side.lower()}" for side in domain.serials}
    fed: dict[str, set[str]] = defaultdict(set)
    for rack, devices in inside.items():
        fed[cluster.site.racks[rack].power_domain] |= devices
    for feed, devices in fed.items():
        yield Loss("feed", feed, frozenset(devices))
    for rack, devices in inside.items():
        if devices != fed[cluster.site.racks[rack].power_domain]:
            yield Loss("rack", rack, frozenset(devices))


def _supply(switch: SwitchPlan) -> str:
    """Empty where one of the two supplies is known to carry the whole switch."""
    model = switch_model(switch.model)
    if model.psu_watts is not None and model.psu_watts >= model.watts:
        return ""
    rated = f"{model.psu_watts} W" if model.psu_watts else "no confirmed figure"
    return f"whether one supply ({rated}) carries {model.name} (up to {model.watts} W) is not known"


def _kind(plan: FabricPlan, link: Link) -> Kind:
    if link.role in ("fabric", "peer"):
        return "fabric-link" if link.role == "fabric" else "peer-link"
    return "host-link" if plan.switch(link.device).role == "leaf" else "pair-link"
