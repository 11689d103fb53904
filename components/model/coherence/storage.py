"""The storage network against what GPUs read: per server, per Fabric Interconnect pair, and where it is served.

Counted at the speed of switch ports, the most that any NIC behind them can carry.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor

from podwright.components.model.catalogue import SWITCHES, cage_number
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.compute import gpu_count
from podwright.components.model.coherence.references import pairs
from podwright.components.model.pair import HostPort, Pair, RoutedPort
from podwright.components.model.problems import Problem

_LOC = ("storage", "read")
_SLACK = 1e-9


@dataclass(frozen=True)
class Load:
    """What crosses the storage links of one server, of a domain, or of all that serve storage, in Gb/s one way."""

    names: tuple[str, ...]
    """Servers that are alike, or a domain; empty for the serving side."""
    gpus: int
    """GPUs behind these links."""
    needs: float
    carries: int
    """Both switches of the pair up."""
    left: int
    """The worse of the two switches lost."""


def loads(cluster: Cluster) -> tuple[Load, ...]:
    """Every load, alike ones together; empty where `storage.read` is not given."""
    read = cluster.storage.read
    if read is None:
        return ()
    links = _links(cluster)
    found: dict[tuple[int, int, int], list[str]] = {}
    gpus = {name: gpu_count(server) for name, server in cluster.servers.items() if server.gpus and not server.domain}
    for name, count in gpus.items():
        found.setdefault((count, *_width(links, (name,))), []).append(name)
    shared: list[tuple[tuple[str], tuple[int, int, int]]] = []
    for domain in cluster.domains:
        behind = sum(gpu_count(each) for each in cluster.servers.values() if each.domain == domain and each.gpus)
        if behind:
            shared.append(((domain,), (behind, *_width(links, (f"{domain}-a", f"{domain}-b")))))
    alike = [(tuple(names), key) for key, names in found.items()]
    rows = [Load(names, key[0], key[0] * read.gbps_per_gpu, *key[1:]) for names, key in [*alike, *shared]]
    known = {*cluster.servers, *(f"{domain}-{fabric}" for domain in cluster.domains for fabric in "ab")}
    serving = _width(links, tuple({device for device, _ in links} - known))
    everything = sum(row.gpus * len(row.names) for row in rows)
    if everything and serving[0]:
        rows.append(Load((), everything, everything * read.gbps_per_gpu * read.at_once, *serving))
    return tuple(rows)


def _links(cluster: Cluster) -> dict[tuple[str, str], int]:
    """Gb/s between a device and a switch, over ports that carry a storage VLAN or, on a storage pair, route."""
    found: dict[tuple[str, str], int] = {}
    for loc, pair in pairs(cluster.network).items():
        alone = loc[-1] == "storage"
        for device, leaf, end in _ends(pair, alone):
            model = SWITCHES.get(pair.leaves[leaf].model) if leaf in pair.leaves else None
            whole = model.gbps(cage_number(end.port)) if model else None
            speed = end.gbps or whole
            found[device, leaf] = found.get((device, leaf), 0) + (speed or 0)
    return found


def _ends(pair: Pair, alone: bool) -> Iterator[tuple[str, str, HostPort | RoutedPort]]:
    storage = {vlan.id for vlan in pair.vlans.values() if vlan.purpose == "storage"}
    for host in pair.ports.values():
        if storage & set(host.vlans):
            yield from ((host.device, leaf, host) for leaf in pair.leaves)
    for routed in pair.routed.values() if alone else ():
        yield routed.device, routed.leaf, routed


def _width(links: dict[tuple[str, str], int], devices: tuple[str, ...]) -> tuple[int, int]:
    """Gb/s of some devices together, and what is left of it without the switch that carries most."""
    by_leaf: dict[str, int] = {}
    for (device, leaf), speed in links.items():
        if device in devices:
            by_leaf[leaf] = by_leaf.get(leaf, 0) + speed
    total = sum(by_leaf.values())
    return total, total - max(by_leaf.values(), default=0)


def _rate(cluster: Cluster) -> Iterator[Problem]:
    read = cluster.storage.read
    if read is None:
        return
    for load in loads(cluster):
        if load.needs <= load.carries + _SLACK:
            continue
        need = f"{load.needs:g} Gb/s ({load.needs / 8:g} GB/s)"
        if not load.names:
            who = f"{load.gpus} GPUs, {read.at_once:g} of them at once,"
            hint = f"write at most {_down(load.carries / load.needs * read.at_once)}, or give the arrays more ports"
            yield Problem((*_LOC, "at_once"), f"{who} read {need}; storage is served over {load.carries}", hint)
            continue
        who, hint = f"{_some(load.names)} must read {need}", "define its port with a storage VLAN in `ports` of a pair"
        wrong = f"{who}, and no port to it carries a storage VLAN"
        if load.carries:
            wrong = f"{who} for {load.gpus} GPUs; its storage links carry {load.carries}"
            hint = f"write at most {_down(load.carries / load.gpus)}, or give it more ports"
        yield Problem((*_LOC, "gbps_per_gpu"), wrong, hint)


def _some(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"each of {len(names)} servers ({names[0]} to {names[-1]})"


def _down(value: float) -> str:
    """Three digits, never more than the value: what a hint names must pass."""
    return f"{floor(value * 1000) / 1000:g}"


CLUSTER = (_rate,)
