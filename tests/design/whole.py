"""What a whole file plans, section by section, composed as `AiCluster` composes it: for tests of the whole."""

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

from podwright.components.design import acceptance as acceptance_plan
from podwright.components.design import compute as compute_plan
from podwright.components.design import fabric
from podwright.components.design import operators as operators_plan
from podwright.components.design import platform as platform_plan
from podwright.components.design import storage as storage_plan
from podwright.components.design import workloads as workloads_plan
from podwright.components.design.acceptance import Acceptance
from podwright.components.design.compute import standing_network
from podwright.components.design.compute.host_network import Pairs
from podwright.components.design.mirror import Pulls
from podwright.components.design.operators import Operator, QueuedPool
from podwright.components.design.platform import pools
from podwright.components.design.platform.names import Manifest
from podwright.components.design.platform.teams import acceptance as measured_in
from podwright.components.model import Cluster, Pair, RailPool, Server, as_pooled, joined, selected, within
from podwright.components.model.catalogue import SERVERS
from podwright.components.model.queued import giving_way, nominal, queued, racked, waiting_sets, waits
from tests.design.once import keyed, meshed, once_each
from tests.design.team_plans import team_plans, trains


def members(cluster: Cluster, pool: str) -> dict[str, Server]:
    """Servers of a pool."""
    return {name: server for name, server in cluster.servers.items() if server.pool == pool}


def compute(cluster: Cluster) -> Any:
    """Redfish specs, Intersight objects and profiles, the installation, digests by host."""
    assert cluster.intersight and cluster.bmc and cluster.openshift
    role = compute_plan.role(
        *(cluster.name, cluster.servers, cluster.domains),
        cluster.intersight,
        cluster.site,
        cluster.fabric.frontend,
        cluster.compute.roles,
    )
    redfish = {
        name: compute_plan.redfish_server(name, server, cluster.bmc, cluster.compute.roles)
        for name, server in cluster.servers.items()
        if SERVERS[server.model].manager == "redfish"
    }
    return SimpleNamespace(
        redfish=redfish,
        pools=role.pools,
        policies=role.policies,
        profiles=tuple(role.profiles.values()),
        domains=tuple(role.domains.values()),
        chassis=tuple(role.chassis.values()),
        templates=role.templates,
        groups=role.groups,
        install=compute_plan.install.spec(
            cluster.name,
            cluster.openshift,
            cluster.servers,
            cluster.site,
            compute_plan.Management(cluster.bmc, cluster.intersight),
            _pairs(cluster, cluster.fabric.frontend, cluster.fabric.storage),
            Pulls(cluster.images, cluster.has_rails),
        ),
        digests={name: compute_plan.digest(spec["bios"]) for name, spec in redfish.items()} | dict(role.digests),
    )


def _pairs(cluster: Cluster, frontend: Pair | None, storage: Pair | None) -> Pairs | None:
    fabric = cluster.fabric
    return Pairs(frontend, fabric.frontend_mtu, storage, fabric.storage_mtu) if frontend else None


def node_pools(cluster: Cluster) -> dict[str, platform_plan.NodePoolPlan]:
    """Node pools by name."""
    planned = {
        name: platform_plan.node_pool(
            name,
            pool,
            members(cluster, name),
            cluster.bmc,
            cluster.intersight,
            cluster.compute.roles,
            cluster.openshift.infrastructure if cluster.openshift else None,
        )
        for name, pool in cluster.pools.items()
    }
    return {
        name: platform_plan.located(plan, members(cluster, name), joined(cluster), racked=racked(cluster, name))
        for name, plan in planned.items()
    }


def rail_pools(cluster: Cluster) -> list[RailPool]:
    """What each pool offers to jobs."""
    return pools.offered(cluster.pools, cluster.servers)


def platform(cluster: Cluster) -> Any:
    """Objects of the platform, and nodes, which are others' objects."""
    planned = node_pools(cluster).values()
    teams = team_plans(cluster)
    measured = list(measured_in(cluster.has_rails)) if cluster.has_rails else []
    return SimpleNamespace(
        manifests=(
            *platform_plan.cluster_wide(rdma=cluster.has_rails, batch=cluster.has_batch),
            *_mirrored(cluster),
            *_images(cluster),
            *_backups(cluster),
            *_clocks(cluster),
            *once_each(cluster),
            *(plan.pool for plan in planned),
            *(each for plan in planned for each in plan.configuration),
            *_infrastructure(cluster),
            *(each for plan in planned for each in plan.admission),
            *(team.namespace for team in teams),
            *measured[:1],
            *(each for team in teams for each in (*team.inside, *team.opened, *team.closed)),
            *measured[1:],
        ),
        nodes=_as_in_the_file(cluster, [node for plan in planned for node in plan.nodes]),
    )


def _mirrored(cluster: Cluster) -> tuple[Manifest, ...]:
    pulls = Pulls(cluster.images, cluster.has_rails)
    plan = platform_plan.mirror.plan(cluster.openshift, cluster.servers, pulls) if cluster.openshift else None
    return (*([plan.trust] if plan.trust else []), *plan.sets, plan.hub, *plan.catalogs) if plan else ()


def _images(cluster: Cluster) -> tuple[Manifest, ...]:
    shift, certified = cluster.openshift, cluster.has_certified
    plan = platform_plan.images.plan(shift, cluster.servers, certified=certified) if shift else None
    return (*([plan.registries] if plan.registries else []), *plan.policies) if plan else ()


def _clocks(cluster: Cluster) -> tuple[Manifest, ...]:
    chrony = platform_plan.chrony
    return (chrony.policy(), *chrony.configurations(cluster.site.ntp)) if cluster.openshift else ()


def _backups(cluster: Cluster) -> list[Manifest]:
    backup = cluster.openshift.etcd_backup if cluster.openshift else None
    return [platform_plan.etcd_backup.namespace(), *platform_plan.etcd_backup.inside(backup)] if backup else []


def _infrastructure(cluster: Cluster) -> tuple[Manifest, ...]:
    shift, plan = cluster.openshift, platform_plan.infrastructure
    placed, users = (shift.infrastructure, shift.user_workload_monitoring) if shift else (None, False)
    config = [plan.monitoring(placed, users=users)] if placed or users else []
    return (*config, *(plan.owned(placed) + plan.scaled(placed) if placed else ()))


def _as_in_the_file(cluster: Cluster, nodes: Iterable[Manifest]) -> tuple[Manifest, ...]:
    order = list(cluster.servers)
    return tuple(sorted(nodes, key=lambda node: order.index(node["metadata"]["name"])))


def rollouts(cluster: Cluster, digests: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Spec of each pool's roll-out."""
    return {name: platform_plan.rollout(plan, digests) for name, plan in node_pools(cluster).items() if plan.nodes}


def operators(cluster: Cluster) -> tuple[Operator, ...]:
    """Operators in the order they start."""
    assert cluster.operators and cluster.openshift
    section, on_rails = cluster.operators, [pool for pool in rail_pools(cluster) if pool.nics]
    admission = any(pool.admission for pool in cluster.pools.values())
    found = [operators_plan.feature_discovery(section, admission=admission)]
    if on_rails:
        networks = fabric.paths(cluster.network, fabric.plan(cluster.network)).networks
        spaces = [*(name for name in cluster.teams if trains(cluster, name)), "podwright-acceptance"]
        found += [
            operators_plan.maintenance(section, on_rails),
            operators_plan.nics(section, on_rails, cluster.fabric.lossless, networks, admission=admission),
            operators_plan.sriov(section, on_rails, networks, spaces, joined(cluster), cluster.openshift.shared_rails),
        ]
    if cluster.openshift.host_network == "managed":
        found.insert(1, operators_plan.host_networks(section))
    if products := [server.gpus for server in cluster.servers.values() if server.gpus]:
        every = cluster.pools.values()
        divided, sharing = [pool.mig_gpus for pool in every if pool.mig_gpus], any(pool.sharing for pool in every)
        about: dict[str, Any] = {"rdma": cluster.has_rails, "sharing": sharing, "pools": rail_pools(cluster)}
        found.append(operators_plan.gpus(section, products, rolled=True, mig_gpus=divided, **about))
    queues, sets, science = queueing(cluster), waiting_sets(cluster), _data_science(cluster)
    found += [*queues[:-1], *science, *queues[-1:]] if sets and sets.train_jobs else [*queues, *science]
    found += [*([operators_plan.autoscaling(section)] if cluster.asked.scales else []), *keyed(cluster)]
    found += _lost_nodes(cluster)
    return tuple(each.of(platform_plan.mirror.catalogs(cluster.openshift)) for each in (*meshed(cluster), *found))


def queueing(cluster: Cluster) -> list[Operator]:
    """Kueue, behind JobSet, behind cert-manager."""
    queues, section, sets = queued(cluster), cluster.operators, cluster.has_sets
    assert section
    first = [operators_plan.certificates(section)] if operators_plan.certified(queues, sets=sets) else []
    first, places = [*first, *([operators_plan.job_sets_operator(section)] if sets else [])], list[QueuedPool]()
    for name in queues.names if queues else ():
        own = as_pooled(cluster.pools[name], members(cluster, name))
        places += operators_plan.places(name, cluster.pools[name], own, joined(cluster))
    whose = (nominal(cluster), giving_way(cluster), waiting_sets(cluster), joined(cluster))
    return [*first, operators_plan.queues(section, queues, places, *whose)] if queues else first


def _data_science(cluster: Cluster) -> list[Operator]:
    """Tools of data scientists."""
    if not (cluster.operators and cluster.openshift and (tools := cluster.openshift.data_science)):
        return []
    places = [operators_plan.WorkbenchPool(each, cluster.pools[each], members(cluster, each)) for each in tools.pools]
    return [operators_plan.data_scientists(cluster.operators, tools, places, cluster.teams)]


def _lost_nodes(cluster: Cluster) -> list[Operator]:
    """What gives silent nodes up: agents, then checks."""
    lost = cluster.openshift.lost_nodes if cluster.openshift else None
    if lost is None or cluster.operators is None:
        return []
    admission = any(pool.admission for pool in cluster.pools.values())
    agents = operators_plan.remediation(cluster.operators, admission=admission)
    return [agents, operators_plan.health_checks(cluster.operators, lost)]


def driver_rollouts(cluster: Cluster) -> dict[str, dict[str, Any]]:
    """Spec of the roll-out of each pool with GPUs or rails that takes its nodes to another driver."""
    section = cluster.operators
    assert section
    found = [pool for pool in rail_pools(cluster) if pool.nodes]
    gpus = [pool for pool in found if pool.products]
    with_gpus = {
        pool.name: operators_plan.driver_rollout(section, pool, rdma=cluster.has_rails, pools=gpus) for pool in gpus
    }
    with_rails_alone = [pool for pool in found if pool.nics and not pool.products]
    return with_gpus | {pool.name: operators_plan.nic_driver_rollout(section, pool) for pool in with_rails_alone}


def host_networks(cluster: Cluster) -> dict[str, dict[str, Any]]:
    """Spec of what brings each pool's nodes to their VLANs."""
    assert cluster.openshift
    pairs = _pairs(cluster, cluster.nodes_frontend, cluster.nodes_storage)
    return standing_network.rollouts(cluster.nodes, cluster.pools, cluster.openshift, cluster.site, pairs)


def ready(cluster: Cluster, settings: Iterable[Manifest]) -> dict[str, dict[str, Any]]:
    """Spec of each rail pool's readiness."""
    found = [pool for pool in rail_pools(cluster) if pool.nics]
    return {pool.name: operators_plan.readiness.ready(pool, settings) for pool in found}


def storage(cluster: Cluster) -> list[Manifest]:
    """Classes and claims."""
    return list(storage_plan.plan(cluster.storage).manifests)


def workloads(cluster: Cluster) -> list[Manifest]:
    """Objects of every job and service."""
    jobs = [
        workloads_plan.job(
            name,
            each,
            as_pooled(cluster.pools[each.pool], within(cluster, each.team, each.pool)),
            *(cluster.fabric.lossless, cluster.fabric.attachments),
            *(each.pool if waits(cluster, each.pool) else None, selected(cluster, each.team, each.pool)),
        )
        for name, each in cluster.workloads.training.items()
    ]
    jobs += [workloads_plan.store(*each) for each in cluster.workloads.training.items()]
    inference = cluster.workloads.inference.items()
    placed = [(name, each, members(cluster, each.pool), cluster.pools[each.pool].sharing) for name, each in inference]
    services = [plan(*each) for plan in (workloads_plan.service, workloads_plan.canary) for each in placed]
    beside = (workloads_plan.route, workloads_plan.monitor, workloads_plan.scaling, workloads_plan.reader)
    more = [plan(name, each) for plan in beside for name, each in inference]
    more += [workloads_plan.picked(*each, getattr(cluster.openshift, "inference_gateway", None)) for each in inference]
    return [each for made in (*jobs, *services, *more) for each in made]


def acceptance(cluster: Cluster) -> Acceptance:
    """The acceptance plan."""
    assert cluster.acceptance
    paths = fabric.paths(cluster.network, fabric.plan(cluster.network))
    return acceptance_plan.plan(cluster.acceptance, paths, rail_pools(cluster))
