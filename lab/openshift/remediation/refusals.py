"""What the two operators' webhooks refuse, as admission policies of the cluster: the API server judges them itself.

After medik8s/node-healthcheck-operator release-0.12, internal/webhook/v1alpha1/nodehealthcheck_webhook.go and
api/v1alpha1/validation.go, and medik8s/self-node-remediation release-0.13, internal/webhook/v1alpha1.
"""

from __future__ import annotations

from typing import Any

from podwright.lab.openshift.api import Api

Rule = tuple[str, str]
"""What must hold, in CEL, and what is answered where it does not."""
_REMEDIATING = (
    "has(oldObject.status) && has(oldObject.status.unhealthyNodes) && "
    "oldObject.status.unhealthyNodes.exists(n, has(n.remediations) && size(n.remediations) > 0)"
)
_SELECTS = "(has(object.spec.selector.{0}) && size(object.spec.selector.{0}) > 0)"
_WRITTEN: tuple[Rule, ...] = (
    (
        "!(has(object.spec.minHealthy) && has(object.spec.maxUnhealthy))",
        "minHealthy and maxUnhealthy cannot be specified at the same time",
    ),
    (
        "has(object.spec.minHealthy) || has(object.spec.maxUnhealthy)",
        "one of minHealthy and maxUnhealthy should be specified",
    ),
    (
        f"has(object.spec.selector) && ({_SELECTS.format('matchLabels')} || {_SELECTS.format('matchExpressions')})",
        "Selector is mandatory",
    ),
    (
        "has(object.spec.remediationTemplate) || "
        "(has(object.spec.escalatingRemediations) && size(object.spec.escalatingRemediations) > 0)",
        "Either RemediationTemplate or at least one EscalatingRemediations must be set",
    ),
    (
        "!(has(object.spec.remediationTemplate) && has(object.spec.escalatingRemediations) && "
        "size(object.spec.escalatingRemediations) > 0)",
        "RemediationTemplate and EscalatingRemediations usage is mutual exclusive",
    ),
)
_CHANGED: tuple[Rule, ...] = tuple(
    (
        f"!({_REMEDIATING}) || (has(object.spec.{key}) == has(oldObject.spec.{key}) && "
        f"(!has(object.spec.{key}) || object.spec.{key} == oldObject.spec.{key}))",
        f"{words} update prohibited due to running remediation",
    )
    for key, words in (("selector", "selector"), ("remediationTemplate", "remediation template"))
)
_DELETED: tuple[Rule, ...] = ((f"!({_REMEDIATING})", "deletion prohibited due to running remediation"),)
_TOLERATED = (
    "!has(object.spec.customDsTolerations) || object.spec.customDsTolerations.all(t, !(has(t.operator) && "
    "t.operator == 'Exists' && has(t.value) && t.value != ''))",
    "invalid value for toleration, value must be empty for Operator value is Exists",
)
_NAMED = (
    "object.metadata.name == 'self-node-remediation-config'",
    "to enforce only one SelfNodeRemediationConfig in the cluster, a name other than self-node-remediation-config is "
    "not allowed",
)


def of_checks(api: Api) -> None:
    """Those of NodeHealthChecks."""
    group = ("remediation.medik8s.io", "nodehealthchecks")
    _stand(api, "vnodehealthcheck.kb.io", group, ("CREATE", "UPDATE"), _WRITTEN)
    _stand(api, "vnodehealthcheck-update.kb.io", group, ("UPDATE",), _CHANGED)
    _stand(api, "vnodehealthcheck-delete.kb.io", group, ("DELETE",), _DELETED)


def of_configurations(api: Api) -> None:
    """Those of SelfNodeRemediationConfigs."""
    group = ("self-node-remediation.medik8s.io", "selfnoderemediationconfigs")
    _stand(api, "vselfnoderemediationconfig.kb.io", group, ("CREATE", "UPDATE"), (_TOLERATED,))
    _stand(api, "vselfnoderemediationconfig-create.kb.io", group, ("CREATE",), (_NAMED,))


def _stand(api: Api, name: str, kind: tuple[str, str], operations: tuple[str, ...], rules: tuple[Rule, ...]) -> None:
    group, plural = kind
    version = "admissionregistration.k8s.io/v1"
    base = f"/apis/{version}/validatingadmissionpolic"
    about: dict[str, Any] = {"apiGroups": [group], "apiVersions": ["*"], "resources": [plural]}
    api.ensure(f"{base}ies", {
        "apiVersion": version, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name},
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {"resourceRules": [{**about, "operations": list(operations)}]},
            "validations": [{"expression": expression, "message": message} for expression, message in rules],
        },
    })  # fmt: skip
    api.ensure(f"{base}ybindings", {
        "apiVersion": version, "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name},
        "spec": {"policyName": name, "validationActions": ["Deny"]},
    })  # fmt: skip
