"""What a coherent stack file leaves unchecked or unprotected: nothing stops a plan, and a person should know of it."""

from collections.abc import Iterator, Sequence

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import elastic
from podwright.components.model.coherence.compute import gpu_count
from podwright.components.model.coherence.fault_domains import shared
from podwright.components.model.coherence.launching import uncertain
from podwright.components.model.coherence.routes import uncertified
from podwright.components.model.fabric import Fabric
from podwright.components.model.pair import Pair
from podwright.components.model.tenants import joined, on_rails

_NAMED = 3
"""Racks or servers that a sentence names; the rest is counted."""
_UNWATCHED = 10
"""Requests of a hundred: a first step of that size is usual (Flagger's and Argo Rollouts' examples)."""
_RECOMMENDED = 3
"""Nodes for OpenShift's own pods
(https://docs.redhat.com/en/documentation/openshift_container_platform/4.17/html/machine_management/creating-infrastructure-machinesets)."""


def findings(cluster: Cluster) -> tuple[str, ...]:
    """One sentence each: what is open, and what to write. From the file alone; no secret and no device is read."""
    return tuple(_findings(cluster))


def _findings(cluster: Cluster) -> Iterator[str]:
    if not cluster.protect:
        yield "`destroy` removes this cluster without a question: set protect: true"
    if cluster.fabric.stack is None:
        yield from _fabric(cluster.fabric)
    if cluster.openshift is not None:
        yield from _legs(cluster)
        yield from _together(cluster)
        backup = cluster.openshift.etcd_backup
        if backup is not None and backup.copy_to is None:
            yield "backups of etcd are lost with the control-plane hosts: define openshift.etcd_backup.copy_to"
        yield from _infrastructure(cluster)
        yield from _unread(cluster)
    yield from _hosts(cluster)
    racks = [name for name, rack in cluster.site.racks.items() if rack.power_kw is None]
    if racks:
        yield f"the power of rack {_some(racks)} is not checked: define its power_kw"
    if any(pool.rails for pool in cluster.pools.values()):
        if cluster.acceptance is None:
            yield "no update measures RoCE on the rails: define acceptance"
        elif not cluster.acceptance.enabled:
            yield "no update measures RoCE on the rails: set acceptance.enabled: true, or run `podwright accept`"
    yield from _claims(cluster)
    yield from _crowded(cluster)
    yield from _unwatched(cluster)
    yield from _unsaved(cluster)
    yield from _whole_rails(cluster)
    yield from _everybodys_rails(cluster)
    yield from uncertain(cluster)
    yield from elastic.uncertain(cluster)
    if cluster.storage.volumes and cluster.storage.read is None:
        yield "whether storage feeds the GPUs is not checked: define storage.read"


def _claims(cluster: Cluster) -> Iterator[str]:
    """Claims beside those that workloads mount; where none is mounted, pods that are not the file's have them."""
    work = cluster.workloads
    mounted = {name for job in work.training.values() for name in job.volumes}
    mounted |= {name for service in work.inference.values() for name in service.volumes}
    idle = [name for name in cluster.storage.volumes if name not in mounted]
    if mounted and idle:
        yield f"no workload mounts claim {_some(idle)}: add it to `volumes` of one, or remove it from storage.volumes"
    for name, service in work.inference.items():
        # NVIDIA's chart has one cache for all replicas of a NIM, on a volume that they share.
        cache = service.nim.cache if service.nim else None
        written = [claim for claim, mount in service.volumes.items() if not mount.read_only and claim != cache]
        if written and service.most > 1:
            yield (
                f"{service.most} replicas of {name} may write the same files of claim {_some(written)}: set "
                f"read_only: true at workloads.inference.{name}.volumes"
            )


def _crowded(cluster: Cluster) -> Iterator[str]:
    """Second versions whose replicas get more requests each than those of the first one had without it."""
    for name, service in cluster.workloads.inference.items():
        new = service.canary
        if new is not None and new.percent * service.replicas > 100 * new.replicas:
            yield (
                f"{new.replicas} replicas of the canary of {name} get {new.percent} of 100 requests, which "
                f"{service.replicas} got all of: raise workloads.inference.{name}.canary.replicas, or write less"
            )


def _unwatched(cluster: Cluster) -> Iterator[str]:
    """Second versions with more requests than one would lose without a thought, and nobody who watches."""
    for name, service in cluster.workloads.inference.items():
        new = service.canary
        if new is not None and new.watch is None and new.percent > _UNWATCHED:
            yield (
                f"the canary of {name} gets {new.percent} of 100 requests, and `up` does not look how it answers: "
                f"define workloads.inference.{name}.canary.watch"
            )


def _unsaved(cluster: Cluster) -> Iterator[str]:
    """Jobs that mount nothing they may write; one that writes to a volume, or an object store, may well save."""
    for name, job in cluster.workloads.training.items():
        if job.checkpoints is None and all(mount.read_only for mount in job.volumes.values()):
            pods = f"any of its {job.nodes} pods" if job.nodes > 1 else "its pod"
            yield (
                f"what training job {name} has learned is lost with {pods}, unless its program saves it outside the "
                f"cluster: define workloads.training.{name}.checkpoints"
            )


def _whole_rails(cluster: Cluster) -> Iterator[str]:
    """Jobs on a part of the GPUs and on every rail: the other GPUs are of no use to a job that needs rails."""
    for name, job in cluster.workloads.training.items():
        pool = cluster.pools.get(job.pool)
        members = [each for each in cluster.servers.values() if each.pool == job.pool and each.model in SERVERS]
        if pool is None or not pool.rails or job.rails is not None or not members:
            continue
        model, gpus = SERVERS[members[0].model], gpu_count(members[0])
        if model.rails and job.gpus <= gpus // model.sockets:
            yield (
                f"training job {name} takes {job.gpus} of {gpus} GPUs and all {len(model.rails)} rails of its servers: "
                f"no other job on rails runs beside it; define workloads.training.{name}.rails"
            )


def _everybodys_rails(cluster: Cluster) -> Iterator[str]:
    """Teams whose pods reach each other over rails: RDMA has no policy of its own, and a VRF is the only wall."""
    teams, shift = on_rails(cluster), cluster.openshift
    several = len(teams) > 1
    if several and shift is not None and shift.shared_rails is not None:
        yield f"teams {_some(teams)} share rails: {shift.shared_rails}"
    elif teams and cluster.fabric.tenancy is not None and joined(cluster) is None:
        yield (
            f"pods of team {_some(teams)} may run on servers of any tenant of the fabric, and members of a job that a "
            "person writes in two that do not reach each other: define openshift.teams.<name>.tenant"
        )
    elif several:
        yield (
            f"pods of teams {_some(teams)} reach each other over rails, whatever network policies say: define "
            "fabric.tenancy and openshift.teams.<name>.tenant, or say why in openshift.shared_rails"
        )


def _infrastructure(cluster: Cluster) -> Iterator[str]:
    """Red Hat's guide recommends three nodes in production."""
    section = cluster.openshift.infrastructure if cluster.openshift else None
    count = sum(section is not None and server.pool == section.pool for server in cluster.servers.values())
    if section is not None and count < _RECOMMENDED:
        yield (
            f"while one of {count} servers of pool {section.pool} restarts, there is one router and one Prometheus: "
            f"give it {_RECOMMENDED}, as Red Hat recommends"
        )


def _unread(cluster: Cluster) -> Iterator[str]:
    """Services that scale by metrics which nothing of this file has read."""
    scaled = [name for name, service in cluster.workloads.inference.items() if service.scale is not None]
    if scaled and cluster.openshift is not None and not cluster.openshift.user_workload_monitoring:
        yield (
            f"service {_some(scaled)} keeps the replicas it has until somebody switches on the monitoring of user "
            "projects: set openshift.user_workload_monitoring: true"
        )


def _hosts(cluster: Cluster) -> Iterator[str]:
    """Names of Routes that nothing of the cluster makes known or certain."""
    for name, host in uncertified(cluster):
        yield (
            f"the router's certificate and the apps record do not have {host} of service {name}: give it a DNS record, "
            "and the IngressController a certificate that has it"
        )


def _legs(cluster: Cluster) -> Iterator[str]:
    """Servers that end a port channel of a pair and do not bond their interfaces there."""
    single = _facing(cluster, cluster.fabric.frontend, "bond_mac")
    if single:
        yield f"the loss of a leaf of the frontend pair cuts {_some(single)} off: define servers.<name>.bond_mac"
    stored = _facing(cluster, cluster.fabric.storage, "storage_macs")
    if stored:
        # https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/104x/configuration/interfaces/cisco-nexus-9000-series-nx-os-interfaces-configuration-guide-release-104x.html
        yield (
            f"nothing configures the storage pair's ports on {_some(stored)}, and NX-OS suspends a port that receives "
            "no LACP: define servers.<name>.storage_macs"
        )


def _together(cluster: Cluster) -> Iterator[str]:
    """What fails with more than one control-plane host, by the reason that the file gives."""
    reasons = cluster.openshift.control_plane_shares if cluster.openshift else {}
    for each in shared(cluster.servers, cluster.site):
        if each.kind in reasons:
            hosts = f"{each.other} and {each.host} of the control plane"
            yield f"{hosts} share {each.kind} {each.name}: {reasons[each.kind]}"


def _facing(cluster: Cluster, pair: Pair | None, key: str) -> list[str]:
    """Servers at port channels of a pair that have no bond there, which `key` of a server defines."""
    devices = {port.device for port in pair.ports.values()} if pair is not None else set()
    return [name for name, server in cluster.servers.items() if name in devices and getattr(server, key) is None]


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


def _fabric(fabric: Fabric) -> Iterator[str]:
    if fabric.rollout is None:
        yield "a change reaches switches without a soak between them: define fabric.rollout"
    if fabric.verification == "off":
        yield 'no update compares what switches show with the plan: set fabric.verification: "on"'
    if fabric.cables is None:
        yield "lengths of cables and what plugs into ports are not checked: define fabric.cables"
    for kind, pair in (("frontend", fabric.frontend), ("storage", fabric.storage)):
        if pair is not None and pair.routed and pair.vpc.backup is None:
            yield (
                f"a peer of the {kind} pair without a way out of its own drops what comes to it: define "
                f"fabric.{kind}.vpc.backup"
            )
    if fabric.survive is None:
        yield "no single failure stops a plan, whatever it takes down: define fabric.survive"
