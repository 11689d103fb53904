"""The installation, its pools of nodes, and the teams that share them."""

from collections.abc import Mapping

import pulumi

from podwright.components.cluster.root import Installed, Root
from podwright.components.cluster.servers import Servers
from podwright.components.contract import After
from podwright.components.model import OpenShift, granted, nominal, spread_over_racks, waits
from podwright.components.model.gateway_hosts import gateway_hosts
from podwright.components.model.tenants import joined
from podwright.components.model.workbenches import has_pipelines, projects
from podwright.components.platform import NodePool, NodePoolArgs, OpenShiftCluster, OpenShiftClusterArgs
from podwright.components.service_mesh import Meshed
from podwright.components.teams import Team, TeamArgs
from podwright.components.world import homes


def installation(root: Root, openshift: OpenShift, below: After) -> Installed:
    """The installation; `below` is what servers boot over."""
    args = root.args
    about = OpenShiftClusterArgs(
        cluster=args.name,
        openshift=openshift,
        servers=args.nodes,
        site=args.site,
        bmc=args.bmc,
        intersight=args.intersight,
        frontend=args.nodes_frontend,
        host_mtu=args.fabric.frontend_mtu,
        storage_pair=args.nodes_storage,
        storage_mtu=args.fabric.storage_mtu,
        pools=args.pools,
        rdma=args.has_rails,
        batch=args.has_batch,
        sets=args.has_sets,
        tenants=joined(args),
        gateway_hosts=gateway_hosts(args.workloads),
        operators=homes(args.operators, args.servers, args.pools, openshift, args.asked),
        images=args.images,
        waived=args.waived_rules,
        certified=args.has_certified,
        protect=args.protect,
        after=below,
    )
    return Installed(root, openshift, OpenShiftCluster(args.name, about, root.inside()))


def node_pools(on: Installed, servers: Servers) -> dict[str, NodePool]:
    """Every pool of the file, by name."""
    return {name: _node_pool(on, servers, name) for name in on.args.pools}


def _node_pool(on: Installed, servers: Servers, name: str) -> NodePool:
    args = on.args
    members = {node: server for node, server in args.nodes.items() if server.pool == name}
    about = NodePoolArgs(
        cluster=args.name,
        pool=name,
        section=args.pools[name],
        servers=members,
        kubeconfig=on.cluster.kubeconfig,
        digests={host: servers.digests[host] for host in members},
        machines={host: servers.machines[host].urn for host in members},
        bmc=args.bmc,
        intersight=args.intersight,
        roles=args.compute.roles,
        infrastructure=on.openshift.infrastructure,
        user_workload_monitoring=on.openshift.user_workload_monitoring,
        installation=on.cluster.urn,
        in_queues=waits(args, name),
        spread=spread_over_racks(args, name),
        tenants=joined(args),
        after=[on.cluster.ready],
    )
    return NodePool(f"{args.name}-{name}", about, on.inside())


def teams(on: Installed, mesh: Meshed) -> dict[str, Team]:
    """Every team of the file, by name."""
    return {name: _team(on, mesh, name) for name in on.openshift.teams}


def _team(on: Installed, mesh: Meshed, name: str) -> Team:
    args, work = on.args, on.args.workloads
    about = TeamArgs(
        cluster=args.name,
        team=name,
        section=granted(args, name),
        in_queue=name in nominal(args),
        devices=on.cluster.planned_devices,
        project=name in projects(args),
        pipelines=has_pipelines(args),
        trains=any(job.team == name for job in work.training.values()),
        serves=any(service.team == name for service in work.inference.values()),
        reached_by=[other for other, each in args.teams.items() if name in each.reaches],
        protect=args.protect,
        **mesh.of(name, [on.cluster.ready]),
    )
    return Team(f"{args.name}-{name}", about, on.inside())


def ready(teams: Mapping[str, Team]) -> dict[str, pulumi.Output[str]]:
    """`ready` of each team, by name."""
    return {name: team.ready for name, team in teams.items()}
