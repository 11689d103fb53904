"""Who may run on the nodes of training pools, as the cluster's API server enforces it for pods that nobody planned.

Two admission policies: one of pods, one of bindings, by which a scheduler other than the cluster's own would go round
taints. What is lawful stands in `lawful` alone; the policy pack reads it from the planned object.
"""

from collections.abc import Iterator

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
    yield from _denied(PODS, pods, [expressions.UNCHANGED], variables, expressions.rules(CLASSES))
    if found.variables()["nodes"] == "{}":
        return
    bindings = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"]}
    bindings |= {"resources": ["pods/binding", "bindings"]}
    kept = {"nodes": found.variables()["nodes"]}
    yield from _denied(BINDINGS, bindings, [expressions.SCHEDULED], kept, [expressions.BOUND])


def _denied(
    name: str,
    rule: dict[str, list[str]],
    conditions: list[dict[str, str]],
    variables: dict[str, str],
    validations: list[dict[str, str]],
) -> Iterator[Manifest]:
    yield {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": {
            # It runs inside the API server: there is no webhook that could be away, and no field that it reads without
            # asking first whether it is there.
            "failurePolicy": "Fail",
            "matchConstraints": {"matchPolicy": "Equivalent", "resourceRules": [rule]},
            "matchConditions": conditions,
            "variables": [{"name": key, "expression": value} for key, value in variables.items()],
            "validations": validations,
        },
    }
    yield {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": name, "validationActions": ["Deny"]},
    }
