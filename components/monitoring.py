"""The ConfigMap of OpenShift's monitoring: with the cluster, or with the pool that its pods are placed on.

One object in either: a stack that begins or ends to place them moves it, and it is never away.
"""

from collections.abc import Iterable, Sequence

import pulumi

from podwright.components.contract import Component
from podwright.components.design.platform.infrastructure import monitoring
from podwright.components.manifests import Objects
from podwright.components.model import OpenShift

_NAME = "configmap-cluster-monitoring-config"
_CLUSTER, _POOL = "OpenShiftCluster", "NodePool"


def monitored(
    component: Component, openshift: OpenShift, pools: Iterable[str], guarded: Objects
) -> list[pulumi.CustomResource]:
    """Monitoring of user projects switched on, by the cluster itself where no pool has the ConfigMap."""
    if openshift.infrastructure is not None or not openshift.user_workload_monitoring:
        return []
    moved = [_in(component.urn, _CLUSTER, _POOL, f"{component.cluster}-{pool}") for pool in pools]
    return [guarded.add(monitoring(None, users=True), moved=moved)]


def from_cluster(installation: pulumi.Input[str], cluster: str) -> Sequence[pulumi.Output[str]]:
    """What it was before it came to a pool, in the cluster of that URN."""
    return [_in(pulumi.Output.from_input(installation), _CLUSTER, _CLUSTER, cluster)]


def _in(urn: pulumi.Output[str], kind: str, other: str, label: str) -> pulumi.Output[str]:
    """URN of the ConfigMap in a component of another kind, beside the one of this URN."""
    end = f"{other}$kubernetes:core/v1:ConfigMap::{label}-{_NAME}"
    return urn.apply(lambda own: f"{own.rpartition('::')[0].removesuffix(kind)}{end}")
