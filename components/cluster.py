"""The composition root: one stack file as components. The only place that knows the whole of it, and their order."""

from collections.abc import Mapping
from typing import Any

import pulumi

from podwright.components.acceptance import FabricAcceptance, FabricAcceptanceArgs
from podwright.components.cluster_operators import ClusterOperators, ClusterOperatorsArgs
from podwright.components.compute import (
    DomainArgs,
    InterconnectDomain,
    RedfishServer,
    RedfishServerArgs,
    ServerProfile,
    ServerProfileArgs,
    ServerRole,
    ServerRoleArgs,
)
from podwright.components.contract import After, Component, known_as
from podwright.components.data_science import tools
from podwright.components.fabric import Fabric
from podwright.components.host_networks import managed
from podwright.components.keys import asked_for_keys
from podwright.components.lost_nodes import given_up
from podwright.components.model import BESIDE, Cluster, Server, granted, layout_name, nominal, waits
from podwright.components.model.advisory import findings
from podwright.components.model.coherence import check, is_place
from podwright.components.model.queued import giving_way, queued, waiting_sets
from podwright.components.model.tenants import joined, selected, within
from podwright.components.model.workbenches import projects
from podwright.components.platform import NodePool, NodePoolArgs, OpenShiftCluster, OpenShiftClusterArgs
from podwright.components.providers.resources import World
from podwright.components.queues import around, waiting
from podwright.components.service_mesh import meshed
from podwright.components.storage import Storage, StorageArgs
from podwright.components.teams import Team, TeamArgs
from podwright.components.workloads import (
    InferenceService,
    InferenceServiceArgs,
    TrainingJob,
    TrainingJobArgs,
    in_short,
)
from podwright.components.world import contents, homes, searched

Secrets = pulumi.Output[Mapping[str, str]]
"""Values of the stack's own configuration, by the names that the cluster gives its secrets."""


class AiCluster(Component):
    """Everything that one stack file defines."""

    TOKEN = "podwright:index:AiCluster"

    exports: pulumi.Output[Mapping[str, Any]]
    """What the stack exports."""
    ready: pulumi.Output[str]
    """The cluster's name, once everything in it stands."""

    def __init__(
        self, args: Cluster, opts: pulumi.ResourceOptions | None = None, secrets: Secrets | None = None
    ) -> None:
        """`secrets` are handed to the acceptance runner, which is a program of its own."""
        super().__init__(args.name, args.name, args.about, opts, check(args))
        self.args, self.secrets = args, secrets
        spec = searched(args.network, args.servers, args.intersight, args.openshift)
        parts = (args.operators, args.servers, args.pools, args.openshift)
        running = contents(*parts, volumes=args.storage.volumes, workloads=args.workloads)
        self.world = World(self.child("world"), {**spec, "contents": running}, self.options())
        # `pulumi state move` leaves a fabric without a parent in the stack that it is moved to.
        before = [pulumi.Alias(parent=None)] if args.fabric.moved_from else None
        found_by = pulumi.ResourceOptions.merge(self._inside(), pulumi.ResourceOptions(aliases=before))
        self.fabric = Fabric(args.name, args.network, found_by)
        self.digests: dict[str, pulumi.Output[str]] = {}
        """By name of its node, what waits for that server's next restart."""
        self.machines: dict[str, Component] = {}
        """By name of its node, what stands for the server itself."""
        servers = self._servers()
        self.exported: dict[str, Any] = {
            "cluster": args.name,
            "findings": list(findings(args)),
            "fabric": {"switches": self.fabric.switches, "digests": self.fabric.digests},
            "servers": {
                name: {"model": server.model, "pool": server.pool, "gpus": server.gpus, "rack": server.rack}
                | self._found(self.machines[server.object_name or name], server)
                for name, server in args.servers.items()
            },
        }
        last = self._platform([self.fabric.ready, *servers])
        # Secret: no preview prints it; approvals and waivers are no part of what is brought about.
        defined = pulumi.Output.secret(args.model_dump_json(exclude=BESIDE))
        self.finish(exports=self.exported, ready=self.join("ready", (), last, defined).ready)

    def _inside(self, *providers: pulumi.ProviderResource) -> pulumi.ResourceOptions:
        """Options of a component: what waits for nothing else inside it waits for the world."""
        return pulumi.ResourceOptions(parent=self, providers=list(providers), transformations=[self.world.before])

    def _servers(self) -> list[pulumi.Output[str]]:
        """Interconnects and servers; a blade is found behind its interconnects only once their ports are up."""
        args, frontend, role = self.args, self.args.fabric.frontend, None
        common: dict[str, Any] = {"cluster": args.name, "protect": args.protect}
        if args.intersight is not None:
            shared: dict[str, Any] = {"frontend": frontend, "roles": args.compute.roles}
            about = ServerRoleArgs(args.name, args.intersight, args.site, args.servers, args.domains, **shared)
            role = ServerRole(args.name, about, self._inside())
        made, domains = dict[str, pulumi.Output[str]](), dict[str, pulumi.Output[str]]()
        for name, domain in args.domains.items() if role else ():
            assert role is not None
            pair: dict[str, Any] = {"name": name, "domain": domain, "profile": role.domains[name]}
            of = DomainArgs(**pair, chassis=role.chassis, frontend=frontend, after=[role.ready], **common)
            domains[name] = InterconnectDomain(f"{args.name}-{name}", of, self._inside()).ready
        for name, server in args.servers.items():
            each: ServerProfile | RedfishServer
            was = known_as(f"{args.name}-{server.renamed_from}" if server.renamed_from else None)
            inside = pulumi.ResourceOptions.merge(self._inside(), pulumi.ResourceOptions(aliases=was))
            if role and name in role.hosts:
                bound: dict[str, Any] = {"profile": role.profiles[name], "digest": role.digests[name]}
                after = [role.ready, *([domains[server.domain]] if server.domain in domains else [])]
                profiled = ServerProfileArgs(host=name, server=server, after=after, **bound, **common)
                each = ServerProfile(f"{args.name}-{name}", profiled, inside)
            else:
                assert args.bmc is not None, f"nothing configures {name}: the checks have refused it"
                own: dict[str, Any] = {"bmc": args.bmc, "roles": args.compute.roles, **common}
                each = RedfishServer(f"{args.name}-{name}", RedfishServerArgs(host=name, server=server, **own), inside)
            node = server.object_name or name
            self.machines[node] = each
            made[name], self.digests[node] = each.ready, each.digest
        standing = [*domains.values(), *made.values()]
        return [self.join("servers", (), standing).ready] if standing else []

    def _found(self, machine: Component, server: Server) -> dict[str, pulumi.Output[Any]]:
        """What Intersight alone knows: a UUID of the file's pool, the serial number of a blade named by its slot."""
        asked = {"uuid": self.args.intersight and self.args.intersight.uuids, "serial": is_place(server.serial)}
        return {key: getattr(machine, key) for key in asked if asked[key] and isinstance(machine, ServerProfile)}

    def _platform(self, below: After) -> After:
        """The installation and everything on it; `below` is what servers boot over."""
        args = self.args
        if args.openshift is None:
            return below
        more: dict[str, Any] = {"frontend": args.nodes_frontend, "host_mtu": args.fabric.frontend_mtu}
        more |= {"storage_pair": args.nodes_storage, "storage_mtu": args.fabric.storage_mtu, "sets": args.has_sets}
        more |= {"rdma": args.has_rails, "images": args.images, "pools": args.pools, "waived": args.waived_rules}
        more |= {"certified": args.has_certified, "batch": args.has_batch, "protect": args.protect}
        more |= {"tenants": joined(args), "after": below}
        more["operators"] = homes(args.operators, args.servers, args.pools, args.openshift, args.asked)
        of = OpenShiftClusterArgs(args.name, args.openshift, args.nodes, args.site, args.bmc, args.intersight, **more)
        self.installed = OpenShiftCluster(args.name, of, self._inside())
        self.exported |= {key: getattr(self.installed, key) for key in ("kubeconfig", "api", "console", "nodes")}
        self.pools = {name: self._pool(name) for name in args.pools}
        self.exported["pools"] = {n: {"purpose": p.purpose, "mig": layout_name(p)} for n, p in args.pools.items()}
        named = (args.name, args.openshift, args.operators, args.workloads.inference)
        self.mesh = meshed(*named, self.installed, self._inside(self.installed.kubernetes))
        self.teams = {name: self._team(name) for name in args.openshift.teams}
        pools = self.join("pools", (), [self.installed.ready, *(each.ready for each in self.pools.values())]).ready
        teams = {name: team.ready for name, team in self.teams.items()}
        operators = self._operators(pools, teams)
        claims = self._storage(teams)
        work = self._workloads(operators, claims)
        return [pools, *teams.values(), *operators, *claims, *work]

    def _pool(self, name: str) -> NodePool:
        args = self.args
        members = {node: server for node, server in args.nodes.items() if server.pool == name}
        about = NodePoolArgs(
            cluster=args.name,
            pool=name,
            section=args.pools[name],
            servers=members,
            kubeconfig=self.installed.kubeconfig,
            digests={host: self.digests[host] for host in members},
            machines={host: self.machines[host].urn for host in members},
            bmc=args.bmc,
            intersight=args.intersight,
            roles=args.compute.roles,
            infrastructure=args.openshift.infrastructure if args.openshift else None,
            user_workload_monitoring=bool(args.openshift and args.openshift.user_workload_monitoring),
            installation=self.installed.urn,
            in_queues=waits(args, name),
            tenants=joined(args),
            after=[self.installed.ready],
        )
        return NodePool(f"{args.name}-{name}", about, self._inside(self.installed.kubernetes))

    def _team(self, name: str) -> Team:
        work = self.args.workloads
        about = TeamArgs(
            cluster=self.args.name,
            team=name,
            section=granted(self.args, name),
            in_queue=name in nominal(self.args),
            project=name in projects(self.args),
            trains=any(job.team == name for job in work.training.values()),
            serves=any(service.team == name for service in work.inference.values()),
            reached_by=[other for other, each in self.args.teams.items() if name in each.reaches],
            protect=self.args.protect,
            **self.mesh.of(name, [self.installed.ready]),
        )
        return Team(f"{self.args.name}-{name}", about, self._inside(self.installed.kubernetes))

    def _operators(self, pools: pulumi.Output[str], teams: Mapping[str, pulumi.Output[str]]) -> After:
        args, section = self.args, self.args.operators
        self.operators: ClusterOperators | None = None
        if section is None:
            return [pools]
        pairs, sets, whose = (args.nodes_frontend, args.nodes_storage), waiting_sets(args), joined(args)
        training = {job.team for job in args.workloads.training.values()}
        queues = waiting(queued(args), args.pools, args.nodes, nominal(args), teams, giving_way(args), sets, whose)
        about = ClusterOperatorsArgs(
            cluster=args.name,
            section=section,
            kubeconfig=self.installed.kubeconfig,
            after=[pools],
            pools=[pool.planned_rails for pool in self.pools.values()],
            catalogs=self.installed.planned_catalogs,
            networks=self.fabric.planned_paths.between(args.node_names).networks,
            lossless=args.fabric.lossless,
            namespaces={name: ready for name, ready in teams.items() if name in training},
            tenants=whose,
            shared_rails=args.openshift.shared_rails if args.openshift else None,
            products=[server.gpus for server in args.servers.values() if server.gpus],
            rdma=args.has_rails,
            mig_gpus=[pool.mig_gpus for pool in args.pools.values() if pool.mig_gpus],
            host_networks=managed(args.openshift, args.site, args.nodes, args.pools, pairs, args.fabric),
            queues=around(queues, tools(args.openshift, args.pools, args.nodes), sets),
            scales=args.asked.scales,
            keys=asked_for_keys(args.openshift),
            lost_nodes=given_up(args.openshift, args.nodes, args.site),
            **{key: any(getattr(pool, key) for pool in args.pools.values()) for key in ("sharing", "admission")},
        )
        self.operators = ClusterOperators(about, self._inside(self.installed.kubernetes))
        every = (*self.mesh.every, *self.operators.every)
        self.exported["operators"] = {each.package: each.release for each in every}
        return [self.join("operators", (), [each.ready for each in every]).ready]

    def _storage(self, teams: Mapping[str, pulumi.Output[str]]) -> After:
        section = self.args.storage
        self.exported["volumes"] = {name: volume.storage_class for name, volume in section.volumes.items()}
        if not section.classes and not section.volumes:
            return []
        about = StorageArgs(self.args.name, section, teams, self.args.protect, [self.installed.ready])
        return [Storage(self.args.name, about, self._inside(self.installed.kubernetes)).ready]

    def _workloads(self, operators: After, claims: After) -> After:
        """Acceptance, then what runs. Training trusts the rails, so it waits for their test; serving does not."""
        measured, made = self._acceptance(operators), list[pulumi.Output[str]]()
        args, work, inside = self.args, self.args.workloads, self._inside(self.installed.kubernetes)
        for name, job in work.training.items():
            about = TrainingJobArgs(
                *(args.name, name, job),
                pool=args.pools[job.pool],
                servers=within(args, job.team, job.pool),
                tenant=selected(args, job.team, job.pool),
                lossless=args.fabric.lossless,
                purpose=self.pools[job.pool].purpose,
                owner=granted(args, job.team),
                queue=job.pool if waits(args, job.pool) else None,
                apart=job.team in self.mesh.teams,
                attachments=args.fabric.attachments,
                kubeconfig=self.installed.kubeconfig if job.kind == "trainjob" else None,
                after=[self.teams[job.team].ready, *claims, *(measured or operators)],
            )
            made.append(TrainingJob(f"{args.name}-{name}", about, inside).ready)
        for name, service in work.inference.items():
            serving = InferenceServiceArgs(
                *(args.name, name, service),
                pool=args.pools[service.pool],
                servers={node: server for node, server in args.nodes.items() if server.pool == service.pool},
                purpose=self.pools[service.pool].purpose,
                owner=args.teams[service.team],
                kubeconfig=self.installed.kubeconfig if service.asks_cluster else None,
                gateway=args.openshift.inference_gateway if args.openshift else None,
                after=[self.teams[service.team].ready, *claims, *operators],
            )
            made.append(InferenceService(f"{args.name}-{name}", serving, inside).ready)
        self.exported["workloads"] = in_short(work)
        return [*measured, *made]

    def _acceptance(self, below: After) -> After:
        args = self.args
        if args.acceptance is None:
            return []
        about = FabricAcceptanceArgs(
            cluster=args.name,
            section=args.acceptance,
            paths=self.fabric.planned_paths.between(args.node_names),
            kubeconfig=self.installed.kubeconfig,
            pools=[pool.planned_rails for pool in self.pools.values()],
            host_checks=self.fabric.planned_host_checks,
            settings=[setting for each in getattr(self.operators, "rails", ()) for setting in each.settings],
            switch_digests=self.fabric.digests,
            server_digests={name: self.digests[node] for name, node in args.node_names.items()} | self.digests,
            renamed=self.fabric.renamed,
            secrets=self.secrets,
            after=[self.fabric.ready, *below],
        )
        made = FabricAcceptance(args.name, about, self._inside(self.installed.kubernetes))
        self.exported |= {"acceptance": made.minimum_gbps, "unproven": made.unproven}
        return [made.ready]
