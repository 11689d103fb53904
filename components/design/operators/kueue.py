"""Kueue and its queues: what training jobs of pools wait in, and where on their servers a job starts.

Sources: kubernetes-sigs/kueue, apis/kueue/v1beta2 (what is immutable, which resources a queue must cover) and
its page about topology-aware scheduling; openshift/kueue-operator release-1.3,
pkg/apis/kueueoperator/v1/types.go and pkg/configmap/configmap.go (what of Kueue's configuration its operator takes).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podwright.components.design import hardware
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.operators.network import resource
from podwright.components.design.platform.names import (
    POOL_LABEL,
    TENANT_LABEL,
    WHOLE_GPU,
    Manifest,
    mig_resource,
    tolerations,
)
from podwright.components.design.platform.topology import levels, short
from podwright.components.design.quantities import count, gib
from podwright.components.model import Pool, Queues, Server, Tenants

API = "kueue.x-k8s.io/v1beta2"
RUNTIME = "torch-distributed"
"""A ClusterTrainingRuntime that comes with Red Hat OpenShift AI (red-hat-data-services/trainer, branch rhoai-3.4,
manifests/rhoai/runtimes): no TrainJob passes the webhooks without one, be it a dry run."""
_COHORT = "podwright"
"""Of all queues, also of those that lend nothing: when a job ends, Kueue looks again at what waits in its own queue and
in those of one cohort with it, and at no other, though their jobs want the same servers
(pkg/cache/queue/inadmissible_workloads.go, notifyRetryInadmissible)."""
_OF_NO_OTHERS = {"policy": "LowerPriority", "maxPriorityThreshold": -(2**31)}
"""No job of another team is worth as little: a job that borrows stops none of them."""
SLICE = mig_resource("")
"""What resources of MIG slices begin with."""
_BY_FIVE_MINUTES = {"policy": "ByWorkload", "byWorkload": {"admission": "Parallel"}}


@dataclass(frozen=True)
class QueuedPool:
    """A pool whose jobs wait, and its servers as it offers them (`as_pooled`)."""

    name: str
    pool: Pool
    servers: Mapping[str, Server]
    tenant: str | None = None
    """Tenant of the fabric that these of its servers are of. None: all are everybody's."""

    @property
    def flavor(self) -> str:
        """Name of its Topology and of its ResourceFlavor: other levels have another name, as neither can change."""
        return "-".join((self.name, *map(short, levels(self.servers)), *([self.tenant] if self.tenant else [])))


def places(
    name: str, pool: Pool, servers: Mapping[str, Server], tenants: Tenants | None = None
) -> tuple[QueuedPool, ...]:
    """Where jobs on a pool are placed: one part of it for each tenant that has servers there, so that no job is put
    on servers of two. `servers` are as it offers them."""
    if tenants is None or name not in tenants.pools:
        return (QueuedPool(name, pool, servers),)
    owners = sorted({tenants.nodes[node] for node in servers if node in tenants.nodes})
    parts = {each: {node: one for node, one in servers.items() if tenants.nodes.get(node) == each} for each in owners}
    return tuple(QueuedPool(name, pool, own, tenant) for tenant, own in parts.items())


def stages(
    queues: Queues,
    pools: Sequence[QueuedPool],
    shares: Mapping[str, Mapping[str, int]],
    giving_way: Collection[str] = (),
    *,
    sets: bool = False,
    tenants: Tenants | None = None,
    train_jobs: bool = False,
) -> list[list[Manifest]]:
    """Kueue itself, then the pools' places, then a queue for each team, then what jobs of its namespace name.

    `shares` are GPUs by team and pool; `sets`: some jobs are JobSets; `train_jobs`: some are TrainJobs; `tenants`:
    whose the places of a pool are.
    """

    def of(team: str) -> list[QueuedPool]:
        return [pool for pool in pools if pool.tenant is None or tenants is None or pool.tenant == tenants.of(team)]

    return [
        [configuration(queues, sets=sets, train_jobs=train_jobs)],
        [topology(pool) for pool in pools],
        [flavor(pool) for pool in pools],
        [cluster_queue(queues, of(team), team, own, gives_way=team in giving_way) for team, own in shares.items()],
        [local_queue(pool, team) for team, own in shares.items() for pool in own],
    ]


def configuration(queues: Queues, *, sets: bool = False, train_jobs: bool = False) -> Manifest:
    """What the operator makes Kueue's configuration of. Ready once Kueue's webhooks answer.

    Every choice that its API has is written: without one a later release of the operator takes its own. `sets`: Kueue
    looks after JobSets too, whose kind it must find when it starts; `train_jobs`: after TrainJobs.
    """
    more = [name for name, some in (("JobSet", sets), ("TrainJob", train_jobs)) if some]
    return {
        "apiVersion": "kueue.openshift.io/v1",
        "kind": "Kueue",
        "metadata": {"name": "cluster", "annotations": {"pulumi.com/waitFor": "condition=Available"}},
        "spec": {
            "managementState": "Managed",
            "config": {
                "integrations": {"frameworks": ["BatchJob", *more]},
                "workloadManagement": {"labelPolicy": "QueueName"},
                "gangScheduling": _BY_FIVE_MINUTES if queues.evict_unready else {"policy": "None"},
                "preemption": {"preemptionPolicy": "FairSharing" if queues.fair_sharing else "Classical"},
            },
        },
    }


def answers(queues: Queues, sets: Mapping[str, str], *, train_jobs: bool = False) -> dict[str, Any]:
    """Where Kueue is asked whether it looks after JobSets: in the first of the teams that have some; and for which
    configuration, since it starts anew for each. With `train_jobs` it is asked about those too."""
    team, configured = min(sets), configuration(queues, sets=True, train_jobs=train_jobs)["spec"]["config"]
    own = {"runtime": RUNTIME} if train_jobs else {}
    return {"schema": SCHEMA, "namespace": team, "queue": sets[team], "configuration": configured, **own}


def topology(pool: QueuedPool) -> Manifest:
    """The pool's servers from the largest part of the fabric down to each one."""
    rows = [{"nodeLabel": label} for label in levels(pool.servers)]
    return {"apiVersion": API, "kind": "Topology", "metadata": {"name": pool.flavor}, "spec": {"levels": rows}}


def flavor(pool: QueuedPool) -> Manifest:
    """The pool's nodes, and what its taint asks of pods."""
    return {
        "apiVersion": API,
        "kind": "ResourceFlavor",
        "metadata": {"name": pool.flavor},
        "spec": {
            "nodeLabels": {POOL_LABEL: pool.name, **({TENANT_LABEL: pool.tenant} if pool.tenant else {})},
            "tolerations": tolerations(pool.name),
            "topologyName": pool.flavor,
        },
    }


def cluster_queue(
    queues: Queues, pools: Sequence[QueuedPool], team: str, shares: Mapping[str, int], *, gives_way: bool = False
) -> Manifest:
    """A team's part of pools, GPUs by name of the pool; `gives_way`: some of its jobs are stopped for others, those of
    lower priority.

    GPUs are what is divided, and slices of those that MIG cuts. A job that asks for anything the queue does not cover
    is never admitted, so that all else that a server has is covered, by as much as the whole pool has: it is never the
    reason to wait. A flavor has a row for each resource of the queue: of what its pool's servers do not have, 0. A job
    selects its pool, and Kueue takes the flavor whose node labels agree with that (pkg/scheduler/flavorassigner).
    """
    amounts = {
        pool.flavor: {**_everything(pool), **_slices(queues, team, pool), WHOLE_GPU: count(shares[pool.name])}
        for pool in pools
        if pool.name in shares
    }
    names = sorted({name for each in amounts.values() for name in each})
    limits = {pool.flavor: _limits(queues, team, pool.name) for pool in pools if pool.name in shares}
    flavors = [
        {
            "name": flavor,
            "resources": [_row(name, each.get(name, "0"), limits[flavor], lends=queues.borrow) for name in names],
        }
        for flavor, each in amounts.items()
    ]
    stops = {
        **({"reclaimWithinCohort": "Any"} if queues.borrow else {}),
        **({"withinClusterQueue": "LowerPriority"} if gives_way else {}),
        # Without it Kueue looks for nobody to stop for a job that is larger than all of its team's own, not even among
        # the team's own jobs (pkg/scheduler/flavorassigner, canPreemptWhileBorrowing). With fair sharing it does.
        **({"borrowWithinCohort": _OF_NO_OTHERS} if gives_way and queues.borrow and not queues.fair_sharing else {}),
    }
    shared = {
        "cohortName": _COHORT,
        **({"fairSharing": {"weight": count(_weight(queues, team))}} if queues.fair_sharing else {}),
        **({"preemption": stops} if stops else {}),
    }
    return {
        "apiVersion": API,
        "kind": "ClusterQueue",
        "metadata": {"name": team},
        "spec": {
            **shared,
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": team}},
            # A job that finds no room does not hold up smaller ones behind it.
            "queueingStrategy": "BestEffortFIFO",
            "resourceGroups": [{"coveredResources": names, "flavors": flavors}],
        },
    }


def _row(name: str, nominal: str, limits: Mapping[str, str], *, lends: bool) -> dict[str, str]:
    """Only whole GPUs are lent, and without `lends` nothing is. Slices are each team's own, as the quota of its
    namespace has them: what a job borrowed beyond that would be admitted, and its pods refused. Of all else each queue
    has as much as the whole pool."""
    if not lends:
        own: Mapping[str, str] = {"lendingLimit": "0"}
    elif name == WHOLE_GPU:
        own = limits
    else:
        own = {"borrowingLimit": "0"} if name.startswith(SLICE) else {}
    return {"name": name, "nominalQuota": nominal, **own}


def _slices(queues: Queues, team: str, pool: QueuedPool) -> dict[str, str]:
    """A team's MIG slices of a pool, each profile a resource of its own."""
    own = queues.teams[team].slices.get(pool.name, {}) if team in queues.teams else {}
    return {mig_resource(profile): count(number) for profile, number in sorted(own.items())}


def _limits(queues: Queues, team: str, pool: str) -> dict[str, str]:
    """What a team borrows and lends of a pool at most, where the file has it."""
    own = queues.teams.get(team)
    if own is None or not queues.borrow:
        return {}
    given = {"borrowingLimit": own.borrow.get(pool), "lendingLimit": own.lend.get(pool)}
    return {key: count(number) for key, number in given.items() if number is not None}


def _weight(queues: Queues, team: str) -> int:
    """As Kueue has it where nothing is given: 1."""
    own = queues.teams.get(team)
    return own.weight if own is not None and own.weight is not None else 1


def local_queue(pool: str, team: str) -> Manifest:
    """What a job's label names: jobs without one start at once, so it is not called `default`, which takes them all."""
    meta = {"name": pool, "namespace": team}
    return {"apiVersion": API, "kind": "LocalQueue", "metadata": meta, "spec": {"clusterQueue": team}}


def _everything(pool: QueuedPool) -> dict[str, str]:
    """What the pool's servers have in all of what a pod of a job may ask for, GPUs aside."""
    servers = pool.servers.values()
    found = {
        "cpu": count(sum(2 * hardware.cores(server) for server in servers)),
        "memory": gib(sum(hardware.memory_gib(server) for server in servers)),
        # How large nodes' disks are no file says. Kueue compares with each node before it chooses it.
        "ephemeral-storage": gib(len(pool.servers) * 2**20),
    }
    if pool.pool.hugepages_gib:
        found["hugepages-1Gi"] = gib(pool.pool.hugepages_gib * len(pool.servers))
    return found | {resource(rail): count(number) for rail, number in _rails(servers).items()}


def _rails(servers: Iterable[Server]) -> dict[int, int]:
    """Servers by rail: each offers one function of its own."""
    found: dict[int, int] = {}
    for server in servers:
        for nic in hardware.rails(server) if server.group is not None else ():
            found[nic.rail] = found.get(nic.rail, 0) + 1
    return found
