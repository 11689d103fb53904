"""Workloads fit their pool and its servers; storage classes can do what they promise."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from podwright.components.model.coherence import huge_pages, numa
from podwright.components.model.coherence.compute import cores, gpu_count, memory_gib, refused_gpu
from podwright.components.model.coherence.platform import laid_out, slices, whole
from podwright.components.model.coherence.references import reference
from podwright.components.model.compute import Server
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Problem, below, counted
from podwright.components.model.storage import Storage
from podwright.components.model.workbenches import SYSTEM_GIB
from podwright.components.model.workloads import Inference, Training

_BLOCK_BACKENDS = {"ontap-san", "ontap-san-economy", "solidfire-san"}
"""Trident's `backendType` values that give block devices (Trident documentation, storage class parameters)."""
_BLOCK_DRIVERS = {"topolvm.io", "linstor.csi.linbit.com", "rbd.csi.ceph.com", "openshift-storage.rbd.csi.ceph.com"}


@dataclass(frozen=True)
class TrainingOn:
    """A training job, the pool it runs on and the pool's servers."""

    job: Training
    pool: Pool
    servers: Mapping[str, Server]
    spans: bool = False
    """It may take servers of several leaf groups."""


@dataclass(frozen=True)
class InferenceOn:
    """An inference service, the pool it runs on and the pool's servers."""

    job: Inference
    pool: Pool
    servers: Mapping[str, Server]


@dataclass(frozen=True)
class StorageFor:
    """Storage and the teams there are."""

    storage: Storage
    teams: Collection[str]


def _training(given: TrainingOn) -> Iterator[Problem]:
    job, servers = given.job, given.servers
    if job.shm_gib >= job.memory_gib:
        message = f"shared memory of {job.shm_gib} GiB counts against memory_gib {job.memory_gib}"
        yield Problem(("shm_gib",), message, "write less than memory_gib")
    if job.least > len(servers):
        message = f"{counted(job.least, 'server')} asked, pool {job.pool} has {len(servers)}"
        yield Problem((job.least_key,), message, f"write {len(servers)} at most, or give the pool servers")
    else:
        yield from _alike(job, servers, spans=given.spans)
    if given.pool.divides:
        message = f"pool {job.pool} cuts its GPUs into MIG slices; a training job takes whole ones"
        yield Problem(("pool",), message, f"take a pool without `{'mig_gpus' if given.pool.mig_gpus else 'mig'}`")
    yield from _fits(job, given.pool, servers)
    if any(refused_gpu(server) for server in servers.values()):
        return
    smallest = min((gpu_count(server) for server in servers.values()), default=None)
    if smallest is not None and job.gpus > smallest:
        message = f"{job.gpus} GPUs per server asked, pool {job.pool} has servers with {smallest}"
        hint = f"write {smallest} at most" if smallest else "take a pool whose servers all have GPUs"
        yield Problem(("gpus",), message, hint)


def _alike(job: Training, servers: Mapping[str, Server], *, spans: bool) -> Iterator[Problem]:
    """A gang is placed on servers of one GPU product, in one leaf group unless the fabric lets it span them."""
    if spans:
        products = Counter(server.gpus for server in servers.values())
        if products and job.least > (most := max(products.values())):
            message = f"{counted(job.least, 'server')} asked, pool {job.pool} has no more than {most} alike"
            yield Problem((job.least_key,), message, f"write {most} at most: a job runs on GPUs of one product")
        return
    alike = Counter((server.group, server.gpus) for server in servers.values())
    if alike and job.least > max(alike.values()):
        most = max(alike.values())
        message = f"{counted(job.least, 'server')} asked, no leaf group of pool {job.pool} has more than {most} alike"
        yield Problem((job.least_key,), message, f"write {most} at most: a job stays within one leaf group")


def _fits(job: Training | Inference, pool: Pool, servers: Mapping[str, Server]) -> Iterator[Problem]:
    """One pod's memory and processors fit every server of its pool; memory that huge pages reserve is no pod's memory.
    Where cores run one thread each is found among all workloads."""
    memory = min((have for each in servers.values() if (have := memory_gib(each))), default=None)
    if memory is not None and job.memory_gib > memory - pool.hugepages_gib - SYSTEM_GIB:
        kept = f", {pool.hugepages_gib} GiB of them huge pages" if pool.hugepages_gib else ""
        message = f"{job.memory_gib} GiB asked, pool {job.pool} has servers with {memory} GiB{kept}"
        yield Problem(("memory_gib",), message, f"leave {SYSTEM_GIB} GiB for the system")
    processors = min((have * numa.THREADS for each in servers.values() if (have := cores(each))), default=None)
    if processors is not None and job.cpus >= processors:
        message = f"{job.cpus} processors asked, pool {job.pool} has servers with {processors}, two to a core"
        yield Problem(("cpus",), message, "leave some for the system")
    yield from huge_pages.one(job, pool, len(servers))
    yield from numa.one(job, pool, servers)


def offered(given: InferenceOn) -> int | None:
    """How many of what one replica takes the pool has: slices, GPUs or shares; None where that is unknown or wrong."""
    unknown = any(refused_gpu(server) for server in given.servers.values()) or not laid_out(given.pool, given.servers)
    undivided = whole(given.pool, given.servers)
    if unknown or (given.job.slice is None and slices(given.pool, given.servers) and not undivided):
        return None
    shares = given.pool.sharing.replicas if given.pool.sharing else 1
    if given.job.slice is None:
        return shares * undivided
    found = slices(given.pool, given.servers).get(given.job.slice)
    return None if found is None else shares * found


def _inference(given: InferenceOn) -> Iterator[Problem]:
    job, servers = given.job, given.servers
    yield from _fits(job, given.pool, servers)
    if any(refused_gpu(server) for server in servers.values()) or not laid_out(given.pool, servers):
        return
    have = slices(given.pool, servers)
    if job.slice is None and have and not whole(given.pool, servers):
        message = f"asks for whole GPUs, pool {job.pool} cuts them into {', '.join(have)}"
        yield Problem(("pool",), message, f"add `slice: {next(iter(have))}`, or take another pool")
    elif job.slice is not None and job.slice not in have:
        listed = ", ".join(have) or "none: it has no `mig`, or no GPU that fits it"
        yield Problem(("slice",), f"pool {job.pool} has no slices {job.slice}", f"offered: {listed}")


def _replicas(given: InferenceOn) -> Iterator[Problem]:
    """One service by itself fits its pool, with both of its versions."""
    have, wanted = offered(given), given.job.most * given.job.gpus
    if have is not None and wanted > have:
        yield too_many(given.job, given.pool, have, wanted)
    elif have is not None and given.job.canary is not None:
        wanted += given.job.canary.replicas * given.job.gpus
        if wanted > have:
            yield from below(("canary",), [too_many(given.job, given.pool, have, wanted)])


def too_many(job: Inference, pool: Pool, have: int, total: int) -> Problem:
    """What services ask for in all and the pool does not have."""
    what = f"shares of {job.slice or 'GPUs'}" if pool.sharing else job.slice or "GPUs"
    message = f"pool {job.pool} has {have} x {what}, its services ask for {total}"
    if job.scale is not None:
        message = message.replace("ask for", "at their most ask for")
        return Problem(("scale", "max"), message, "write fewer, or give the pool more servers")
    return Problem(("replicas",), message, "fewer replicas, or more servers in the pool")


def _volumes(given: StorageFor) -> Iterator[Problem]:
    for name, volume in given.storage.volumes.items():
        claim = ("volumes", name)
        yield from reference((*claim, "team"), volume.team, given.teams, "team", "openshift.teams")
        known = given.storage.classes
        yield from reference((*claim, "storage_class"), volume.storage_class, known, "storage class", "storage.classes")


def _shared(given: StorageFor) -> Iterator[Problem]:
    """Many nodes cannot mount one block device's file system at once."""
    for name, each in given.storage.classes.items():
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
            loc = ("classes", name, "shared")
            yield Problem(loc, f"{reason}, which only one node mounts", "write false, or take a file protocol (NFS)")


TRAINING = (_training,)
INFERENCE = (_inference,)
INFERENCE_ALONE = (_replicas,)
"""For a service by itself; in a file all services of a pool are added up."""
STORAGE = (_volumes, _shared)
