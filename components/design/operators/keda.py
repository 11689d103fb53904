"""The Custom Metrics Autoscaler: KEDA, as its operator makes it of one object.

Source: openshift/custom-metrics-autoscaler-operator, keda/2.19.0/manifests (its example of a KedaController) and
internal/controller/keda/kedacontroller_controller.go (one object of that name counts, in the operator's namespace).
"""

from typing import Final

from podwright.components.design.platform.names import Manifest

NAMESPACE: Final = "openshift-keda"
_DEFAULT: Final = "keda-olm-operator/create-default-controller"
"""Annotation of the operator's namespace. Without it the operator makes a KedaController of its own when it starts, and
writes it then; ours would be somebody else's object."""


def without_default(namespace: Manifest) -> Manifest:
    """The operator's namespace, in which it makes no KedaController by itself."""
    meta = namespace["metadata"]
    return {**namespace, "metadata": {**meta, "annotations": {**meta.get("annotations", {}), _DEFAULT: "true"}}}


def controller() -> Manifest:
    """KEDA itself, for every namespace. Ready once the operator has made all of it."""
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "KedaController",
        "metadata": {
            "name": "keda",
            "namespace": NAMESPACE,
            "annotations": {"pulumi.com/waitFor": "jsonpath={.status.phase}=Installation Succeeded"},
        },
        "spec": {
            "watchNamespace": "",
            "operator": {"logLevel": "info", "logEncoder": "console"},
            "metricsServer": {"logLevel": "0"},
            "admissionWebhooks": {"logLevel": "info", "logEncoder": "console"},
        },
    }
