"""Platform, derived: pools, nodes, priorities and teams of the cluster."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.design import hardware
from podwright.components.design.compute import CONTROL_PLANE, digest
from podwright.components.design.compute.install import bmc_address
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.platform import pools, teams
from podwright.components.design.platform.guard import guard
from podwright.components.design.platform.names import INFERENCE, TRAINING, Manifest, priority_class
from podwright.components.model import Cluster

__all__ = ["Platform", "guard", "plan", "rollouts"]


@dataclass(frozen=True)
class Platform:
    """The platform layer's plan, in the order it is applied."""

    cluster_wide: tuple[Manifest, ...]
    """Priority classes and the RDMA security context constraint."""
    pools: tuple[Manifest, ...]
    configuration: tuple[Manifest, ...]
    """What pools' nodes boot with; it stands before nodes join their pool, so that they reboot once."""
    nodes: tuple[Manifest, ...]
    namespaces: tuple[Manifest, ...]
    inside: tuple[Manifest, ...]
    """Everything inside the namespaces but workloads."""

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """Every object the layer makes; nodes are others' objects."""
        return (*self.cluster_wide, *self.pools, *self.configuration, *self.namespaces, *self.inside)


def plan(cluster: Cluster) -> Platform:
    """Everything the platform layer makes for a coherent cluster."""
    rails = any(pool.rails for pool in cluster.pools.values())
    check = tuple(teams.acceptance(rails)) if rails else ()
    named = cluster.openshift.teams
    return Platform(
        cluster_wide=(*_priorities(), *((teams.rdma_scc(),) if rails else ())),
        pools=tuple(pools.machine_config_pool(name, pool) for name, pool in cluster.pools.items()),
        configuration=tuple(
            each for name, pool in cluster.pools.items() for each in pools.node_configuration(cluster, name, pool)
        ),
        nodes=tuple(node for name in cluster.servers if (node := pools.node(cluster, name))),
        namespaces=(*(teams.namespace(name, rdma=teams.trains(cluster, name)) for name in named), *check[:1]),
        inside=(*(each for name, team in named.items() for each in teams.inside(cluster, name, team)), *check[1:]),
    )


def rollouts(cluster: Cluster, digests: Mapping[str, str]) -> dict[str, Manifest]:
    """Spec of `podwright:openshift:Rollout` by pool; `digests` are the servers', by host name."""
    return {
        name: {
            "schema": SCHEMA,
            "pool": name,
            "nodes": [_node(cluster, server) for server in members],
            "trigger": digest({server: digests[server] for server in members}),
            "max_unavailable": pool.max_unavailable,
            **_login(cluster, members),
        }
        for name, pool in cluster.pools.items()
        if name != CONTROL_PLANE and (members := list(pools.servers(cluster, name)))
    }


def _node(cluster: Cluster, name: str) -> dict[str, Any]:
    """A node, how its machine is reached, and how its GPUs are divided."""
    server = cluster.servers[name]
    address = bmc_address(server)
    reached: dict[str, Any] = {"bmc": address, "credential": cluster.bmc.password} if address else {}
    if _profiled(cluster, name):
        reached["intersight"] = True
    mig = pools.layout(cluster, name)
    return {"name": name, "serial": server.serial, **reached, **({"mig": mig} if mig else {})}


def _profiled(cluster: Cluster, name: str) -> bool:
    return hardware.server_model(cluster.servers[name].model).manager == "intersight"


def _login(cluster: Cluster, members: list[str]) -> dict[str, dict[str, str]]:
    if not any(_profiled(cluster, name) for name in members):
        return {}
    account = cluster.intersight
    return {"intersight": {"endpoint": account.endpoint, "key_id": account.key_id, "secret": account.key}}


def _priorities() -> Iterator[Manifest]:
    """Training never pushes anything out; serving may push out what is lower, which on its own pool is nothing."""
    for kind, value, policy in ((TRAINING, 1000, "Never"), (INFERENCE, 10000, "PreemptLowerPriority")):
        yield {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": priority_class(kind)},
            "value": value,
            "globalDefault": False,
            "preemptionPolicy": policy,
            "description": f"{kind.capitalize()} pods of every team",
        }
