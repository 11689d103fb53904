"""Whose rails are whose: tenants of the fabric joined to teams of the cluster."""

from collections.abc import Mapping
from typing import Final, TypeVar

from podwright.components.model.cluster import Cluster
from podwright.components.model.compute import Server
from podwright.components.model.types import Spec

NO_TENANT: Final = "default"
"""Tenant of leaf groups that are no tenant's, and of teams without one: the VRF that those groups stay in."""
_Own = TypeVar("_Own")


class Tenants(Spec):
    """Which team's pods may use the rails of which nodes."""

    teams: dict[str, str] = {}
    """Tenant of each team."""
    nodes: dict[str, str] = {}
    """Tenant of each node with rails."""
    groups: dict[str, tuple[int, ...]] = {}
    """Leaf groups of each tenant."""
    pools: tuple[str, ...] = ()
    """Pools whose nodes have rails."""

    def of(self, team: str) -> str:
        """A team's tenant."""
        return self.teams.get(team, NO_TENANT)

    def pools_servers(self, team: str, servers: Mapping[str, Server]) -> dict[str, Server]:
        """Those servers of a pool, by the name of their node, whose rails a team may use; of a pool without rails all
        of them."""
        some = any(name in self.nodes for name in servers)
        return {name: each for name, each in servers.items() if not some or self.nodes.get(name) == self.of(team)}

    def beside(self, team: str, pool: str, shares: Mapping[str, _Own]) -> dict[str, _Own]:
        """What is by team, for those alone that take servers of a pool out of the same ones as a team does."""
        apart = pool in self.pools
        return {name: own for name, own in shares.items() if not apart or self.of(name) == self.of(team)}


def joined(cluster: Cluster) -> Tenants | None:
    """The cluster's tenants; None where no team names one, and any team's pods may use every rail."""
    tenancy = cluster.fabric.tenancy
    if tenancy is None or not any(team.tenant for team in cluster.teams.values()):
        return None
    owners = {group: name for name, tenant in tenancy.tenants.items() for group in tenant.groups}
    groups: dict[str, list[int]] = {}
    for group in sorted({leaf.group for leaf in cluster.fabric.leaves.values()}):
        groups.setdefault(owners.get(group, NO_TENANT), []).append(group)
    pools = tuple(name for name, pool in cluster.pools.items() if pool.rails)
    return Tenants(
        teams={name: team.tenant or NO_TENANT for name, team in cluster.teams.items()},
        nodes={
            name: owners.get(server.group, NO_TENANT)
            for name, server in cluster.nodes.items()
            if server.group is not None and server.pool in pools
        },
        groups={name: tuple(own) for name, own in groups.items()},
        pools=pools,
    )


def within(cluster: Cluster, team: str, pool: str) -> dict[str, Server]:
    """Servers of a pool, by the name of their node, that a team's job may be placed on."""
    servers = {name: server for name, server in cluster.nodes.items() if server.pool == pool}
    tenants = joined(cluster)
    return servers if tenants is None else tenants.pools_servers(team, servers)


def selected(cluster: Cluster, team: str, pool: str) -> str | None:
    """Tenant by which a team's job on a pool selects its nodes; None where it selects by none."""
    tenants = joined(cluster)
    return tenants.of(team) if tenants is not None and pool in tenants.pools else None


def on_rails(cluster: Cluster) -> tuple[str, ...]:
    """Teams that train on rails and are of no tenant: between several of them nothing keeps their pods apart there."""
    tenants = joined(cluster)
    found = {
        job.team
        for job in cluster.workloads.training.values()
        if job.team in cluster.teams and job.pool in cluster.pools and cluster.pools[job.pool].rails
    }
    return tuple(sorted(team for team in found if tenants is None or tenants.of(team) == NO_TENANT))
