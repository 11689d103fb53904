"""The composition root: joins the layers. The only place that knows their order."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pulumi

from podwright.components.compute import Compute
from podwright.components.fabric import Fabric
from podwright.components.model import Cluster
from podwright.components.operators import Operators
from podwright.components.platform import Platform
from podwright.components.storage import Storage
from podwright.components.workloads import Below, Workloads

PROVIDER = "pulumi:providers:podwright"
Secrets = pulumi.Output[Mapping[str, str]]
"""Values of the stack's own configuration, by the names that the cluster gives its secrets."""


async def build(cluster: Cluster, secrets: Secrets | None = None) -> dict[str, Any]:
    """Register every layer of a coherent cluster, wait for its resources, return what the stack exports.

    `secrets` go to every provider instance; what they do not hold is looked for in the environment and in files.
    The wait is a barrier over resources: left to itself, the SDK looks at every pending output again each time one
    completes, which is quadratic in their number.
    """
    registered: list[pulumi.Resource] = []

    def seen(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        registered.append(args.resource)
        if secrets is None or args.type_ != PROVIDER:
            return None
        return pulumi.ResourceTransformationResult({**args.props, "secrets": secrets}, args.opts)

    options = pulumi.ResourceOptions(transformations=[seen])
    network = Fabric(cluster, options).outputs
    servers = Compute(cluster, options).outputs
    base = Platform(cluster, network, servers, options).outputs
    accelerators = Operators(cluster, base, options).outputs
    disks = Storage(cluster, base, options).outputs
    work = Workloads(cluster, Below(network, servers, base, accelerators, disks, secrets), options).outputs
    await asyncio.gather(*(resource.urn.future() for resource in registered), return_exceptions=True)
    return {
        "cluster": cluster.name,
        "fabric": {"switches": network.summary, "digests": network.digests},
        "servers": servers.summary,
        "pools": base.summary,
        "operators": accelerators.summary,
        "volumes": disks.summary,
        "workloads": work.summary,
        "acceptance": work.acceptance,
        "unproven": work.unproven,
        "kubeconfig": pulumi.Output.secret(base.cloud.kubeconfig),
    }
