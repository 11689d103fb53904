"""Who may run on the nodes of training pools, as the cluster's API server enforces it for pods that nobody planned.

Two admission policies: one of pods, one of bindings, by which a scheduler other than the cluster's own would go round
taints. What is lawful stands in `lawful` alone; the policy pack reads it from the planned object.
"""

from collections.abc import Iterator

from podwright.components.design.platform.denying import TOLERATES_MORE, denying
from podwright.components.design.platform.names import Manifest
from podwright.components.design.platform.training_pools import expressions
from podwright.components.design.platform.training_pools.lawful import CLASSES, Lawful, lawful

__all__ = ["BINDINGS", "PODS", "Lawful", "lawful", "policies"]

PODS = "podwright-training-pools"
BINDINGS = "podwright-training-pools-bindings"


def policies(found: Lawful) -> Iterator[Manifest]:
    """Both policies, each before what puts it in force. Nothing where no pool is for training or inference."""
    if not any(found.pools.values()):
        return
    pods = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["pods"]}
    variables = {**found.variables(), **expressions.pods()}
    # No field is read without asking first whether it is there: what cannot be evaluated is refused.
    yield from denying(PODS, pods, [TOLERATES_MORE], expressions.rules(CLASSES), variables=variables)
    if found.variables()["nodes"] == "{}":
        return
    bindings = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"]}
    bindings |= {"resources": ["pods/binding", "bindings"]}
    kept = {"nodes": found.variables()["nodes"]}
    yield from denying(BINDINGS, bindings, [expressions.SCHEDULED], [expressions.BOUND], variables=kept)
