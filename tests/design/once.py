"""What a cluster has once for all of its teams and pools, as `OpenShiftCluster` composes it: for tests of the whole."""

from podwright.components.design import platform
from podwright.components.design.platform.names import Manifest
from podwright.components.model import Cluster
from podwright.components.world import homes


def once_each(cluster: Cluster) -> tuple[Manifest, ...]:
    """The teams' part of the API server, policies that keep them apart, alerts."""
    openshift = cluster.openshift
    if openshift is None:
        return ()
    operators = homes(cluster.operators, cluster.servers, cluster.pools, openshift)
    return (
        *platform.fairness.plan(openshift.team_api_shares, cluster.teams),
        *platform.isolation.policies(openshift.team_isolation, cluster.teams),
        *platform.alerts.plan(openshift, cluster.pools, cluster.nodes, operators),
    )
