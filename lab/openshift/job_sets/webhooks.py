"""How the API server reaches JobSet's process: a Service that leads to this machine, and the webhooks behind it.

After openshift/jobset-operator at f9d991e, bindata/assets/jobset-controller-generated: those of sets, and of the pods
that sets make.
"""

from __future__ import annotations

import base64

from podwright.lab.openshift.api import Api, Object, path_of

NAMESPACE = "openshift-jobset-operator"
REGISTRATION = "admissionregistration.k8s.io/v1"
SERVICE = "jobset-webhook-service"
HOST = f"{SERVICE}.{NAMESPACE}.svc"
"""Name that the certificate is for."""
KIND = "jobsets.jobset.x-k8s.io"
_BOTH = ("CREATE", "UPDATE")
_OF_SETS = {"matchExpressions": [{"key": "jobset.sigs.k8s.io/jobset-name", "operator": "Exists"}]}
_CONFIGURATIONS = (
    ("mutatingwebhookconfigurations", "MutatingWebhookConfiguration", "mutat", ("CREATE",)),
    ("validatingwebhookconfigurations", "ValidatingWebhookConfiguration", "validat", _BOTH),
)


def register(api: Api, port: int, root: bytes, owners: list[Object]) -> None:
    """Make the API server ask the process behind `port`; all of it goes with `owners`, its operator's object."""
    service = {
        **_meta("v1", "Service", SERVICE, NAMESPACE),
        "spec": {"type": "ExternalName", "externalName": "localhost"},
    }
    api.ensure(path_of("v1", "services", NAMESPACE), service)
    client = {
        "service": {"name": SERVICE, "namespace": NAMESPACE, "port": port},
        "caBundle": base64.b64encode(root).decode(),
    }
    for plural, kind, word, operations in _CONFIGURATIONS:
        meta = _meta(REGISTRATION, kind, f"jobset-{word}ing-webhook-configuration")
        meta["metadata"]["ownerReferences"] = owners
        rows = [_of_sets(client, word, operations), _of_pods(client, word)]
        api.delete(path_of(REGISTRATION, plural, name=meta["metadata"]["name"]))
        api.create(path_of(REGISTRATION, plural), {**meta, "webhooks": rows})


def withdraw(api: Api) -> None:
    """No request waits for a process that is not there."""
    for plural, _, word, _ in _CONFIGURATIONS:
        api.delete(path_of(REGISTRATION, plural, name=f"jobset-{word}ing-webhook-configuration"))


def _of_sets(client: Object, word: str, operations: tuple[str, ...]) -> Object:
    rule = {"apiGroups": ["jobset.x-k8s.io"], "apiVersions": ["v1alpha2"], "operations": list(operations),
            "resources": ["jobsets"]}  # fmt: skip
    return _webhook(client, f"{word[0]}jobset", f"/{word}e-jobset-x-k8s-io-v1alpha2-jobset", rule)


def _of_pods(client: Object, word: str) -> Object:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    return {**_webhook(client, f"{word[0]}pod", f"/{word}e--v1-pod", rule), "objectSelector": _OF_SETS}


def _webhook(client: Object, name: str, path: str, rule: Object) -> Object:
    return {
        "name": f"{name}.kb.io", "clientConfig": {**client, "service": {**client["service"], "path": path}},
        "rules": [rule], "failurePolicy": "Fail", "sideEffects": "None", "admissionReviewVersions": ["v1"],
    }  # fmt: skip


def _meta(api_version: str, kind: str, name: str, namespace: str = "") -> Object:
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **place}}
