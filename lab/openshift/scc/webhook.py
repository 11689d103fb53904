"""How the API server comes to ask: the webhook configurations, and the namespaces that are let by.

The plugin skips namespaces of run level 0 and 1, by their label and by their name (openshift/kubernetes,
openshift-kube-apiserver/admission/namespaceconditions).
"""

from __future__ import annotations

import base64
from typing import Any

from podwright.lab.openshift.api import Api, ApiError, Object, path_of

API_VERSION = "admissionregistration.k8s.io/v1"
NAME = "lab-scc"
WEBHOOK = "securitycontextconstraint.security.openshift.io"
RUN_LEVEL = "openshift.io/run-level"
EXEMPT = ("default", "kube-public", "kube-system", "openshift", "openshift-infra", "openshift-node")
KINDS = {
    "mutatingwebhookconfigurations": ("MutatingWebhookConfiguration", "mutate", {"reinvocationPolicy": "IfNeeded"}),
    "validatingwebhookconfigurations": ("ValidatingWebhookConfiguration", "validate", {}),
}
RULES = [
    {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"], "scope": "Namespaced"},
    {
        "apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"],
        "resources": ["pods", "pods/ephemeralcontainers", "pods/resize"], "scope": "Namespaced",
    },
]  # fmt: skip
SELECTOR = {
    "matchExpressions": [
        {"key": RUN_LEVEL, "operator": "NotIn", "values": ["0", "1"]},
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": list(EXEMPT)},
    ]
}
ANSWER_SECONDS = 25
"""Longer than the plugin waits for an SCC and for a namespace's annotations together."""


def register(api: Api, port: int, root: bytes) -> None:
    """Make the API server ask the process behind `port`, whoever it asked before."""
    for plural, (kind, path, more) in KINDS.items():
        body = _configuration(kind, f"https://127.0.0.1:{port}/{path}", root, more)
        try:
            api.create(path_of(API_VERSION, plural), body)
        except ApiError as problem:
            if problem.reason != "AlreadyExists":
                raise
            api.merge(path_of(API_VERSION, plural, name=NAME), {"webhooks": body["webhooks"]})


def _configuration(kind: str, url: str, root: bytes, more: dict[str, Any]) -> Object:
    return {
        "apiVersion": API_VERSION, "kind": kind, "metadata": {"name": NAME},
        "webhooks": [{
            "name": WEBHOOK, "clientConfig": {"url": url, "caBundle": base64.b64encode(root).decode()},
            "rules": RULES, "namespaceSelector": SELECTOR, "failurePolicy": "Fail", "sideEffects": "None",
            "timeoutSeconds": ANSWER_SECONDS, "admissionReviewVersions": ["v1"], "matchPolicy": "Equivalent", **more,
        }],
    }  # fmt: skip
