"""Replicas spread over racks: the pool stands in several, and none of them is so small that it holds the others up.

In any two racks replicas differ by one at most: where the smallest has room for two, each of the others takes three.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from podwright.components.model.coherence.compute import refused_gpu
from podwright.components.model.coherence.platform import laid_out, parts
from podwright.components.model.coherence.workloads import InferenceOn
from podwright.components.model.compute import Server
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Loc, Problem, below, counted
from podwright.components.model.workloads import Inference, second

SKEW = 1
"""By how many the replicas in two racks may differ."""
_HOSTS = "leave `spread` out"


def _spread(given: InferenceOn) -> Iterator[Problem]:
    job, servers = given.job, given.servers
    if job.spread == "hosts" or not servers:
        return
    racks = sorted({each.rack for each in servers.values()})
    if len(racks) == 1:
        message = f"pool {job.pool} has {counted(len(servers), 'server')} in rack {racks[0]}, and none in another"
        yield Problem(("spread",), message, f"{_HOSTS}, or move a server to another rack")
    elif laid_out(given.pool, servers) and not any(refused_gpu(each) for each in servers.values()):
        rooms = _rooms(job, given.pool, servers)
        yield from _narrow(job, rooms)
        if other := second("", job):
            yield from below(("canary",), _narrow(other[1], rooms))


def _rooms(job: Inference, pool: Pool, servers: Mapping[str, Server]) -> Counter[str]:
    """Replicas that each rack has the GPUs, slices or shares for."""
    rooms = Counter({each.rack: 0 for each in servers.values()})
    for server in servers.values():
        found = parts(pool, server)
        have = found.whole if job.slice is None else found.slices.get(job.slice, 0)
        rooms[server.rack] += have * (pool.sharing.replicas if pool.sharing else 1) // job.gpus
    return rooms


def _narrow(job: Inference, rooms: Counter[str]) -> Iterator[Problem]:
    """Replicas that fit the pool, and not in this way. What fits in no way is found by itself."""
    rack = min(rooms, key=lambda each: (rooms[each], each))
    most = sum(min(room, rooms[rack] + SKEW) for room in rooms.values())
    if most < job.most <= rooms.total():
        loc: Loc = ("replicas",) if job.scale is None else ("scale", "max")
        message = (
            f"rack {rack} has room for {rooms[rack]}, so that each other rack takes {rooms[rack] + SKEW} at most: "
            f"{job.most - most} of {job.most} replicas would wait for ever"
        )
        yield Problem(loc, message, f"write {most} at most, {_HOSTS}, or give rack {rack} servers of pool {job.pool}")


INFERENCE = (_spread,)
