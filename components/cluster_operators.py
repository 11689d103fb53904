"""Which operators a cluster gets, and the order in which they wait for each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi

from podwright.components.model import Lossless, MigGpus, RailNetworks, RailPool, Tenants
from podwright.components.operators import (
    GpuOperator,
    GpuOperatorArgs,
    InstalledOperator,
    Made,
    MaintenanceOperator,
    NetworkOperator,
    NodeFeatureDiscovery,
    OperatorArgs,
    RailOperatorArgs,
    SriovOperator,
    SriovOperatorArgs,
)
from podwright.components.scaling import scaled


@dataclass(frozen=True)
class ClusterOperatorsArgs(OperatorArgs):
    """What decides which operators a cluster gets: the hardware they are for, and who uses it."""

    pools: Sequence[RailPool] = ()
    """Every pool: `rails` of each node pool."""
    networks: RailNetworks | None = None
    """Rails of the fabric."""
    lossless: Lossless = field(default_factory=Lossless)
    """Its lossless class."""
    namespaces: Mapping[str, pulumi.Input[str]] | None = None
    """`ready` of each namespace whose pods use rails."""
    tenants: Tenants | None = None
    """Which rails are whose. None: each namespace's are all."""
    shared_rails: str | None = None
    """Why teams without a tenant of their own share rails."""
    products: Sequence[str] = ()
    """GPU products of the servers."""
    rdma: bool = False
    """NICs read and write GPU memory: some pool has rails."""
    sharing: bool = False
    """Some pool shares its GPUs."""
    mig_gpus: Sequence[Sequence[MigGpus]] = ()
    """`mig_gpus` of each pool that divides its GPUs in different ways."""
    host_networks: Made | None = None
    """What makes the operator of hosts' networks. None: hosts keep those that they were installed with."""
    queues: Sequence[Made] = ()
    """What makes the operators of queues and of data scientists' tools, each behind the one before it. Empty: no job
    waits in a queue, and the cluster has no such tools."""
    scales: bool = False
    """Some service changes its replicas by its metrics."""
    keys: Sequence[Made] = ()
    """What makes the operator of clients' keys. Empty: nobody is asked for one."""
    lost_nodes: Sequence[Made] = ()
    """What makes the operators that give silent nodes up, behind all others. Empty: such nodes keep their pods."""


class ClusterOperators:
    """The operators of one cluster: NFD, then NMState, then maintenance, NVIDIA network and SR-IOV, then GPU.

    Those of queues, of scaling and of keys come behind them, and what gives silent nodes up comes last. SR-IOV waits
    until the NICs are in the lossless class: their firmware restarts nodes, and both drain. Those whose hardware the
    cluster lacks are left out.
    """

    every: list[InstalledOperator]
    """In the order in which they wait for each other."""
    rails: list[InstalledOperator]
    """Those whose settings decide what a rail is."""

    def __init__(self, args: ClusterOperatorsArgs, opts: pulumi.ResourceOptions) -> None:
        keys = ("cluster", "section", "kubeconfig", "catalogs", "admission")
        common: dict[str, Any] = {key: getattr(args, key) for key in keys}
        found = NodeFeatureDiscovery(f"{args.cluster}-nfd", OperatorArgs(**common, after=args.after), opts)
        # NMState rolls back on a node that is not Ready: before those that restart nodes.
        first = [found, *([args.host_networks(common, [found.ready], opts)] if args.host_networks else [])]
        self.rails = []
        on_rails = [pool for pool in args.pools if pool.nics]
        if on_rails:
            rails: dict[str, Any] = {**common, "pools": on_rails, "lossless": args.lossless}
            began = RailOperatorArgs(**rails, after=[first[-1].ready])
            budget = MaintenanceOperator(f"{args.cluster}-maintenance", began, opts)
            addressed = RailOperatorArgs(**rails, networks=args.networks, after=[budget.ready])
            network = NetworkOperator(f"{args.cluster}-network", addressed, opts)
            spaces = args.namespaces or {}
            about = SriovOperatorArgs(
                **common,
                after=[network.ready, *spaces.values()],
                pools=on_rails,
                networks=args.networks,
                namespaces=list(spaces),
                tenants=args.tenants,
                shared=args.shared_rails,
            )
            self.rails = [budget, network, SriovOperator(f"{args.cluster}-sriov", about, opts)]
        self.every = [*first, *self.rails]
        if args.products:
            accelerated = GpuOperatorArgs(
                **common,
                # Each waits for the one before it.
                after=[self.every[-1].ready],
                products=args.products,
                rdma=args.rdma,
                pools=args.pools,
                sharing=args.sharing,
                mig_gpus=args.mig_gpus,
            )
            self.every.append(GpuOperator(f"{args.cluster}-gpu", accelerated, opts))
        for make in (*args.queues, *scaled(scales=args.scales), *args.keys, *args.lost_nodes):
            self.every.append(make(common, [self.every[-1].ready], opts))
