"""Jobs that take a part of a server: rails of one NUMA node, and GPUs and processors that kubelet finds beside them.

Each rail is a resource of its own, and a device plugin tells kubelet on which NUMA node its NIC is. Under a strict
policy kubelet admits a pod only where one set of NUMA nodes serves everything it asks for (kubernetes v1.36,
pkg/kubelet/cm/topologymanager/policy.go), so that GPUs come from beside the NICs. Within a NUMA node kubelet takes any
of its GPUs, whatever PCIe switch they share with a NIC: a smaller part than a NUMA node has no NIC of its own.
"""

from collections.abc import Iterator, Mapping

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.coherence.compute import gpu_count, refused_gpu
from podwright.components.model.coherence.numa import STRICT
from podwright.components.model.coherence.workloads import TrainingOn
from podwright.components.model.compute import Server
from podwright.components.model.problems import Problem
from podwright.components.model.workloads import Training


def beside(server: Server) -> dict[int, tuple[int, ...]]:
    """Rails by NUMA node of a server of a known model, a socket being one."""
    found: dict[int, tuple[int, ...]] = {}
    for nic in SERVERS[server.model].rails:
        found[nic.numa] = (*found.get(nic.numa, ()), nic.rail)
    return found


def _part(given: TrainingOn) -> Iterator[Problem]:
    job, pool, at = given.job, given.pool, ("rails",)
    if job.rails is None:
        return
    if not pool.rails:
        message = f"pool {job.pool} has no rails"
        yield Problem(at, message, "remove it, or take a pool with rails: true")
        return
    if len(set(job.rails)) < len(job.rails):
        yield Problem(at, f"a rail stands twice in {_list(job.rails)}", "write each once")
    if pool.numa is None or pool.numa.policy not in STRICT:
        has = f"has numa.policy {pool.numa.policy}" if pool.numa else "has no numa"
        message = f"pool {job.pool} {has}: kubelet would give GPUs from anywhere beside NICs of these rails"
        yield Problem(at, message, f"write pools.{job.pool}.numa: {{policy: restricted}}")
    # One finding: all servers of a pool are of much the same build.
    yield from _first(job, given.servers)


def _first(job: Training, servers: Mapping[str, Server]) -> Iterator[Problem]:
    for name, server in servers.items():
        if server.model in SERVERS and SERVERS[server.model].rails and not refused_gpu(server):
            found = list(_on(job, name, server))
            if found:
                yield found[0]
                return


def _on(job: Training, name: str, server: Server) -> Iterator[Problem]:
    by_node, rails = beside(server), set(job.rails or ())
    choices = " or ".join(f"[{_list(each)}]" for each in by_node.values())
    if rails not in [set(each) for each in by_node.values()]:
        message = f"{_list(sorted(rails))} are not the rails of one NUMA node of {name}"
        yield Problem(("rails",), message, f"write {choices}, or leave it out for all of them")
    elif job.gpus != (gpus := gpu_count(server) // SERVERS[server.model].sockets):
        message = f"{job.gpus} GPUs per server asked, {gpus} of {name} are beside rails {_list(sorted(rails))}"
        yield Problem(("gpus",), message, f"write {gpus}")


def _list(rails: tuple[int, ...] | list[int]) -> str:
    return ", ".join(map(str, rails))


TRAINING = (_part,)
