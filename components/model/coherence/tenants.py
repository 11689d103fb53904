"""Tenants of the fabric and teams of the cluster: each job finds the servers that it asks for within its team's tenant.

A gang half in one VRF and half in another never comes up: its members do not reach each other, and no error of any pod
says so. Jobs are placed within the tenant, so what does not fit there is refused here.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import platform
from podwright.components.model.coherence.compute import refused_gpu
from podwright.components.model.coherence.references import reference
from podwright.components.model.compute import Server
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Loc, Problem, counted
from podwright.components.model.queued import Shares, nominal, queued
from podwright.components.model.tenants import NO_TENANT, Tenants, joined
from podwright.components.model.workloads import Training

_RESERVED = (NO_TENANT, "management")
"""VRFs that every switch has."""


def _known(cluster: Cluster) -> Iterator[Problem]:
    tenancy = cluster.fabric.tenancy
    for name, team in cluster.teams.items():
        if team.tenant is None:
            continue
        loc: Loc = ("openshift", "teams", name, "tenant")
        if tenancy is None:
            hint = (
                "define fabric.tenancy, or remove it; where rails are shared on purpose, write openshift.shared_rails"
            )
            yield Problem(loc, "the fabric has no tenants: every server reaches every other", hint)
        else:
            yield from reference(loc, team.tenant, tenancy.tenants, "tenant", "fabric.tenancy.tenants")
    for name in tenancy.tenants if tenancy is not None and joined(cluster) is not None else ():
        if name in _RESERVED:
            message = f"every switch has a VRF {name} of its own, and teams without a tenant are told apart by it"
            yield Problem(("fabric", "tenancy", "tenants", name), message, "take another name", at_key=True)


def _sound(cluster: Cluster) -> Tenants | None:
    """The tenants; None where there are none, or what they are made of is refused by itself."""
    tenants, tenancy = joined(cluster), cluster.fabric.tenancy
    known = tenancy is not None and all(
        team.tenant is None or team.tenant in tenancy.tenants for team in cluster.teams.values()
    )
    return tenants if known else None


def _jobs(cluster: Cluster) -> Iterator[Problem]:
    """A job's members are servers of its team's tenant, alike and in one leaf group, as they are of a pool."""
    tenants = _sound(cluster)
    if tenants is None:
        return
    for name, job in cluster.workloads.training.items():
        servers = platform.members(cluster.nodes, job.pool)
        if job.pool in tenants.pools and job.team in cluster.teams and servers:
            yield from _job(("workloads", "training", name), job, servers, tenants)


def _job(loc: Loc, job: Training, servers: Mapping[str, Server], tenants: Tenants) -> Iterator[Problem]:
    own, whose = tenants.pools_servers(job.team, servers), _whose(tenants, job.team)
    if not own:
        there = sorted({tenants.nodes[node] for node in servers if node in tenants.nodes} - {NO_TENANT})
        message = f"pool {job.pool} has no server {whose}"
        hint = f"take another pool, or write openshift.teams.{job.team}.tenant: {' or '.join(there)}"
        yield Problem((*loc, "pool"), message, hint if there else "take another pool")
        return
    most = _most(own)
    if most < job.least <= _most(servers):
        message = f"{counted(job.least, 'server')} asked, {most} of pool {job.pool} are alike in one leaf group {whose}"
        hint = f"write {most} at most: members in two tenants would not reach each other"
        yield Problem((*loc, job.least_key), message, hint)


def _most(servers: Mapping[str, Server]) -> int:
    return max(Counter((each.group, each.gpus) for each in servers.values()).values())


def _whose(tenants: Tenants, team: str) -> str:
    if (tenant := tenants.of(team)) == NO_TENANT:
        return f"in a leaf group of no tenant, and team {team} has none"
    return f"of tenant {tenant}, which team {team} is of"


def tenants_problems(
    tenants: Tenants, pools: Mapping[str, Pool], servers: Mapping[str, Server], shares: Shares
) -> Iterator[Problem]:
    """Contradictions of queues by themselves: what those of a tenant's teams have, and the GPUs of its servers."""
    for name in (each for each in pools if each in tenants.pools):
        own = platform.members(servers, name)
        if any(refused_gpu(each) or each.model not in SERVERS for each in own.values()):
            continue
        for tenant in sorted({*tenants.teams.values()}):
            teams = [team for team, each in shares.items() if name in each and tenants.of(team) == tenant]
            there = {node: each for node, each in own.items() if tenants.nodes.get(node) == tenant}
            given, have = sum(shares[team][name] for team in teams), platform.whole(pools[name], there)
            if teams and not there:
                message = f"pool {name} has no server {_whose(tenants, teams[0])}: its queue would have no flavor"
                yield Problem(("shares",), message, f"leave pool {name} out of what team {teams[0]} has")
            elif given > have:
                message = f"{given} GPUs in all for teams of tenant {tenant}, which has {have} of pool {name}"
                yield Problem(("shares",), message, "hand over less")


def _quotas(cluster: Cluster) -> Iterator[Problem]:
    """What the queues of a tenant's teams have in all is there, on its own servers: no other's are lent to them."""
    tenants, queues = _sound(cluster), queued(cluster)
    if tenants is None or queues is None:
        return
    for pool in dict.fromkeys(queues.names):
        servers = platform.members(cluster.nodes, pool)
        unknown = any(refused_gpu(each) or each.model not in SERVERS for each in servers.values())
        if pool in tenants.pools and pool in cluster.pools and not unknown:
            yield from _quota(cluster, tenants, pool, servers)


def _quota(cluster: Cluster, tenants: Tenants, pool: str, servers: Mapping[str, Server]) -> Iterator[Problem]:
    given = {name: own[pool] for name, own in nominal(cluster).items() if pool in own}
    if sum(given.values()) > platform.whole(cluster.pools[pool], servers):
        return  # More than the whole pool has, which is found by itself.
    for name in [each for each in given if not tenants.pools_servers(each, servers)]:
        if (nowhere := _nowhere(cluster, tenants, name, pool)) is not None:
            yield nowhere
            del given[name]
    for tenant in dict.fromkeys(map(tenants.of, given)):
        own = {name: count for name, count in given.items() if tenants.of(name) == tenant}
        first = max(own, key=lambda name: own[name])
        total, have = sum(own.values()), platform.whole(cluster.pools[pool], tenants.pools_servers(first, servers))
        if total > have:
            yield _too_many(cluster, pool, first, own, have, tenant)


def _nowhere(cluster: Cluster, tenants: Tenants, team: str, pool: str) -> Problem | None:
    """A queue of no server, where the file has it: it has no flavor, and Kueue's API takes no group of resources
    without one (kubernetes-sigs/kueue, apis/kueue/v1beta2/clusterqueue_types.go, ResourceGroup: MinItems=1)."""
    queues = queued(cluster)
    own = queues.teams.get(team) if queues is not None else None
    written: dict[str, Mapping[str, object]] = {} if own is None else {"nominal": own.nominal, "slices": own.slices}
    for key in (each for each, pools in written.items() if pool in pools):
        message = f"pool {pool} has no server {_whose(tenants, team)}: its queue would have no flavor"
        more = f"write openshift.teams.{team}.tenant"
        if tenants.of(team) != NO_TENANT:
            more = "give the tenant a leaf group with servers of it"
        hint = f"remove {pool} here, or {more}"
        return Problem(("openshift", "queues", "teams", team, key, pool), message, hint, at_key=True)
    return None


def _too_many(cluster: Cluster, pool: str, team: str, own: Mapping[str, int], have: int, tenant: str) -> Problem:
    """More than a tenant has: `own` are GPUs of its teams, of which `team` has most."""
    queues = queued(cluster)
    written = queues is not None and team in queues.teams and pool in queues.teams[team].nominal
    loc: Loc = ("openshift", "teams", team, "gpus")
    if written:
        loc = ("openshift", "queues", "teams", team, "nominal", pool)
    summed = " + ".join(f"{name} {count}" for name, count in own.items())
    whose = "leaf groups of no tenant have" if tenant == NO_TENANT else f"tenant {tenant} has"
    message = f"queues of {sum(own.values())} GPUs ({summed}) on pool {pool}, of which {whose} {have}"
    rest = have - sum(own.values()) + own[team] + (0 if written else cluster.teams[team].gpus - own[team])
    less = f"write at most {rest} here" if rest > 0 else "give its teams fewer"
    return Problem(loc, message, f"{less}, or give the tenant more leaf groups")


CLUSTER = (_known, _jobs, _quotas)
