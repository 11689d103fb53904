"""The platform layer: the installation, node pools and teams. The first layer that the API server holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes import Provider

from podwright.components import compute, fabric
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.platform import Platform as Plan
from podwright.components.design.platform import guard, plan, rollouts
from podwright.components.manifests import STACK_LABEL, Cloud, Objects, stack_mark
from podwright.components.model import Cluster
from podwright.components.providers.openshift.resources import Guard, Install, Rollout
from podwright.components.providers.resources import Podwright

Resources = tuple[pulumi.Resource, ...]


@dataclass(frozen=True)
class Outputs:
    """What the layers above need of the cluster."""

    cloud: Cloud
    ready: Resources
    """What must stand before operators start: pools, and nodes in them."""
    teams: Mapping[str, Resources]
    """What must stand before something runs in a team's namespace; the namespace is the first."""
    summary: Mapping[str, Any]


class Platform(pulumi.ComponentResource):
    """OpenShift on its hosts, shaped into pools and teams."""

    def __init__(
        self,
        cluster: Cluster,
        network: fabric.Outputs,
        servers: compute.Outputs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props = {"version": cluster.openshift.version, "pools": list(cluster.pools)}
        super().__init__("podwright:platform:Platform", cluster.name, props, opts)
        cloud, install = self._install(cluster, servers, (*network.ready, *servers.ready))
        design = plan(cluster)
        objects = self._guarded(cloud)
        pools = _pools(objects, design)
        teams = _teams(cluster, objects, design)
        nodes = tuple(objects.patch(each, pools) for each in design.nodes)
        # After the labels that put nodes into their pool: a roll-out ends when they run the pool's configuration.
        outcome = self._rollouts(cluster, cloud, servers, (install, *pools, *nodes))
        summary = {name: {"purpose": pool.purpose, "mig": pool.mig} for name, pool in cluster.pools.items()}
        self.outputs = Outputs(cloud, (*objects.after, *pools, *outcome, *nodes), teams, summary)
        self.register_outputs({"summary": summary})

    def _install(self, cluster: Cluster, servers: compute.Outputs, below: Resources) -> tuple[Cloud, Install]:
        login = {"user": cluster.bmc.user, "secret": cluster.bmc.password}
        openshift = Podwright("openshift", credentials=login, opts=pulumi.ResourceOptions(parent=self))
        options = pulumi.ResourceOptions(
            parent=self,
            provider=openshift,
            depends_on=list(below),
            protect=cluster.protect or None,
            custom_timeouts=pulumi.CustomTimeouts(create="3h", update="3h"),
        )
        install = Install(cluster.name, servers.install, opts=options)
        kubernetes = Provider(
            "kubernetes",
            kubeconfig=install.kubeconfig,
            # Fixed, so that a new certificate or address in the kubeconfig replaces nothing.
            cluster_identifier=cluster.name,
            enable_server_side_apply=True,
            # A changed ConfigMap stays the same object: its readers must not find it gone.
            enable_config_map_mutable=True,
            opts=pulumi.ResourceOptions(parent=self),
        )
        return Cloud(install.kubeconfig, kubernetes, openshift), install

    def _guarded(self, cloud: Cloud) -> Objects:
        """Once the guard is enforced, nothing that follows can take over an object that stands there already."""
        mark = stack_mark()
        policy, binding = guard(mark, STACK_LABEL)
        first = Objects(self, cloud)
        made = first.add(policy)
        options = pulumi.ResourceOptions(
            parent=self, provider=cloud.openshift, depends_on=[made, first.add(binding, [made])]
        )
        spec = {"schema": SCHEMA, "label": STACK_LABEL, "mark": mark}
        return first.following([Guard("guard", spec, cloud.kubeconfig, opts=options)])

    def _rollouts(self, cluster: Cluster, cloud: Cloud, servers: compute.Outputs, after: Resources) -> Resources:
        """Per pool: what waits for a restart or for unused GPUs is taken there, node by node."""
        options = pulumi.ResourceOptions(parent=self, provider=cloud.openshift, depends_on=list(after))
        return tuple(
            Rollout(f"rollout-{name}", spec, cloud.kubeconfig, opts=options)
            for name, spec in rollouts(cluster, servers.digests).items()
        )


def _pools(objects: Objects, design: Plan) -> Resources:
    """What nodes boot with; it stands before they join their pool, so that they reboot once."""
    wide = [objects.add(each) for each in design.cluster_wide]
    pools = [objects.add(each) for each in design.pools]
    settings = [objects.add(each, pools) for each in design.configuration]
    return (*wide, *pools, *settings)


def _teams(cluster: Cluster, objects: Objects, design: Plan) -> dict[str, Resources]:
    made: dict[str, list[pulumi.Resource]] = {
        each["metadata"]["name"]: [objects.add(each, protect=cluster.protect)] for each in design.namespaces
    }
    for each in design.inside:
        home = made[each["metadata"]["namespace"]]
        home.append(objects.add(each, home[:1]))
    return {name: tuple(members) for name, members in made.items()}
