"""What the API server refuses besides take-overs: pods on training pools, what passes by queues, rules of the pack."""

from collections.abc import Mapping, Sequence

import pulumi

from podwright.components.design.platform import admission_rules, queued_jobs, training_pools
from podwright.components.manifests import Objects
from podwright.components.model import OpenShift, Pool, Server


def kept_for_training(
    pools: Mapping[str, Pool],
    servers: Mapping[str, Server],
    openshift: OpenShift,
    operators: Sequence[str] | None,
    guarded: Objects,
    *,
    rdma: bool,
) -> Sequence[pulumi.Resource]:
    """Policies that keep pods which nobody planned off training pools, and teams' jobs from starting beside queues.

    `operators` are namespaces of operators.
    """
    found = training_pools.lawful(pools, servers, openshift.teams, operators, rdma=rdma)
    return guarded.chain((*training_pools.policies(found), *queued_jobs.policies(openshift.queues, found)), [])


def enforced(openshift: OpenShift, waived: Sequence[str], guarded: Objects) -> list[pulumi.CustomResource]:
    """Rules that hold for what teams make themselves; a policy without its binding does nothing."""
    pairs = admission_rules.policies(openshift.admission_rules, openshift.teams, waived)
    return [guarded.add(binding, [guarded.add(policy)]) for policy, binding in pairs]
