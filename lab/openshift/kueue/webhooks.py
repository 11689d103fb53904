"""How the API server reaches Kueue's process: a Service that leads to this machine, and the webhooks behind it.

After kubernetes-sigs/kueue v0.19.2, config/components/webhook/manifests.yaml (those of Jobs, JobSets,
TrainJobs, its own kinds), its kustomization (which namespaces are let by) and config/components/crd/patches (which
kinds are converted).
"""

from __future__ import annotations

from podwright.lab.openshift.api import Api, Object, path_of
from podwright.lab.openshift.kueue.configuration import NAMESPACE

REGISTRATION = "admissionregistration.k8s.io/v1"
SERVICE = "kueue-webhook-service"
SECRET = "kueue-webhook-server-cert"  # noqa: S105 - the name of a Secret
KINDS = tuple(
    f"{plural}.kueue.x-k8s.io"
    for plural in (
        "admissionchecks", "clusterqueues", "cohorts", "localqueues", "multikueueclusters", "multikueueconfigs",
        "provisioningrequestconfigs", "resourceflavors", "topologies", "workloadpriorityclasses", "workloads",
    )
)  # fmt: skip
CONVERTED = ("clusterqueues", "cohorts", "localqueues", "multikueueclusters", "workloads")
Row = tuple[str, str, str, tuple[str, ...], tuple[str, ...], str]
"""Name, group, version, operations, resources, and the kind in the path."""
_BOTH = ("CREATE", "UPDATE")
_OWN = "kueue.x-k8s.io"
_SETS = "jobset.x-k8s.io"
_TRAINER = "trainer.kubeflow.org"
_MUTATING: tuple[Row, ...] = (
    ("mclusterqueue", _OWN, "v1beta2", ("CREATE",), ("clusterqueues",), "clusterqueue"),
    ("mresourceflavor", _OWN, "v1beta2", ("CREATE",), ("resourceflavors",), "resourceflavor"),
    ("mworkload", _OWN, "v1beta2", ("CREATE",), ("workloads",), "workload"),
    ("mjob", "batch", "v1", ("CREATE",), ("jobs",), "job"),
    ("mjobset", _SETS, "v1alpha2", ("CREATE",), ("jobsets",), "jobset"),
    ("mtrainjob", _TRAINER, "v1alpha1", ("CREATE",), ("trainjobs",), "trainjob"),
)
_VALIDATING: tuple[Row, ...] = (
    ("vclusterqueue", _OWN, "v1beta2", _BOTH, ("clusterqueues",), "clusterqueue"),
    ("vcohort", _OWN, "v1beta2", _BOTH, ("cohorts",), "cohort"),
    ("vresourceflavor", _OWN, "v1beta2", _BOTH, ("resourceflavors",), "resourceflavor"),
    ("vworkload", _OWN, "v1beta2", _BOTH, ("workloads", "workloads/status"), "workload"),
    ("vjob", "batch", "v1", _BOTH, ("jobs",), "job"),
    ("vjobset", _SETS, "v1alpha2", _BOTH, ("jobsets",), "jobset"),
    ("vtrainjob", _TRAINER, "v1alpha1", _BOTH, ("trainjobs",), "trainjob"),
)
_CONFIGURATIONS: tuple[tuple[str, str, str, tuple[Row, ...]], ...] = (
    ("mutatingwebhookconfigurations", "MutatingWebhookConfiguration", "mutat", _MUTATING),
    ("validatingwebhookconfigurations", "ValidatingWebhookConfiguration", "validat", _VALIDATING),
)
_OUTSIDE = {
    "matchExpressions": [
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", NAMESPACE]}
    ]
}


def register(api: Api, port: int) -> None:
    """Make the API server ask the process behind `port`. Kueue writes its own certificate's authority into both."""
    api.ensure(path_of("v1", "secrets", NAMESPACE), _meta("v1", "Secret", SECRET, NAMESPACE))
    service = {
        **_meta("v1", "Service", SERVICE, NAMESPACE),
        "spec": {"type": "ExternalName", "externalName": "localhost"},
    }
    api.ensure(path_of("v1", "services", NAMESPACE), service)
    client = {"service": {"name": SERVICE, "namespace": NAMESPACE, "port": port}}
    for plural in CONVERTED:
        webhook = {"clientConfig": {"service": {**client["service"], "path": "/convert"}}}
        conversion = {"strategy": "Webhook", "webhook": {**webhook, "conversionReviewVersions": ["v1"]}}
        definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        api.merge(f"{definitions}/{plural}.kueue.x-k8s.io", {"spec": {"conversion": conversion}})
    for plural, kind, word, rows in _CONFIGURATIONS:
        body = {
            **_meta(REGISTRATION, kind, f"kueue-{word}ing-webhook-configuration"),
            "webhooks": [_webhook(word, port, row) for row in rows],
        }
        api.delete(path_of(REGISTRATION, plural, name=body["metadata"]["name"]))
        api.create(path_of(REGISTRATION, plural), body)


def withdraw(api: Api) -> None:
    """Kueue is taken away: no request waits for a process that is not there."""
    for plural, _, word, _ in _CONFIGURATIONS:
        api.delete(path_of(REGISTRATION, plural, name=f"kueue-{word}ing-webhook-configuration"))


def _webhook(word: str, port: int, row: Row) -> Object:
    name, group, version, operations, resources, kind = row
    path = f"/{word}e-{group.replace('.', '-')}-{version}-{kind}"
    return {
        "name": f"{name}.kb.io",
        "clientConfig": {"service": {"name": SERVICE, "namespace": NAMESPACE, "port": port, "path": path}},
        "rules": [{
            "apiGroups": [group], "apiVersions": [version],
            "operations": list(operations), "resources": list(resources),
        }],
        "failurePolicy": "Fail", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        **({"namespaceSelector": _OUTSIDE} if group != _OWN else {}),
    }  # fmt: skip


def _meta(api_version: str, kind: str, name: str, namespace: str = "") -> Object:
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **place}}
