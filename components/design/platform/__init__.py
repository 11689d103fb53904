"""Platform, derived: what every cluster has once, node pools with their nodes, and teams."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from podwright.components.design import hardware
from podwright.components.design.compute import digest
from podwright.components.design.compute.firmware import of_controller
from podwright.components.design.compute.install import bmc_address, bmc_secret
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.platform import (
    admission,
    admission_rules,
    alerts,
    chrony,
    etcd_backup,
    fairness,
    gateway,
    images,
    infrastructure,
    isolation,
    mesh,
    mirror,
    offered,
    pools,
    projects,
    queued_jobs,
    rail_tenants,
    teams,
    topology,
    training_pools,
)
from podwright.components.design.platform.guard import guard
from podwright.components.design.platform.infrastructure import placed
from podwright.components.design.platform.names import BATCH, INFERENCE, TRAINING, Manifest, priority_class
from podwright.components.design.platform.pools import first_taints
from podwright.components.model import (
    NO_ROLES,
    Bmc,
    Infrastructure,
    Intersight,
    Pool,
    RailPool,
    Roles,
    Server,
    Team,
    Tenants,
)

__all__ = [
    "NodePoolPlan",
    "TeamPlan",
    "admission_rules",
    "alerts",
    "chrony",
    "cluster_wide",
    "etcd_backup",
    "fairness",
    "first_taints",
    "gateway",
    "guard",
    "images",
    "infrastructure",
    "isolation",
    "located",
    "mirror",
    "node_pool",
    "offered",
    "placed",
    "queued_jobs",
    "rail_tenants",
    "rollout",
    "team",
    "training_pools",
]


@dataclass(frozen=True)
class NodePoolPlan:
    """One node pool, in the order it is applied."""

    pool: Manifest
    configuration: tuple[Manifest, ...]
    """What its nodes boot with; it stands before they join the pool, so that they reboot once."""
    taint: dict[str, Any] | None
    """Spec of `podwright:openshift:Taint`; None where the pool has no taint or no nodes."""
    admission: tuple[Manifest, ...]
    """What admits its nodes, in the order in which it is made; empty where the pool has no `admission`."""
    admission_taint: dict[str, Any] | None
    """Spec of `podwright:openshift:Taint` for the taint that those put on and take off."""
    nodes: tuple[Manifest, ...]
    """Fields on objects that kubelets made."""
    rollout: dict[str, Any]
    """Spec of `podwright:openshift:Rollout` but for its trigger."""
    rails: RailPool


@dataclass(frozen=True)
class TeamPlan:
    """One team's namespace and everything inside it but workloads."""

    namespace: Manifest
    inside: tuple[Manifest, ...]
    opened: tuple[Manifest, ...] = ()
    """Ports that are open in the clear, in the service mesh."""
    closed: tuple[Manifest, ...] = ()
    """What closes the others to it, behind them."""


def cluster_wide(*, rdma: bool, batch: bool = False) -> tuple[Manifest, ...]:
    """Priority classes, that of `batch` jobs where there are any, and, where pods use rails, the right to lock
    memory."""
    return (*priorities(batch=batch), *((teams.rdma_scc(),) if rdma else ()))


def node_pool(
    name: str,
    pool: Pool,
    servers: Mapping[str, Server],
    bmc: Bmc | None,
    account: Intersight | None,
    roles: Roles = NO_ROLES,
    own: Infrastructure | None = None,
) -> NodePoolPlan:
    """Everything about one pool; `servers` are its own, `bmc` and `account` are how their machines are restarted.

    `roles` are what its servers take settings from, threads per core among them. `own` is where
    OpenShift's own pods go, to this pool or another.
    """
    extra = {infrastructure.ROLE: ""} if own is not None and own.pool == name else pools.NOTHING
    return NodePoolPlan(
        pool=pools.machine_config_pool(name, pool),
        configuration=tuple(pools.node_configuration(name, pool, servers, roles)),
        taint=_taint(name, pool, servers),
        admission=admission.objects(name, pool, servers),
        admission_taint=_cleared(name, pool, servers),
        nodes=tuple(pools.node(host, server, pool, extra) for host, server in servers.items()),
        rollout={
            "schema": SCHEMA,
            "pool": name,
            "nodes": [_node(host, server, pool, bmc) for host, server in servers.items()],
            "max_unavailable": pool.max_unavailable,
            "soak_seconds": pool.rollout.soak_seconds,
            **({"pause": True} if pool.rollout.pause else {}),
            **({"despite": list(pool.rollout.despite)} if pool.rollout.despite else {}),
            **_account(servers, account),
        },
        rails=pools.rail_pool(name, pool, servers),
    )


def located(
    plan: NodePoolPlan, servers: Mapping[str, Server], tenants: Tenants | None = None, *, racked: bool = False
) -> NodePoolPlan:
    """The same pool where its nodes say whose their rails are, and, where somebody goes by racks, where they stand."""
    return replace(plan, nodes=tuple(topology.placed(node, servers, tenants, racked=racked) for node in plan.nodes))


def rollout(plan: NodePoolPlan, digests: Mapping[str, str]) -> dict[str, Any]:
    """Spec of the pool's roll-out; `digests` name, by host, what takes effect on that server with its next restart."""
    nodes = [{**node, "digest": digests[node["name"]]} for node in plan.rollout["nodes"]]
    return {**plan.rollout, "nodes": nodes, "trigger": digest({node["name"]: node["digest"] for node in nodes})}


def team(  # noqa: PLR0913 - what others of the file say about a team
    name: str,
    defined: Team,
    *,
    trains: bool,
    serves: bool,
    in_queue: bool = False,
    devices: Sequence[str] = (),
    reached_by: Sequence[str] = (),
    project: bool = False,
    pipelines: bool = False,
    clear: Mapping[str, Sequence[int]] | None = None,
) -> TeamPlan:
    """One team; `trains` and `serves` say what its pods are and so which accounts they need, `in_queue` that its jobs
    wait in one, `devices` what pools offer of GPUs, `reached_by` whose pods reach its own, `project` that it has
    workbenches, `pipelines` that such a one may have servers of pipelines. `clear` are ports of its services that those
    reach who are not in the service mesh, by the name of their pods; None: it is in none itself."""
    meshed, centre = clear is not None, defined.cost_centre
    inside = teams.inside(name, defined, trains=trains, serves=serves, reached_by=reached_by, meshed=meshed)
    return TeamPlan(
        teams.namespace(name, rdma=trains, in_queue=in_queue, cost_centre=centre, project=project, meshed=meshed),
        (
            teams.quota(name, defined, devices),
            *inside,
            *(projects.ways(name, pipelines=pipelines) if project else ()),
        ),
        *(() if clear is None else (tuple(mesh.opened(name, clear)), (mesh.strict(name),))),
    )


def _taint(name: str, pool: Pool, servers: Mapping[str, Server]) -> dict[str, Any] | None:
    taint = pools.taint(name, pool)
    return {"schema": SCHEMA, "pool": name, "taint": taint, "nodes": list(servers)} if taint and servers else None


def _cleared(name: str, pool: Pool, servers: Mapping[str, Server]) -> dict[str, Any] | None:
    if pool.admission is None or not servers:
        return None
    return {"schema": SCHEMA, "pool": name, "taint": dict(admission.TAINT), "nodes": [], "clears": list(servers)}


def _node(name: str, server: Server, pool: Pool, bmc: Bmc | None) -> dict[str, Any]:
    """A node, how its machine is reached, what firmware it is brought, and how its GPUs are divided."""
    address = bmc_address(server)
    reached: dict[str, Any] = {"bmc": address, "credential": bmc_secret(server, bmc)} if address and bmc else {}
    brought = of_controller(server, bmc) if address and bmc else None
    if brought and "images" in brought:
        reached["firmware"] = brought
    if _profiled(server):
        reached["intersight"] = True
    mig = pools.layout(server, pool)
    return {"name": name, "serial": server.serial, **reached, **({"mig": mig} if mig else {})}


def _profiled(server: Server) -> bool:
    return hardware.server_model(server.model).manager == "intersight"


def _account(servers: Mapping[str, Server], account: Intersight | None) -> dict[str, dict[str, str]]:
    if account is None or not any(_profiled(server) for server in servers.values()):
        return {}
    return {"intersight": {"endpoint": account.endpoint, "key_id": account.key_id, "secret": account.key}}


def priorities(*, batch: bool = False) -> Iterator[Manifest]:
    """Training never pushes anything out; serving may push out what is lower, which on its own pool is nothing.

    Batch is below training for Kueue, which takes a job's priority from its pods' class where it names no
    WorkloadPriorityClass (kubernetes-sigs/kueue v0.19.2, pkg/util/priority), and stops a job whole. Above 0, so that
    pods without a class push nothing of it out.
    """
    lowest = ((BATCH, 100, "Never"),) if batch else ()
    for kind, value, policy in (
        (TRAINING, 1000, "Never"),
        (INFERENCE, 10000, "PreemptLowerPriority"),
        *lowest,
    ):
        yield {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": priority_class(kind)},
            "value": value,
            "globalDefault": False,
            "preemptionPolicy": policy,
            "description": f"{kind.capitalize()} pods of every team",
        }
