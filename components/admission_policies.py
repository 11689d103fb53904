"""What the API server refuses besides take-overs: pods on training pools, what passes by queues, rules of the pack."""

from collections.abc import Mapping, Sequence

import pulumi

from podwright.components.design.platform import (
    admission_rules,
    gpu_runtimes,
    queued_jobs,
    rail_tenants,
    training_pools,
)
from podwright.components.manifests import Objects
from podwright.components.model import OpenShift, Pool, Server, Tenants
from podwright.components.model.asked import trainer


def kept_for_training(
    pools: Mapping[str, Pool],
    servers: Mapping[str, Server],
    openshift: OpenShift,
    operators: Sequence[str] | None,
    guarded: Objects,
    *,
    rdma: bool,
    sets: bool = False,
) -> Sequence[pulumi.Resource]:
    """Policies that keep pods which nobody planned off training pools, and off GPUs that they did not ask for, and
    teams' jobs from starting beside queues.

    `operators` are namespaces of operators; `sets`: JobSet is installed.
    """
    found = training_pools.lawful(pools, servers, openshift.teams, operators, rdma=rdma)
    beside = queued_jobs.policies(openshift.queues, found, sets=sets, trainer=trainer(openshift))
    return guarded.chain((*training_pools.policies(found), *gpu_runtimes.policies(found), *beside), [])


def enforced(
    openshift: OpenShift, waived: Sequence[str], guarded: Objects, tenants: Tenants | None, *, sets: bool
) -> list[pulumi.CustomResource]:
    """Rules that hold for what teams make themselves, `tenants` of the fabric among them; a policy without its binding
    does nothing."""
    section, some = openshift.admission_rules, trainer(openshift)
    pairs = admission_rules.policies(section, openshift.teams, waived, sets=sets, trainer=some)
    every = (*rail_tenants.policies(tenants), *pairs)
    return [guarded.add(binding, [guarded.add(policy)]) for policy, binding in every]
