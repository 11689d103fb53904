"""OpenShift on its hosts: the installation, node pools and teams."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import pulumi
from pulumi_kubernetes import Provider

from podwright.components.admission_policies import enforced, kept_for_training
from podwright.components.backups import backed_up
from podwright.components.contract import After, Component, under
from podwright.components.design.compute import Management, install
from podwright.components.design.compute.host_network import Pairs
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.mirror import Pulls
from podwright.components.design.platform import (
    NodePoolPlan,
    alerts,
    chrony,
    cluster_wide,
    fairness,
    first_taints,
    gateway,
    guard,
    images,
    isolation,
    located,
    mirror,
    node_pool,
    offered,
    placed,
    rollout,
)
from podwright.components.manifests import STACK_LABEL, Objects, stack_mark
from podwright.components.model import (
    Bmc,
    Infrastructure,
    Intersight,
    OpenShift,
    Pair,
    Pool,
    RailPool,
    Role,
    Server,
    Site,
    Tenants,
    layout_name,
)
from podwright.components.model.coherence import (
    bonds_problems,
    members_problems,
    openshift_problems,
    pool_problems,
    servers_problems,
    storage_bonds_problems,
    threads_problems,
)
from podwright.components.monitoring import from_cluster, monitored
from podwright.components.providers.openshift.resources import Guard, Install, Rollout, Taint
from podwright.components.pulls import allowed, mirrored
from podwright.components.teams import Team, TeamArgs

__all__ = ["NodePool", "NodePoolArgs", "OpenShiftCluster", "OpenShiftClusterArgs", "Team", "TeamArgs"]


@dataclass(frozen=True)
class OpenShiftClusterArgs:
    """One installation of OpenShift."""

    cluster: str
    """Name of the cluster; it is stamped on every resource, and part of its DNS names."""
    openshift: OpenShift
    """The installation."""
    servers: Mapping[str, Server]
    """Servers by host name, those of the control plane too."""
    site: Site
    """The site."""
    bmc: Bmc | None = None
    """Access to baseboard controllers. None: no server has one that is reached."""
    intersight: Intersight | None = None
    """The Intersight account. None: it looks after no server of this cluster."""
    frontend: Pair | None = None
    """The frontend pair that hosts are cabled to, whose VLANs and bundles they are installed with. None: each is
    installed with one interface."""
    host_mtu: int = 9000
    """MTU of the hosts' interfaces on the frontend, in bytes: `host_mtu` of its lossless class."""
    storage_pair: Pair | None = None
    """The storage pair that hosts with `storage_macs` are cabled to. None: no host has interfaces there."""
    storage_mtu: int = 9000
    """MTU of the hosts' interfaces on the storage pair, in bytes: `host_mtu` of its lossless class."""
    pools: Mapping[str, Pool] = field(default_factory=dict)
    """Pools of its nodes by name: a host that joins has its pool's taint from its first moment."""
    rdma: bool = False
    """Some pool has rails: the right to lock memory is made, which RDMA needs."""
    batch: bool = False
    """Some training job is of priority `batch`: the PriorityClass of such jobs is made."""
    sets: bool = False
    """JobSet is installed: what enforces queues asks about JobSets too."""
    tenants: Tenants | None = None
    """Whose pods may use the rails of which nodes. None: any team's those of all."""
    gateway_hosts: Mapping[str, Sequence[str]] | None = None
    """Names of services behind its inference gateway by team, which no other route gets. None: routes take any name."""
    operators: Sequence[str] | None = None
    """Namespaces of its operators, whose pods run on training pools too. None: those of every release set."""
    images: Sequence[str] = ()
    """What jobs, services and acceptance run: a disconnected site's mirror has their registries."""
    waived: Sequence[str] = ()
    """Rules of the policy pack with a finding that the site accepts: the API server does not refuse it either."""
    certified: bool = False
    """Some operator is of the certified catalogue, whose registries nodes pull from."""
    protect: bool = False
    """Deletion protection."""
    after: After = ()
    """`ready` of what must stand first: servers, and the network they boot over."""


class OpenShiftCluster(Component):
    """The installation, the API's guard against taking over foreign objects, and what every cluster has once."""

    TOKEN = "podwright:index:OpenShiftCluster"

    kubeconfig: pulumi.Output[str]
    """Administrator's access; secret."""
    api: pulumi.Output[str]
    """URL of the API server."""
    console: pulumi.Output[str]
    """URL of the console."""
    nodes: pulumi.Output[Mapping[str, str]]
    """Address of each host on the machine network, by name."""
    ready: pulumi.Output[str]
    """Its name, once the API answers and refuses to hand foreign objects over."""

    def __init__(self, name: str, args: OpenShiftClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        problems = [*under("openshift", openshift_problems(args.cluster, args.openshift, args.servers, args.site))]
        inputs = {"version": args.openshift.version, "hosts": list(args.servers)}
        problems += [*servers_problems(args.servers), *bonds_problems(args.servers, args.frontend)]
        problems += storage_bonds_problems(args.servers, args.frontend, args.storage_pair)
        super().__init__(name, args.cluster, inputs, opts, problems)
        pulls = Pulls(tuple(args.images), args.rdma)
        installed = self._install(args, pulls)
        self.kubernetes = Provider(
            self.child("kubernetes"),
            kubeconfig=installed.kubeconfig,
            # Fixed, so that a new certificate or address in the kubeconfig replaces nothing.
            cluster_identifier=args.cluster,
            enable_server_side_apply=True,
            # A changed ConfigMap stays the same object: its readers must not find it gone.
            enable_config_map_mutable=True,
            opts=self.options(),
        )
        """What reaches its API; components on the cluster are given it in `providers`."""
        self._providers = {**self._providers, "kubernetes": self.kubernetes}
        guarded = self._guarded(installed)
        wide: list[pulumi.Resource] = [guarded.add(each) for each in cluster_wide(rdma=args.rdma, batch=args.batch)]
        wide += mirrored(self, mirror.plan(args.openshift, args.servers, pulls), installed, guarded)
        wide += allowed(self, images.plan(args.openshift, args.servers, certified=args.certified), installed, guarded)
        wide += [
            *backed_up(args.openshift, guarded),
            *guarded.chain(gateway.plan(args.openshift, args.gateway_hosts), ()),
        ]
        facts = (args.pools, args.servers, args.openshift, args.operators)
        wide += kept_for_training(*facts, guarded, rdma=args.rdma, sets=args.sets)
        clocks = guarded.following([guarded.patch(chrony.policy(), installed.urn)])
        wide += map(guarded.add, fairness.plan(args.openshift.team_api_shares, args.openshift.teams))
        wide += enforced(args.openshift, args.waived, guarded, args.tenants, sets=args.sets)
        wide += map(guarded.add, alerts.plan(args.openshift, args.pools, args.servers, args.operators))
        wide += map(guarded.add, isolation.policies(args.openshift.team_isolation, args.openshift.teams))
        wide += map(clocks.add, chrony.configurations(args.site.ntp))
        wide += monitored(self, args.openshift, args.pools, guarded)
        self.planned_devices = offered.devices(args.pools, args.servers)
        self.planned_catalogs = mirror.catalogs(args.openshift)
        base = f"{args.cluster}.{args.openshift.domain}"
        self.finish(
            kubeconfig=pulumi.Output.secret(installed.kubeconfig),
            api=f"https://api.{base}:6443",
            console=f"https://console-openshift-console.apps.{base}",
            nodes={host: str(server.address) for host, server in args.servers.items()},
            ready=self.join("ready", wide).ready,
        )

    def _install(self, args: OpenShiftClusterArgs, pulls: Pulls) -> Install:
        options = self.options(args.after, protect=args.protect, custom_timeouts=pulumi.CustomTimeouts("3h", "3h"))
        management = Management(args.bmc, args.intersight)
        pairs = Pairs(args.frontend, args.host_mtu, args.storage_pair, args.storage_mtu) if args.frontend else None
        spec = install.spec(args.cluster, args.openshift, args.servers, args.site, management, pairs, pulls)
        return Install(self.child("install"), {**spec, **first_taints(args.pools)}, opts=options)

    def _guarded(self, installed: Install) -> Objects:
        """Once the guard is enforced, nothing that follows can take over an existing object."""
        mark = stack_mark()
        (policy, binding), first = guard(mark, STACK_LABEL), Objects(self)
        bound = first.add(binding, [first.add(policy)])
        spec = {"schema": SCHEMA, "label": STACK_LABEL, "mark": mark}
        enforced = Guard(self.child("guard"), spec, installed.kubeconfig, opts=self.options(resources=[bound]))
        return first.following([enforced])


@dataclass(frozen=True)
class NodePoolArgs:
    """One node pool and its servers."""

    cluster: str
    """Name of the cluster; it is stamped on every resource."""
    pool: str
    """Name of the pool: of its MachineConfigPool and labels."""
    section: Pool
    """The pool."""
    servers: Mapping[str, Server]
    """Its servers by host name."""
    kubeconfig: pulumi.Input[str]
    """Access to the cluster."""
    digests: Mapping[str, pulumi.Input[str]]
    """By host name, what waits for that server's next restart: `digest` of its profile or Redfish settings."""
    machines: Mapping[str, pulumi.Input[str]]
    """By host name, `urn` of its ServerProfile or RedfishServer: a server that goes takes its node along, and its
    labels with the node. Given up one by one afterwards, they would make a node of that name again, without a host."""
    bmc: Bmc | None = None
    """Access to baseboard controllers. None: no server has one that is reached."""
    intersight: Intersight | None = None
    """The Intersight account. None: it looks after no server of this pool."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """What its servers take settings from, by name: `roles` of the components that configure them."""
    infrastructure: Infrastructure | None = None
    """The pool of OpenShift's own pods, this one or another. None: they go where OpenShift puts them."""
    user_workload_monitoring: bool = False
    """Monitoring of user projects is switched on, where this is the pool of OpenShift's own pods."""
    installation: pulumi.Input[str] = ""
    """`urn` of the OpenShiftCluster, whose end takes OpenShift's own objects along; needed for `infrastructure`."""
    in_queues: bool = False
    """Its jobs wait in queues: Kueue reads from nodes' labels where they are."""
    spread: bool = False
    """Replicas of a service are spread over its racks: the scheduler reads from nodes' labels in which they are."""
    tenants: Tenants | None = None
    """Whose the rails of its nodes are. None: any team's."""
    after: After = ()
    """`ready` of what must stand first: the cluster."""


class NodePool(Component):
    """A MachineConfigPool, what its nodes boot with, their taint and labels, and the roll-out that restarts them."""

    TOKEN = "podwright:index:NodePool"
    PROVIDERS = ("podwright", "kubernetes")

    pool: pulumi.Output[str]
    """Name of the pool, which workloads select nodes by."""
    purpose: pulumi.Output[str]
    """What may run there: training, inference, infrastructure or cpu."""
    rails: pulumi.Output[Annotated[Mapping[str, Any], RailPool]]
    """What its servers offer to jobs: GPUs, and NICs by rail."""
    ready: pulumi.Output[str]
    """Its name, once every node runs the pool's configuration."""

    def __init__(self, name: str, args: NodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        inputs = {"purpose": args.section.purpose, "mig": layout_name(args.section), "servers": list(args.servers)}
        problems = [
            *under("section", pool_problems(args.pool, args.section, args.servers)),
            *members_problems(args.pool, args.servers, args.digests, args.machines),
            *(threads_problems(args.pool, args.servers, args.roles) if args.section.reserves_processors else ()),
        ]
        super().__init__(name, args.cluster, inputs, opts, problems)
        about = (args.pool, args.section, args.servers, args.bmc, args.intersight, args.roles, args.infrastructure)
        plan = located(node_pool(*about), args.servers, args.tenants, racked=args.in_queues or args.spread)
        self.planned_rails = plan.rails
        first = Objects(self, args.after)
        made = first.add(plan.pool)
        # What admits and what nodes boot with stand before they join their pool, taints before their labels.
        watched = first.chain(plan.admission, self._tainted(args, "not-admitted", plan.admission_taint, [made]))
        booted = self.gate("configuration", [*watched, *(first.add(each, [made]) for each in plan.configuration)])
        joining = first.following(self._tainted(args, "taint", plan.taint, booted))
        nodes = [joining.patch(each, args.machines[each["metadata"]["name"]]) for each in plan.nodes]
        nodes_joined = self.gate("nodes", nodes or booted)
        self.finish(
            pool=args.pool,
            purpose=args.section.purpose,
            rails=plan.rails.model_dump(mode="json"),
            ready=self._rollout(args, plan, [*nodes_joined, *self._placed(args, first.following(nodes_joined))]),
        )

    def _placed(self, args: NodePoolArgs, joined: Objects) -> list[pulumi.Resource]:
        """OpenShift's own pods, once nodes carry the label that they select; it owns two of the three objects."""
        plan = placed(args.infrastructure, args.pool, users=args.user_workload_monitoring)
        moved = from_cluster(args.installation, args.cluster) if args.user_workload_monitoring else ()
        ours: list[pulumi.Resource] = [joined.add(each, moved=moved) for each in plan.made]
        theirs = [joined.patch(each, args.installation) for each in plan.owned]
        return [*ours, *theirs, *(joined.patch(each, args.installation, "routers") for each in plan.scaled)]

    def _tainted(
        self, args: NodePoolArgs, name: str, spec: Mapping[str, Any] | None, after: list[pulumi.Resource]
    ) -> list[pulumi.Resource]:
        return [Taint(self.child(name), spec, args.kubeconfig, opts=self.options(resources=after))] if spec else after

    def _rollout(self, args: NodePoolArgs, plan: NodePoolPlan, nodes: list[pulumi.Resource]) -> pulumi.Output[str]:
        """After the labels that put nodes into their pool: a roll-out ends when they run the pool's configuration."""
        spec = pulumi.Output.all(**args.digests).apply(lambda digests: rollout(plan, digests))
        if not args.servers:
            return self.join("ready", nodes).ready
        made = Rollout(self.child("rollout"), spec, args.kubeconfig, opts=self.options(resources=nodes))
        return self.join("ready", [made]).ready
