"""What the API server of a cluster refuses, as the components plan it: no graph, no engine."""

from podwright.components.design.platform import admission_rules, queued_jobs, training_pools
from podwright.components.design.platform.names import Manifest
from podwright.components.model import Cluster
from podwright.components.world import homes


def policies(cluster: Cluster) -> list[Manifest]:
    """Admission policies and their bindings: training pools, jobs beside queues, rules of the pack."""
    shift = cluster.openshift
    if shift is None:
        return []
    operators = homes(cluster.operators, cluster.servers, cluster.pools, shift)
    lawful = training_pools.lawful(cluster.pools, cluster.nodes, shift.teams, operators, rdma=cluster.has_rails)
    rules = admission_rules.policies(shift.admission_rules, shift.teams, cluster.waived_rules)
    return [
        *training_pools.policies(lawful),
        *queued_jobs.policies(shift.queues, lawful),
        *(each for pair in rules for each in pair),
    ]
