"""What the API server itself refuses: a ValidatingAdmissionPolicy, and the binding that puts it in force."""

from collections.abc import Mapping, Sequence
from typing import Any

from podwright.components.design.platform.names import Manifest

_API = "admissionregistration.k8s.io/v1"


def denying(
    name: str,
    rule: Mapping[str, Any],
    conditions: Sequence[Mapping[str, str]],
    validations: Sequence[Mapping[str, str]],
    *,
    variables: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
) -> tuple[Manifest, Manifest]:
    """Policy, then binding. `rule` is the requests that it is asked about, `conditions` which of them, `variables`
    expressions by name, in their order; only objects with `labels`, before or after, are looked at.

    It runs inside the API server: there is no webhook that could be away, so what it cannot evaluate is refused.
    """
    requests = {"matchPolicy": "Equivalent", "resourceRules": [dict(rule)]}
    named = [{"name": key, "expression": text} for key, text in (variables or {}).items()]
    policy = {
        "apiVersion": _API,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": requests | ({"objectSelector": {"matchLabels": dict(labels)}} if labels else {}),
            "matchConditions": [*map(dict, conditions)],
            **({"variables": named} if named else {}),
            "validations": [*map(dict, validations)],
        },
    }
    binding = {
        "apiVersion": _API,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": name, "validationActions": ["Deny"]},
    }
    return policy, binding
