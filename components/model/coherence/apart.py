"""Members of a job in a queue, each on a server of its own."""

from collections.abc import Iterator, Mapping

from podwright.components.model.coherence.compute import gpu_count
from podwright.components.model.compute import Server
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.workloads import Training


def two_members(loc: Loc, job: Training, pool: Pool, servers: Mapping[str, Server]) -> Iterator[Problem]:
    """No server has room for two members of a job.

    Kueue's Topology counts resources and knows no anti-affinity: it would assign both to one server, where the
    scheduler takes one, and the other waits for ever. On rails each member takes the one function that a server has.
    """
    if pool.rails or job.nodes == 1:
        return
    largest = max((gpu_count(server) for server in servers.values()), default=0)
    if 2 * job.gpus <= largest:
        message = f"{job.gpus} GPUs per server, pool {job.pool} has servers with {largest}: two members would share one"
        yield Problem((*loc, "gpus"), message, f"write {largest // 2 + 1} to {largest}, on fewer servers")
