"""What runs on a cluster: the test of its rails, then training, which trusts them; serving does not wait for it."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from podwright.components.acceptance import FabricAcceptance, FabricAcceptanceArgs
from podwright.components.cluster.root import Installed
from podwright.components.cluster.servers import Servers
from podwright.components.cluster_operators import ClusterOperators
from podwright.components.contract import After
from podwright.components.fabric import Fabric
from podwright.components.model import granted, waits
from podwright.components.model.tenants import selected, within
from podwright.components.platform import NodePool
from podwright.components.service_mesh import Meshed
from podwright.components.storage import Storage, StorageArgs
from podwright.components.workloads import (
    InferenceService,
    InferenceServiceArgs,
    TrainingJob,
    TrainingJobArgs,
)

Secrets = pulumi.Output[Mapping[str, str]]
"""Values of the stack's own configuration, by the names that the cluster gives its secrets."""


@dataclass(frozen=True)
class Ground:
    """What workloads stand on."""

    pools: Mapping[str, NodePool]
    teams: Mapping[str, pulumi.Output[str]]
    """`ready` of each team."""
    mesh: Meshed
    operators: After
    claims: After


def storage(on: Installed, teams: Mapping[str, pulumi.Output[str]]) -> After:
    """Classes and claims; nothing where the file has none."""
    section = on.args.storage
    if not section.classes and not section.volumes:
        return []
    about = StorageArgs(on.args.name, section, teams, on.args.protect, [on.cluster.ready])
    return [Storage(on.args.name, about, on.inside()).ready]


def acceptance(
    on: Installed,
    fabric: Fabric,
    servers: Servers,
    ground: Ground,
    made: ClusterOperators | None,
    secrets: Secrets | None,
) -> FabricAcceptance | None:
    """The test of pools, switches and rails; None where the file has none. `secrets` are handed to its runner."""
    args = on.args
    if args.acceptance is None:
        return None
    about = FabricAcceptanceArgs(
        cluster=args.name,
        section=args.acceptance,
        paths=fabric.planned_paths.between(args.node_names),
        kubeconfig=on.cluster.kubeconfig,
        pools=[pool.planned_rails for pool in ground.pools.values()],
        host_checks=fabric.planned_host_checks,
        settings=[setting for each in (made.rails if made else ()) for setting in each.settings],
        switch_digests=fabric.digests,
        server_digests={name: servers.digests[node] for name, node in args.node_names.items()} | servers.digests,
        renamed=fabric.renamed,
        secrets=secrets,
        after=[fabric.ready, *ground.operators],
    )
    return FabricAcceptance(args.name, about, on.inside())


def training(on: Installed, ground: Ground, measured: After) -> list[pulumi.Output[str]]:
    """Every training job: behind the test of the rails, or behind the operators where there is none."""
    args, made = on.args, list[pulumi.Output[str]]()
    for name, job in args.workloads.training.items():
        at = job.rendezvous_store
        about = TrainingJobArgs(
            cluster=args.name,
            job=name,
            section=job,
            pool=args.pools[job.pool],
            servers=within(args, job.team, job.pool),
            tenant=selected(args, job.team, job.pool),
            lossless=args.fabric.lossless,
            purpose=ground.pools[job.pool].purpose,
            owner=granted(args, job.team),
            queue=job.pool if waits(args, job.pool) else None,
            apart=job.team in ground.mesh.teams,
            store_pool=args.pools[at.pool] if at else None,
            store_purpose=ground.pools[at.pool].purpose if at else "",
            attachments=args.fabric.attachments,
            kubeconfig=on.cluster.kubeconfig,
            after=[ground.teams[job.team], *ground.claims, *(measured or ground.operators)],
        )
        made.append(TrainingJob(f"{args.name}-{name}", about, on.inside()).ready)
    return made


def serving(on: Installed, ground: Ground) -> list[pulumi.Output[str]]:
    """Every inference service."""
    args, made = on.args, list[pulumi.Output[str]]()
    for name, service in args.workloads.inference.items():
        about = InferenceServiceArgs(
            cluster=args.name,
            service=name,
            section=service,
            pool=args.pools[service.pool],
            servers={node: server for node, server in args.nodes.items() if server.pool == service.pool},
            purpose=ground.pools[service.pool].purpose,
            owner=args.teams[service.team],
            kubeconfig=on.cluster.kubeconfig if service.asks_cluster else None,
            gateway=on.openshift.inference_gateway,
            after=[ground.teams[service.team], *ground.claims, *ground.operators],
        )
        made.append(InferenceService(f"{args.name}-{name}", about, on.inside()).ready)
    return made
