"""The operators of a cluster: what its pools, jobs, queues and clients need of each."""

from collections.abc import Mapping, Sequence

import pulumi

from podwright.components.cluster.root import Installed
from podwright.components.cluster_operators import ClusterOperators, ClusterOperatorsArgs
from podwright.components.contract import After
from podwright.components.data_science import tools
from podwright.components.fabric import Fabric
from podwright.components.host_networks import managed
from podwright.components.keys import asked_for_keys
from podwright.components.lost_nodes import given_up
from podwright.components.model import nominal
from podwright.components.model.queued import giving_way, queued, waiting_sets
from podwright.components.model.tenants import joined
from podwright.components.operators import Made
from podwright.components.platform import NodePool
from podwright.components.queues import around, waiting


def operators(
    on: Installed,
    fabric: Fabric,
    pools: Mapping[str, NodePool],
    teams: Mapping[str, pulumi.Output[str]],
    after: After,
) -> ClusterOperators | None:
    """Every operator that the file asks for; None where it has none. `teams` are `ready` of each team."""
    args = on.args
    if args.operators is None:
        return None
    training = {job.team for job in args.workloads.training.values()}
    about = ClusterOperatorsArgs(
        cluster=args.name,
        section=args.operators,
        kubeconfig=on.cluster.kubeconfig,
        after=after,
        pools=[pool.planned_rails for pool in pools.values()],
        catalogs=on.cluster.planned_catalogs,
        networks=fabric.planned_paths.between(args.node_names).networks,
        lossless=args.fabric.lossless,
        namespaces={name: ready for name, ready in teams.items() if name in training},
        tenants=joined(args),
        shared_rails=on.openshift.shared_rails,
        products=[server.gpus for server in args.servers.values() if server.gpus],
        rdma=args.has_rails,
        mig_gpus=[pool.mig_gpus for pool in args.pools.values() if pool.mig_gpus],
        host_networks=_host_networks(on),
        queues=_queues(on, teams),
        scales=args.asked.scales,
        keys=asked_for_keys(on.openshift),
        lost_nodes=given_up(on.openshift, args.nodes, args.site),
        sharing=any(pool.sharing for pool in args.pools.values()),
        admission=any(pool.admission for pool in args.pools.values()),
    )
    return ClusterOperators(about, on.inside())


def _host_networks(on: Installed) -> Made | None:
    args = on.args
    pairs = (args.nodes_frontend, args.nodes_storage)
    return managed(on.openshift, args.site, args.nodes, args.pools, pairs, args.fabric)


def _queues(on: Installed, teams: Mapping[str, pulumi.Output[str]]) -> Sequence[Made]:
    """Queues, sets of jobs, and tools of data scientists, in the order in which they wait for each other."""
    args, sets = on.args, waiting_sets(on.args)
    queues = waiting(
        queued(args),
        args.pools,
        args.nodes,
        nominal(args),
        teams,
        giving_way=giving_way(args),
        sets=sets,
        tenants=joined(args),
    )
    return around(queues, tools(on.openshift, args.pools, args.nodes), sets)
