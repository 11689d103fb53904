"""cert-manager: what webhooks of Kueue and of JobSet have their certificates from.

Source: openshift/cert-manager-operator at 454cb88, api/operator/v1alpha1/certmanager_types.go and
pkg/controller/certmanager (conditions are named after the controllers of its three Deployments): the object is named
cluster, and the operator makes it without any choice where nobody has. Its pods run in a namespace that the operator
makes, so that they tolerate what the object says.
"""

import json
from typing import Any

from podwright.components.design.platform.names import CONTROL_PLANE, Manifest

_SERVES = [f"condition=cert-manager-{part}-deploymentAvailable" for part in ("controller", "webhook", "cainjector")]


MADE = "/apis/operator.openshift.io/v1alpha1/certmanagers/cluster"
"""Where its object is, which it makes when it starts."""


def placement() -> Manifest:
    """What of its object lets the pods run on the control plane; ready once all three Deployments are available."""
    scheduling: dict[str, Any] = {"overrideScheduling": {"tolerations": CONTROL_PLANE}}
    return {
        "apiVersion": "operator.openshift.io/v1alpha1",
        "kind": "CertManager",
        "metadata": {"name": "cluster", "annotations": {"pulumi.com/waitFor": json.dumps(_SERVES)}},
        "spec": dict.fromkeys(("controllerConfig", "webhookConfig", "cainjectorConfig"), scheduling),
    }
