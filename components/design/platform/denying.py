"""What the API server itself refuses: a ValidatingAdmissionPolicy, and the binding that puts it in force."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from podwright.components.design.platform.names import Manifest

_API = "admissionregistration.k8s.io/v1"
Action = Literal["Deny", "Warn", "Audit"]
"""What the API server does with what a policy finds: it refuses the request, answers it with a warning, or notes it in
the audit log alone."""
TOLERATES_MORE: Final = {
    "name": "tolerates-more",
    "expression": "request.operation == 'CREATE' || "
    "object.spec.?tolerations.orValue([]) != oldObject.spec.?tolerations.orValue([])",
}
"""Condition of a policy about where pods may run. Of a pod that exists only tolerations can be widened; labels and
status of one that runs are nobody's matter there."""


def denying(
    name: str,
    rule: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    conditions: Sequence[Mapping[str, str]],
    validations: Sequence[Mapping[str, str]],
    *,
    variables: Mapping[str, str] | None = None,
    selectors: Mapping[str, Any] | None = None,
    action: Action = "Deny",
) -> tuple[Manifest, Manifest]:
    """Policy, then binding. `rule` is the requests that it is asked about, one rule or several, `conditions` which of
    them, `variables` expressions by name, in their order. `selectors`: objectSelector, which is asked of an object
    before and after, and namespaceSelector; nothing else is looked at.

    It runs inside the API server: there is no webhook that could be away, so what it cannot evaluate is refused.
    """
    rules = [rule] if isinstance(rule, Mapping) else rule
    requests: dict[str, Any] = {"matchPolicy": "Equivalent", "resourceRules": [*map(dict, rules)]}
    requests |= selectors or {}
    named = [{"name": key, "expression": text} for key, text in (variables or {}).items()]
    policy = {
        "apiVersion": _API,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": requests,
            "matchConditions": [*map(dict, conditions)],
            **({"variables": named} if named else {}),
            "validations": [*map(dict, validations)],
        },
    }
    binding = {
        "apiVersion": _API,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": name, "validationActions": [action]},
    }
    return policy, binding
