"""What the API server refuses besides take-overs: pods on training pools, and rules of the policy pack."""

from collections.abc import Mapping, Sequence

import pulumi

from podwright.components.design.platform import admission_rules, training_pools
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
    """Policies that keep pods which nobody planned off training pools. `operators` are namespaces of operators."""
    facts = (pools, servers, openshift.teams, operators)
    return guarded.chain(training_pools.policies(training_pools.lawful(*facts, rdma=rdma)), [])


def enforced(openshift: OpenShift, waived: Sequence[str], guarded: Objects) -> list[pulumi.CustomResource]:
    """Rules that hold for what teams make themselves; a policy without its binding does nothing."""
    pairs = admission_rules.policies(openshift.admission_rules, openshift.teams, waived)
    return [guarded.add(binding, [guarded.add(policy)]) for policy, binding in pairs]
