"""GPUs that several pods share: who may share them, by what, and how many shares there are."""

from collections import Counter
from collections.abc import Iterator, Mapping

from podwright.components.model.catalogue import GPUS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.compute import refused_gpu
from podwright.components.model.coherence.platform import NodePool, laid_out, members, slices, whole
from podwright.components.model.coherence.workloads import InferenceOn, TrainingOn
from podwright.components.model.compute import Server
from podwright.components.model.explain import suggest
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Loc, Problem

GPU = "gpu"
"""What a share is of where a pool's GPUs are not divided; else the MIG profile."""


def shares(pool: Pool, servers: Mapping[str, Server]) -> dict[str, int]:
    """Shares by what is shared that the servers of a pool offer in all; empty where nothing is."""
    if pool.sharing is None:
        return {}
    undivided = whole(pool, servers)
    units = {GPU: undivided} if undivided or not pool.divides else {}
    return {unit: count * pool.sharing.replicas for unit, count in (units | slices(pool, servers)).items()}


def _pool(given: NodePool) -> Iterator[Problem]:
    pool, sharing = given.pool, given.pool.sharing
    if sharing is None:
        return
    if given.servers and not any(server.gpus in GPUS for server in given.servers.values()):
        message = f"no server of pool {given.name} has a GPU to share"
        yield Problem(("sharing",), message, "take `sharing` away, or give its servers `gpus`")
    if sharing.mode == "mps" and pool.divides:
        divided = "mig_gpus" if pool.mig_gpus else "mig"
        message = f"MPS shares whole GPUs, and this pool divides them by `{divided}`"
        yield Problem(("sharing", "mode"), message, f"write time-slicing, or take `{divided}` away")
    if pool.rails:
        message = f"pods of pool {given.name} have one RDMA device per rail beside their GPU, and a share has none"
        yield Problem(("sharing",), message, "take `sharing` away, or give shared GPUs a pool without `rails`")


def _training(given: TrainingOn) -> Iterator[Problem]:
    if given.pool.sharing is not None:
        message = f"pool {given.job.pool} shares its GPUs between pods; a training job takes whole ones"
        yield Problem(("pool",), message, "take a pool without `sharing`")


def _one(given: InferenceOn) -> Iterator[Problem]:
    """The device plugin ends a pod with an error that asks for two (`failRequestsGreaterThanOne`)."""
    if given.pool.sharing is not None and given.job.gpus > 1:
        message = f"{given.job.gpus} shares asked, and a pod of pool {given.job.pool} takes one: two may be of one GPU"
        yield Problem(("gpus",), message, "write 1, or take a pool without `sharing`")


def tenants(cluster: Cluster, name: str) -> list[str]:
    """Teams on a pool with `sharing`: by their services, and by a quota of shares that no other pool offers."""
    offered = {pool: set(shares(each, members(cluster.servers, pool))) for pool, each in cluster.pools.items()}
    own = offered[name].difference(*(units for pool, units in offered.items() if pool != name))
    by_quota = {team for team, each in cluster.teams.items() if any(each.shares.get(unit) for unit in own)}
    return sorted(by_quota | {job.team for job in cluster.workloads.inference.values() if job.pool == name})


def _tenants(cluster: Cluster) -> Iterator[Problem]:
    """Time-slicing keeps nobody's memory apart, and an MPS server serves one user.

    Pods of a namespace run as its own user (OpenShift, MustRunAsRange), and the MPS control daemon lets the clients of
    another user wait until the server's last one has gone
    (https://man.archlinux.org/man/nvidia-cuda-mps-control.1.en).
    """
    for name, pool in cluster.pools.items():
        if pool.sharing is None or len(teams := tenants(cluster, name)) < 2:
            continue
        loc: Loc = ("pools", name, "sharing")
        if pool.sharing.mode == "mps":
            message = f"teams {', '.join(teams)} run here, and an MPS server serves pods of one team at a time"
            yield Problem((*loc, "mode"), message, "give each team a pool, or divide the GPUs by `mig`")
        elif pool.sharing.reason is None:
            message = f"teams {', '.join(teams)} run here, and time-slicing keeps neither memory nor faults apart"
            hint = "add `reason:` why they may share, give each team a pool, or divide the GPUs by `mig`"
            yield Problem(loc, message, hint)


def _quotas(cluster: Cluster) -> Iterator[Problem]:
    """A team's quota is of shares that some pool offers, and of no more than all do."""
    pools = [(pool, members(cluster.servers, name)) for name, pool in cluster.pools.items()]
    servers = [server for _, here in pools for server in here.values()]
    if not all(laid_out(pool, here) for pool, here in pools) or any(refused_gpu(server) for server in servers):
        return
    total: Counter[str] = Counter()
    for pool, here in pools:
        total.update(shares(pool, here))
    for name, team in cluster.teams.items():
        for unit, count in team.shares.items():
            loc: Loc = ("openshift", "teams", name, "shares", unit)
            if unit not in total:
                listed = ", ".join(sorted(total)) or "none: no pool has `sharing`"
                hint = suggest(unit, tuple(total)) or f"offered: {listed}"
                yield Problem(loc, f"no pool offers shares of {unit}", hint, at_key=True)
            elif count > total[unit]:
                message = f"a quota of {count} shares, where all pools have {total[unit]}"
                yield Problem(loc, message, f"write at most {total[unit]}")


POOL = (_pool,)
TRAINING = (_training,)
INFERENCE = (_one,)
CLUSTER = (_tenants, _quotas)
