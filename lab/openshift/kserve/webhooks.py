"""How the API server reaches KServe's process: a Service that leads to this machine, and the webhooks behind it.

After kserve/kserve v0.20.0, config/webhook/manifests.yaml: what is written into a service, and into its pods; what is
refused of services, runtimes, graphs and models.
"""

from __future__ import annotations

import base64

from podwright.lab.openshift.api import Api, Object, path_of
from podwright.lab.openshift.data_science.components import APPLICATIONS

REGISTRATION = "admissionregistration.k8s.io/v1"
SERVICE = "kserve-webhook-server-service"
HOST = f"{SERVICE}.{APPLICATIONS}.svc"
"""Name that the certificate is for."""
GROUP = "serving.kserve.io"
KINDS = tuple(
    f"{plural}.{GROUP}"
    for plural in ("clusterservingruntimes", "inferencegraphs", "inferenceservices", "servingruntimes", "trainedmodels")
)
_MUTATING, _VALIDATING = "mutatingwebhookconfigurations", "validatingwebhookconfigurations"
SERVICES = path_of(REGISTRATION, _VALIDATING, name=f"inferenceservice.{GROUP}")
"""Path of the webhook that judges services: it stands while the process answers."""
_BOTH = ("CREATE", "UPDATE")
_JUDGED = (
    ("inferenceservice", "v1beta1"), ("trainedmodel", "v1alpha1"), ("inferencegraph", "v1alpha1"),
    ("clusterservingruntime", "v1alpha1"), ("servingruntime", "v1alpha1"),
)  # fmt: skip


def register(api: Api, port: int, root: bytes) -> None:
    """Make the API server ask the process behind `port`."""
    meta = {"name": SERVICE, "namespace": APPLICATIONS}
    spec = {"type": "ExternalName", "externalName": "localhost"}
    body = {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}
    api.ensure(path_of("v1", "services", APPLICATIONS), body)
    client = {"service": {**meta, "port": port}, "caBundle": base64.b64encode(root).decode()}
    withdraw(api)
    _put(api, _MUTATING, f"inferenceservice.{GROUP}", [
        _webhook(client, "inferenceservice", "defaulter", "mutate", "v1beta1"), _of_pods(client),
    ])  # fmt: skip
    for name, version in reversed(_JUDGED):
        _put(api, _VALIDATING, f"{name}.{GROUP}", [_webhook(client, name, "validator", "validate", version)])


def withdraw(api: Api) -> None:
    """No request waits for a process that is not there."""
    for name, _ in _JUDGED:
        api.delete(path_of(REGISTRATION, _VALIDATING, name=f"{name}.{GROUP}"))
    api.delete(path_of(REGISTRATION, _MUTATING, name=f"inferenceservice.{GROUP}"))


def _put(api: Api, plural: str, name: str, rows: list[Object]) -> None:
    kind = "MutatingWebhookConfiguration" if plural == _MUTATING else "ValidatingWebhookConfiguration"
    body = {"apiVersion": REGISTRATION, "kind": kind, "metadata": {"name": name}, "webhooks": rows}
    api.create(path_of(REGISTRATION, plural), body)


def _webhook(client: Object, kind: str, what: str, verb: str, version: str) -> Object:
    rule = {"apiGroups": [GROUP], "apiVersions": [version], "operations": list(_BOTH), "resources": [f"{kind}s"]}
    return _made(client, f"{kind}.kserve-webhook-server.{what}", f"/{verb}-serving-kserve-io-{version}-{kind}", rule)


def _of_pods(client: Object) -> Object:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    return {
        **_made(client, "inferenceservice.kserve-webhook-server.pod-mutator", "/mutate-pods", rule),
        "reinvocationPolicy": "IfNeeded",
        "namespaceSelector": {"matchExpressions": [{"key": "control-plane", "operator": "DoesNotExist"}]},
        "objectSelector": {"matchExpressions": [{"key": f"{GROUP}/inferenceservice", "operator": "Exists"}]},
    }


def _made(client: Object, name: str, path: str, rule: Object) -> Object:
    return {
        "name": name, "clientConfig": {**client, "service": {**client["service"], "path": path}}, "rules": [rule],
        "failurePolicy": "Fail", "sideEffects": "None", "admissionReviewVersions": ["v1beta1"],
    }  # fmt: skip
