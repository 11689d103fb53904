"""Two fabrics, three server profiles, two node pools and one training job, joined by this project's own program."""

import pulumi
from sections import (
    BMC,
    CLUSTER,
    CONTROL_PLANE,
    FABRICS,
    GPU_SERVERS,
    INTERSIGHT,
    JOB,
    OPENSHIFT,
    OPERATORS,
    POOLS,
    SERVERS,
    SITE,
    TEAM,
    members,
)

from podwright.components.compute import (
    RedfishServer,
    RedfishServerArgs,
    ServerProfile,
    ServerProfileArgs,
    ServerRole,
    ServerRoleArgs,
)
from podwright.components.fabric import Fabric
from podwright.components.operators import (
    GpuOperator,
    GpuOperatorArgs,
    MaintenanceOperator,
    NetworkOperator,
    NodeFeatureDiscovery,
    OperatorArgs,
    RailOperatorArgs,
    SriovOperator,
    SriovOperatorArgs,
)
from podwright.components.platform import NodePool, NodePoolArgs, OpenShiftCluster, OpenShiftClusterArgs, Team, TeamArgs
from podwright.components.providers.resources import Podwright
from podwright.components.workloads import TrainingJob, TrainingJobArgs

site = Podwright(
    "site",
    nxos={"user": "admin", "secret": "switch-admin"},
    intersight={"key_id": INTERSIGHT.key_id, "secret": INTERSIGHT.key, "endpoint": INTERSIGHT.endpoint},
    redfish={"user": BMC.user, "secret": BMC.password},
)
on_site = pulumi.ResourceOptions(providers=[site])

fabrics = {name: Fabric(name, args, on_site) for name, args in FABRICS.items()}

role = ServerRole("hosts", ServerRoleArgs(CLUSTER, INTERSIGHT, SITE, CONTROL_PLANE), on_site)
profiles = {
    name: ServerProfile(
        name,
        ServerProfileArgs(CLUSTER, name, server, role.profiles[name], role.digests[name], after=[role.ready]),
        on_site,
    )
    for name, server in CONTROL_PLANE.items()
}
machines = {
    name: RedfishServer(name, RedfishServerArgs(CLUSTER, name, server, BMC), on_site)
    for name, server in GPU_SERVERS.items()
}

below = [each.ready for each in (*fabrics.values(), *profiles.values(), *machines.values())]
cluster = OpenShiftCluster(
    "openshift",
    OpenShiftClusterArgs(CLUSTER, OPENSHIFT, SERVERS, SITE, BMC, INTERSIGHT, rdma=True, after=below),
    on_site,
)
inside = pulumi.ResourceOptions(providers=[site, cluster.kubernetes])

pools = {
    name: NodePool(
        name,
        NodePoolArgs(
            CLUSTER,
            name,
            section,
            members(name),
            cluster.kubeconfig,
            {host: machines[host].digest for host in members(name)},
            {host: machines[host].urn for host in members(name)},
            bmc=BMC,
            after=[cluster.ready],
        ),
        inside,
    )
    for name, section in POOLS.items()
}
team = Team("research", TeamArgs(CLUSTER, "research", TEAM, trains=True, after=[cluster.ready]), inside)

labels = NodeFeatureDiscovery(
    "nfd", OperatorArgs(CLUSTER, OPERATORS, cluster.kubeconfig, [pool.ready for pool in pools.values()]), inside
)
on_rails = {"pools": [pools["first"].planned_rails], "lossless": FABRICS["east"].fabric.lossless}
budget = MaintenanceOperator(
    "maintenance", RailOperatorArgs(CLUSTER, OPERATORS, cluster.kubeconfig, [labels.ready], **on_rails), inside
)
nics = NetworkOperator(
    "network", RailOperatorArgs(CLUSTER, OPERATORS, cluster.kubeconfig, [budget.ready], **on_rails), inside
)
rails = SriovOperator(
    "sriov",
    SriovOperatorArgs(
        CLUSTER,
        OPERATORS,
        cluster.kubeconfig,
        [nics.ready, team.ready],
        pools=[pools["first"].planned_rails],
        networks=fabrics["east"].planned_paths.networks,
        namespaces=["research"],
    ),
    inside,
)
gpus = GpuOperator(
    "gpu",
    GpuOperatorArgs(
        CLUSTER,
        OPERATORS,
        cluster.kubeconfig,
        [rails.ready],
        products=["NVIDIA-H200"],
        rdma=True,
    ),
    inside,
)
job = TrainingJob(
    "pretrain",
    TrainingJobArgs(
        CLUSTER,
        "pretrain",
        JOB,
        POOLS["first"],
        members("first"),
        FABRICS["east"].fabric.lossless,
        pools["first"].purpose,
        cluster.kubeconfig,
        owner=TEAM,
        after=[team.ready, gpus.ready],
    ),
    inside,
)

pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("job", job.job)
pulumi.export("pools", {name: pool.purpose for name, pool in pools.items()})
