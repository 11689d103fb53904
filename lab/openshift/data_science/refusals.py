"""What the operator's webhooks refuse, as admission policies of the cluster: the API server judges them itself.

After red-hat-data-services/rhods-operator, branch rhoai-3.4, internal/webhook/{datasciencecluster,dscinitialization}/v2
and pkg/webhook/utils.go. A policy whose parameters are the objects of a kind is asked once for each that there is.
"""

from __future__ import annotations

from typing import Any

from podwright.lab.openshift.api import Api
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.kinds import DATA_SCIENCE_CLUSTERS, INITIALIZATIONS

VERSION = "admissionregistration.k8s.io/v1"
_KINDS = {DATA_SCIENCE_CLUSTERS: "DataScienceCluster", INITIALIZATIONS: "DSCInitialization"}


def stand(api: Api) -> None:
    """All of them."""
    for kind, name in _KINDS.items():
        only = f"Only one instance of {name} object is allowed"
        _while_any(api, f"{name.lower()}-v2-validator.opendatahub.io", (kind, "CREATE"), kind, only)
    kept = "Cannot delete DSCInitialization v2 object when DataScienceCluster object still exists"
    kind = INITIALIZATIONS
    _while_any(api, "dscinitialization-v2-delete.opendatahub.io", (kind, "DELETE"), DATA_SCIENCE_CLUSTERS, kept)
    rule = "!has(object.spec.components) || !has(object.spec.components.kueue) || " \
           "!has(object.spec.components.kueue.managementState) || " \
           "object.spec.components.kueue.managementState != 'Managed'"  # fmt: skip
    said = "Managed is no longer supported as a managementState"
    about = (DATA_SCIENCE_CLUSTERS, "CREATE", "UPDATE")
    _policy(api, "datasciencecluster-v2-kueue.opendatahub.io", about, (rule, said), {}, {})


def _while_any(api: Api, name: str, about: tuple[Any, ...], others: Kind, message: str) -> None:
    """Refused while an object of `others` exists."""
    parameters = {"paramKind": {"apiVersion": others.api_version, "kind": _KINDS[others]}}
    bound = {"paramRef": {"selector": {}, "parameterNotFoundAction": "Allow"}}
    _policy(api, name, about, ("false", message), parameters, bound)


def _policy(
    api: Api, name: str, about: tuple[Any, ...], rule: tuple[str, str], spec: dict[str, Any], bound: dict[str, Any]
) -> None:
    kind, *operations = about
    group, version = kind.api_version.split("/")
    matched = {"apiGroups": [group], "apiVersions": [version], "resources": [kind.plural], "operations": operations}
    base = f"/apis/{VERSION}/validatingadmissionpolic"
    api.ensure(f"{base}ies", {
        "apiVersion": VERSION, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name},
        "spec": {
            "failurePolicy": "Fail", "matchConstraints": {"resourceRules": [matched]},
            "validations": [{"expression": rule[0], "message": rule[1]}], **spec,
        },
    })  # fmt: skip
    api.ensure(f"{base}ybindings", {
        "apiVersion": VERSION, "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name},
        "spec": {"policyName": name, "validationActions": ["Deny"], **bound},
    })  # fmt: skip
