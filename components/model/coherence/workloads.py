"""Workloads fit their pool, their servers and their team's quota; storage; the acceptance check."""

from collections import Counter
from collections.abc import Iterator

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.compute import cores, gpu_count, memory_gib, refused_gpu
from podwright.components.model.coherence.platform import laid_out, members, slices
from podwright.components.model.compute import Server
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.workloads import Inference, Training

_BLOCK_BACKENDS = {"ontap-san", "ontap-san-economy", "solidfire-san"}
"""Trident's `backendType` values that give block devices (Trident documentation, storage class parameters)."""
_BLOCK_DRIVERS = {"topolvm.io", "linstor.csi.linbit.com", "rbd.csi.ceph.com", "openshift-storage.rbd.csi.ceph.com"}


def _training(cluster: Cluster) -> Iterator[Problem]:
    for name, job in cluster.workloads.training.items():
        loc: Loc = ("workloads", "training", name)
        if job.shm_gib >= job.memory_gib:
            message = f"shared memory of {job.shm_gib} GiB counts against memory_gib {job.memory_gib}"
            yield Problem((*loc, "shm_gib"), message, "write less than memory_gib")
        if job.pool not in cluster.pools:
            continue
        servers = members(cluster, job.pool)
        if job.nodes > len(servers):
            message = f"{job.nodes} servers asked, pool {job.pool} has {len(servers)}"
            yield Problem((*loc, "nodes"), message, f"write {len(servers)} at most, or give the pool servers")
        else:
            yield from _one_group(loc, job, servers)
        if cluster.pools[job.pool].mig is not None:
            message = f"pool {job.pool} cuts its GPUs into MIG slices; a training job takes whole ones"
            yield Problem((*loc, "pool"), message, "take a pool without `mig`")
        yield from _fits(loc, job, servers)
        if any(refused_gpu(server) for server in servers.values()):
            continue
        smallest = min((gpu_count(server) for server in servers.values()), default=None)
        if smallest is not None and job.gpus > smallest:
            message = f"{job.gpus} GPUs per server asked, pool {job.pool} has servers with {smallest}"
            hint = f"write {smallest} at most" if smallest else "take a pool whose servers all have GPUs"
            yield Problem((*loc, "gpus"), message, hint)


def _fits(loc: Loc, job: Training | Inference, servers: dict[str, Server]) -> Iterator[Problem]:
    """One pod's memory and cores fit every server of its pool."""
    memory = min((have for each in servers.values() if (have := memory_gib(each))), default=None)
    if memory is not None and job.memory_gib >= memory:
        message = f"{job.memory_gib} GiB asked, pool {job.pool} has servers with {memory} GiB"
        yield Problem((*loc, "memory_gib"), message, "leave some for the system")
    processors = min((have for each in servers.values() if (have := cores(each))), default=None)
    if processors is not None and job.cpus >= processors:
        message = f"{job.cpus} cores asked, pool {job.pool} has servers with {processors}"
        yield Problem((*loc, "cpus"), message, "leave some for the system")


def _inference(cluster: Cluster) -> Iterator[Problem]:
    taken: Counter[tuple[str, str]] = Counter()
    for name, job in cluster.workloads.inference.items():
        loc: Loc = ("workloads", "inference", name)
        if job.pool not in cluster.pools:
            continue
        servers = members(cluster, job.pool)
        yield from _fits(loc, job, servers)
        if any(refused_gpu(server) for server in servers.values()) or not laid_out(cluster, job.pool):
            continue
        mig = cluster.pools[job.pool].mig
        offered = slices(cluster, job.pool)
        if job.slice is None and mig is not None and offered:
            message = f"asks for whole GPUs, pool {job.pool} cuts them into {', '.join(offered)}"
            yield Problem((*loc, "pool"), message, f"add `slice: {next(iter(offered))}`, or take another pool")
            continue
        if job.slice is not None and job.slice not in offered:
            listed = ", ".join(offered) or "none: it has no `mig`, or no GPU that fits it"
            yield Problem((*loc, "slice"), f"pool {job.pool} has no slices {job.slice}", f"offered: {listed}")
            continue
        have = offered[job.slice] if job.slice else sum(gpu_count(server) for server in servers.values())
        taken[job.pool, job.slice or "GPU"] += job.replicas * job.gpus
        total = taken[job.pool, job.slice or "GPU"]
        if total > have:
            what = job.slice or "GPUs"
            message = f"pool {job.pool} has {have} x {what}, its services ask for {total}"
            yield Problem((*loc, "replicas"), message, "fewer replicas, or more servers in the pool")


def _one_group(loc: Loc, job: Training, servers: dict[str, Server]) -> Iterator[Problem]:
    """A gang is placed in one leaf group, on servers of one GPU product."""
    alike = Counter((server.group, server.gpus) for server in servers.values())
    if alike and job.nodes > max(alike.values()):
        most = max(alike.values())
        message = f"{job.nodes} servers asked, no leaf group of pool {job.pool} has more than {most} alike"
        yield Problem((*loc, "nodes"), message, f"write {most} at most: a job stays within one leaf group")


def _quota(cluster: Cluster) -> Iterator[Problem]:
    """What a team runs fits what it may ask for; otherwise its pods never start."""
    asked: dict[str, Counter[str]] = {name: Counter() for name in cluster.openshift.teams}
    for job in cluster.workloads.training.values():
        if job.team in asked:
            asked[job.team]["gpus"] += job.nodes * job.gpus
    for service in cluster.workloads.inference.values():
        if service.team in asked:
            asked[service.team][service.slice or "gpus"] += service.replicas * service.gpus
    for name, wants in asked.items():
        team = cluster.openshift.teams[name]
        loc: Loc = ("openshift", "teams", name)
        for what, count in wants.items():
            allowed = team.gpus if what == "gpus" else team.slices.get(what, 0)
            if count > allowed:
                where = _quota_loc(loc, what, allowed)
                key = what if what == "gpus" else f"slices.{what}"
                yield Problem(where, f"{name} runs {count} x {what}, its quota is {allowed}", f"raise {key} to {count}")


def _quota_loc(loc: Loc, what: str, allowed: int) -> Loc:
    if what == "gpus":
        return (*loc, "gpus")
    return (*loc, "slices", what) if allowed else (*loc, "slices")


def _storage(cluster: Cluster) -> Iterator[Problem]:
    """Many nodes cannot mount one block device's file system at once."""
    for name, each in cluster.storage.classes.items():
        if not each.shared:
            continue
        backend = each.parameters.get("backendType", "")
        filesystem = each.parameters.get("fsType") or each.parameters.get("csi.storage.k8s.io/fstype", "")
        reason = None
        if backend in _BLOCK_BACKENDS:
            reason = f"backendType {backend} gives block devices"
        elif each.provisioner in _BLOCK_DRIVERS:
            reason = f"{each.provisioner} gives block devices"
        elif filesystem in ("ext3", "ext4", "xfs"):
            reason = f"{filesystem} lives on a block device"
        if reason is not None:
            loc = ("storage", "classes", name, "shared")
            yield Problem(loc, f"{reason}, which only one node mounts", "write false, or take a file protocol (NFS)")


def _acceptance(cluster: Cluster) -> Iterator[Problem]:
    """The receiver and its senders are different servers of one leaf group."""
    groups = Counter(
        server.group
        for server in cluster.servers.values()
        if server.group is not None and (model := SERVERS.get(server.model)) and model.rails
    )
    largest = max(groups.values(), default=0)
    if cluster.acceptance.enabled and cluster.acceptance.fan_in > largest - 1:
        message = f"{cluster.acceptance.fan_in} senders and a receiver; the largest leaf group has {largest} servers"
        hint = f"write {largest - 1}" if largest >= 3 else "set acceptance.enabled to false"
        yield Problem(("acceptance", "fan_in"), message, hint)


CHECKS = (_training, _inference, _quota, _storage, _acceptance)
