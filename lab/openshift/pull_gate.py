"""Pods wait for their images once something decides about them: kwok starts them only when the node has pulled.

While every image may run nobody looks, and kwok starts a pod as soon as it is placed. From the moment on that a node
may refuse an image, the API server marks each new pod, before anything could start it.
"""

from __future__ import annotations

import logging

from podwright.lab.openshift.api import Api, ApiError, path_of
from podwright.lab.openshift.cache import wait_for

log = logging.getLogger("lab.openshift")
GROUP = "admissionregistration.k8s.io/v1"
NAME = "lab-awaits-images"
AWAITS = "lab.podwright.io/awaits-images"
"""Annotation of a pod that was made while a node could refuse an image."""
READY_SECONDS = 30
_PATH = f"/metadata/annotations/{AWAITS.replace('/', '~1')}"


def shut(api: Api) -> None:
    """From now on every new pod waits; returns once that is so."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    add = f'[JSONPatch{{op: "add", path: "{_PATH}", value: "true"}}]'
    first = f'[JSONPatch{{op: "add", path: "/metadata/annotations", value: {{"{AWAITS}": "true"}}}}]'
    api.ensure(path_of(GROUP, "mutatingadmissionpolicies"), {
        "apiVersion": GROUP, "kind": "MutatingAdmissionPolicy", "metadata": {"name": NAME},
        "spec": {
            "matchConstraints": {"resourceRules": [rule]}, "failurePolicy": "Fail", "reinvocationPolicy": "Never",
            "mutations": [{
                "patchType": "JSONPatch",
                "jsonPatch": {"expression": f"has(object.metadata.annotations) ? {add} : {first}"},
            }],
        },
    })  # fmt: skip
    api.ensure(path_of(GROUP, "mutatingadmissionpolicybindings"), {
        "apiVersion": GROUP, "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": NAME},
        "spec": {"policyName": NAME},
    })  # fmt: skip
    if not wait_for(lambda: _marks(api), READY_SECONDS):
        log.warning("the policy %s does not work after %d s", NAME, READY_SECONDS)


def _marks(api: Api) -> bool:
    asked = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": NAME, "namespace": "default"},
        "spec": {"containers": [{"name": "c", "image": "x"}], "automountServiceAccountToken": False},
    }  # fmt: skip
    try:
        found = api.request("POST", "/api/v1/namespaces/default/pods?dryRun=All", asked)
    except ApiError:
        return False
    return AWAITS in (found["metadata"].get("annotations") or {})
