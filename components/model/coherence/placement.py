"""Everything that is planned for a pool finds a server at the same time, whatever it is that runs short first.

Pods are put on servers as the scheduler does it: one after another, each where most is left. Small ones come first, as
they may: spread over all servers they take the room that a large one needs whole. What pods that are nobody's plan ask
for, of operators and the system, is not known here.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import spreading, workloads
from podwright.components.model.coherence.compute import cores, memory_gib, refused_gpu
from podwright.components.model.coherence.platform import laid_out, members, parts
from podwright.components.model.coherence.workloads import InferenceOn, TrainingOn
from podwright.components.model.compute import Server
from podwright.components.model.effective import effective
from podwright.components.model.platform import Pool
from podwright.components.model.pooled import as_pooled
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.queued import waits
from podwright.components.model.tenants import within
from podwright.components.model.workbenches import SYSTEM_GIB
from podwright.components.model.workloads import Inference, Training, versions

_KEPT = 8
"""Processors that a node with huge pages or `numa` keeps apart for the system, at least one on each NUMA node."""
_PER_SOCKET = 4
"""NUMA nodes that a socket is divided into at most (AMD's NPS4)."""
_GPUS, _CPUS, _MEMORY, _PAGES = "GPUs", "processors", "GiB of memory", "GiB of huge pages"
_RAIL = "function of rail "
Room = Counter[str]


@dataclass(frozen=True)
class _Pods:
    """Pods of one workload."""

    loc: Loc
    count: int
    asks: Room
    hosts: frozenset[str]
    """Servers that it selects."""
    apart: bool
    """No two of them on one server."""
    racks: Mapping[str, str] | None = None
    """Racks of these servers, where each pod goes to one that has fewest; None: to any."""

    @property
    def size(self) -> tuple[int, ...]:
        """What the order of placing follows from: devices, then processors and memory."""
        devices = sum(count for name, count in self.asks.items() if _counted(name))
        return (self.apart, devices, self.asks[_CPUS], self.asks[_MEMORY], self.count)


def _placement(cluster: Cluster) -> Iterator[Problem]:
    for name, pool in cluster.pools.items():
        servers = as_pooled(pool, members(cluster.servers, name))
        pods = [
            *_jobs(cluster, name, pool, servers), *_services(cluster, name, servers), *_stores(cluster, name, servers)
        ]  # fmt: skip
        if not servers or any(refused_gpu(each) or each.model not in SERVERS for each in servers.values()):
            continue
        if not laid_out(pool, servers) or _wrong_alone(cluster, name, pool, servers):
            continue
        rooms = {host: _room(cluster, host, server, pool) for host, server in servers.items()}
        if not _more_than_all(pods, rooms.values()):
            for at_once in _at_once(cluster, name, pods):
                yield from _unplaced(name, at_once, rooms)


def _at_once(cluster: Cluster, name: str, pods: list[_Pods]) -> list[list[_Pods]]:
    """Workloads that run beside each other: in a queue each job waits until there are servers for it."""
    return [[each] for each in pods] if waits(cluster, name) else [pods]


def _wrong_alone(cluster: Cluster, name: str, pool: Pool, servers: Mapping[str, Server]) -> bool:
    """Whether a workload of the pool is refused for its own sake: what follows from it is not checked then."""
    spans = cluster.fabric.attachments == "fabric"
    for job in cluster.workloads.training.values():
        on = TrainingOn(job, pool, servers, spans)
        if job.pool == name and any(list(check(on)) for check in workloads.TRAINING):
            return True
    for _, _, service in versions(cluster.workloads.inference):
        behind = InferenceOn(service, pool, servers)
        checks = (*workloads.INFERENCE, *workloads.INFERENCE_ALONE, *spreading.INFERENCE)
        if service.pool == name and any(list(check(behind)) for check in checks):
            return True
    return False


def _more_than_all(pods: Iterable[_Pods], rooms: Iterable[Room]) -> bool:
    """Whether services ask for more devices or huge pages in all than there are, which is found by itself."""
    have, asked = Counter[str](), Counter[str]()
    for room in rooms:
        have.update(room)
    for each in pods:
        asked.update({name: each.count * count for name, count in each.asks.items() if name == _PAGES})
        if not each.apart:
            asked.update({name: each.count * count for name, count in each.asks.items() if name != _PAGES})
    return any(asked[name] > have[name] for name in asked if name == _PAGES or _counted(name))


def _counted(what: str) -> bool:
    """Whether it is a device that a person counts: a GPU, a slice of one."""
    return what not in (_CPUS, _MEMORY, _PAGES) and not what.startswith(_RAIL)


def _room(cluster: Cluster, host: str, server: Server, pool: Pool) -> Room:
    """What pods find on a server."""
    smt = effective(host, server, cluster.compute.roles).settings.smt
    threads = (cores(server) or 0) * (1 if smt is not None and not smt.enabled else 2)
    apart = pool.hugepages_gib or pool.numa is not None
    kept = max(_KEPT, _PER_SOCKET * SERVERS[server.model].sockets) if apart else 1
    memory = (memory_gib(server) or 0) - pool.hugepages_gib - SYSTEM_GIB
    room = Counter({_CPUS: threads - kept, _MEMORY: memory, _PAGES: pool.hugepages_gib})
    found, replicas = parts(pool, server), pool.sharing.replicas if pool.sharing else 1
    room.update({unit: count * replicas for unit, count in ({_GPUS: found.whole} | found.slices).items()})
    room.update(_functions(server, pool, None))
    return room


def _functions(server: Server, pool: Pool, taken: Collection[int] | None) -> Room:
    """One of each rail, of those that are taken; None: of all."""
    if not pool.rails or server.group is None or server.model not in SERVERS:
        return Counter()
    rails = (nic.rail for nic in SERVERS[server.model].rails)
    return Counter({f"{_RAIL}{rail}": 1 for rail in rails if taken is None or rail in taken})


def _common(job: Training | Inference) -> Room:
    return Counter({_CPUS: job.cpus, _MEMORY: job.memory_gib, _PAGES: job.hugepages_gib})


def _jobs(cluster: Cluster, name: str, pool: Pool, servers: Mapping[str, Server]) -> Iterator[_Pods]:
    spans = cluster.fabric.attachments == "fabric"
    for key, job in cluster.workloads.training.items():
        if job.pool == name:
            own = within(cluster, job.team, name)
            reached = {host: each for host, each in servers.items() if (each.object_name or host) in own}
            sizes = range(job.nodes, job.least - 1, -1)
            hosts = next((found for size in sizes if (found := _gang(reached, size, spans=spans))), frozenset())
            if not hosts:  # that there are fewer servers alike, or none of its tenant, is refused by itself
                continue
            functions = Counter[str]()
            for host in hosts:
                functions |= _functions(servers[host], pool, job.rails)
            asks = _common(job) + Counter({_GPUS: job.gpus}) + functions
            yield _Pods(("workloads", "training", key, job.least_key), job.least, asks, hosts, apart=True)


def _gang(servers: Mapping[str, Server], nodes: int, *, spans: bool) -> frozenset[str]:
    """Servers that a job of so many selects: of one product, in the first leaf group that has enough of them."""
    alike: dict[tuple[int, str], list[str]] = {}
    for host, server in servers.items():
        alike.setdefault((server.group or 0, server.gpus or ""), []).append(host)
    for _, hosts in sorted(alike.items()):
        if len(hosts) >= nodes:
            return frozenset(hosts)
    products = sorted({server.gpus or "" for server in servers.values()}) if spans else []
    for product in products:
        hosts = [host for host, server in servers.items() if (server.gpus or "") == product]
        if len(hosts) >= nodes:
            return frozenset(hosts)
    return frozenset()


def _services(cluster: Cluster, name: str, servers: Mapping[str, Server]) -> Iterator[_Pods]:
    for loc, _, job in versions(cluster.workloads.inference):
        if job.pool == name:
            asks = _common(job) + Counter({job.slice or _GPUS: job.gpus})
            place: Loc = (*loc, *(("replicas",) if job.scale is None else ("scale", "max")))
            racks = {host: each.rack for host, each in servers.items()} if job.spread == "racks" else None
            yield _Pods(place, job.most, asks, frozenset(servers), apart=False, racks=racks)


def _stores(cluster: Cluster, name: str, servers: Mapping[str, Server]) -> Iterator[_Pods]:
    """Servers at which members of jobs meet: a processor and a GiB each."""
    for key, job in cluster.workloads.training.items():
        if job.rendezvous_store is not None and job.rendezvous_store.pool == name:
            loc: Loc = ("workloads", "training", key, "rendezvous_store", "pool")
            yield _Pods(loc, 1, Counter({_CPUS: 1, _MEMORY: 1}), frozenset(servers), apart=False)


def _unplaced(pool: str, pods: Iterable[_Pods], rooms: Mapping[str, Room]) -> Iterator[Problem]:
    """The first workload of which a pod finds no server, with what runs short there."""
    left = {host: Counter(room) for host, room in rooms.items()}
    placed: list[str] = []
    for each in sorted(pods, key=lambda one: one.size):
        taken: list[str] = []
        for number in range(each.count):
            open_to = _open(each, taken)
            able = [host for host in open_to if all(left[host][what] >= n for what, n in each.asks.items())]
            if not able:
                asked = each.hosts if each.racks is None else open_to
                yield _short(pool, each, number, placed, {host: left[host] for host in asked})
                return
            host = max(sorted(able), key=lambda one: [left[one][what] - n for what, n in sorted(each.asks.items())])
            left[host].subtract(each.asks)
            taken.append(host)
        placed.append("-".join(str(part) for part in each.loc[2:-1]))


def _open(pods: _Pods, taken: Collection[str]) -> frozenset[str]:
    """Servers that the next pod may go to, whatever room they have, when others of its kind are on those taken."""
    if pods.apart:
        return pods.hosts - frozenset(taken)
    if pods.racks is None:
        return pods.hosts
    counts = Counter(dict.fromkeys(pods.racks.values(), 0))
    counts.update(pods.racks[host] for host in taken)
    return frozenset(host for host in pods.hosts if counts[pods.racks[host]] == min(counts.values()))


def _short(pool: str, pods: _Pods, number: int, placed: list[str], left: Mapping[str, Room]) -> Problem:
    kind = "members" if pods.apart else "replicas"
    beside = f" beside {', '.join(placed)}" if placed else ""
    if pods.racks is not None:
        beside = f" in rack {' or '.join(sorted({pods.racks[host] for host in left}))}{beside}"
    most = {what: max((each[what] for each in left.values()), default=0) for what in pods.asks}
    scarce = [
        f"{n} {what}, the most left on one is {most[what]}"
        for what, n in sorted(pods.asks.items())
        if most[what] < n and not what.startswith(_RAIL)
    ]
    scarce += _no_function(pods, most)
    why = "; ".join(scarce) or "what is left of processors, memory and devices is on different servers"
    message = f"{number} of {pods.count} {kind} find a server of pool {pool}{beside}: each takes {why}"
    more = "" if pods.racks is None else ", or leave `spread` out"
    return Problem(pods.loc, message, f"ask for less, add servers, or take a pool of its own{more}")


def _no_function(pods: _Pods, most: Mapping[str, int]) -> Iterator[str]:
    """Rails of which no server has a function left."""
    asked = [what for what in pods.asks if what.startswith(_RAIL)]
    gone = sorted(int(what.removeprefix(_RAIL)) for what in asked if most[what] < 1)
    if gone:
        which = "each of its rails" if len(gone) == len(asked) else f"rail {', '.join(map(str, gone))}"
        yield f"1 function of {which}, the most left on one is 0"


CLUSTER = (_placement,)
