"""What a cluster has once for all of its teams and pools, as `OpenShiftCluster` composes it: for tests of the whole."""

from podwright.components.design import operators as operators_plan
from podwright.components.design import platform
from podwright.components.design.operators import Operator
from podwright.components.design.platform import (
    admission_rules,
    gpu_runtimes,
    queued_jobs,
    rail_tenants,
    training_pools,
)
from podwright.components.design.platform.names import Manifest
from podwright.components.design.workloads import clear
from podwright.components.model import Cluster, joined
from podwright.components.model.asked import trainer
from podwright.components.model.gateway_hosts import gateway_hosts
from podwright.components.world import homes


def once_each(cluster: Cluster) -> tuple[Manifest, ...]:
    """The teams' part of the API server, policies that keep them apart, alerts."""
    openshift = cluster.openshift
    if openshift is None:
        return ()
    return (
        *platform.fairness.plan(openshift.team_api_shares, cluster.teams),
        *platform.isolation.policies(openshift.team_isolation, cluster.teams),
        *platform.gateway.plan(openshift, gateway_hosts(cluster.workloads)),
        *platform.alerts.plan(openshift, cluster.pools, cluster.nodes, _operators(cluster)),
    )


def refusing(cluster: Cluster) -> tuple[Manifest, ...]:
    """Admission policies and their bindings: training pools, jobs beside queues, rules of the pack."""
    openshift, sets = cluster.openshift, cluster.has_sets
    if openshift is None:
        return ()
    some = trainer(openshift)
    facts = (cluster.pools, cluster.nodes, openshift.teams, _operators(cluster))
    lawful = training_pools.lawful(*facts, rdma=cluster.has_rails)
    rules = admission_rules.policies(
        openshift.admission_rules, openshift.teams, cluster.waived_rules, sets=sets, trainer=some
    )
    return (
        *training_pools.policies(lawful),
        *gpu_runtimes.policies(lawful),
        *queued_jobs.policies(openshift.queues, lawful, sets=sets, trainer=some),
        *(each for pair in (*rail_tenants.policies(joined(cluster)), *rules) for each in pair),
    )


def keyed(cluster: Cluster) -> list[Operator]:
    """What asks clients of the inference gateway for keys."""
    gateway = cluster.openshift.inference_gateway if cluster.openshift else None
    if cluster.operators is None or gateway is None or gateway.keys is None:
        return []
    return [operators_plan.client_keys(cluster.operators, gateway.keys)]


def in_clear(cluster: Cluster, team: str) -> dict[str, tuple[int, ...]] | None:
    """Ports of a team's services that those reach who are not in the service mesh; None: the team is not in it."""
    section = cluster.openshift.service_mesh if cluster.openshift else None
    return clear(cluster.workloads.inference, team) if section and team in section.teams else None


def meshed(cluster: Cluster) -> list[Operator]:
    """What encrypts what pods say to each other."""
    if cluster.operators is None or cluster.openshift is None or cluster.openshift.service_mesh is None:
        return []
    return [operators_plan.service_mesh(cluster.operators)]


def _operators(cluster: Cluster) -> list[str]:
    return homes(cluster.operators, cluster.servers, cluster.pools, cluster.openshift, cluster.asked)
