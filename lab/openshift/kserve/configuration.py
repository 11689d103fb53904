"""What KServe is told: the ConfigMap that the operator of OpenShift AI writes.

After red-hat-data-services/kserve, branch rhoai-3.4, config/overlays/odh/patches/inferenceservice-config-patch.yaml,
and red-hat-data-services/rhods-operator, branch rhoai-3.4, internal/controller/components/kserve/kserve_support.go
(updateInferenceCM: no Ingress is made, Services have an address of their own or none).
"""

from __future__ import annotations

import json
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.data_science.components import APPLICATIONS

NAME = "inferenceservice-config"
_IMAGE = "registry.redhat.io/rhoai/odh-kserve-{}-rhel9@sha256:" + "0" * 64
_SMALL = {"memoryRequest": "100Mi", "memoryLimit": "1Gi", "cpuRequest": "100m", "cpuLimit": "1"}
_HIDDEN = (
    "autoscaling.knative.dev/min-scale", "autoscaling.knative.dev/max-scale",
    "internal.serving.kserve.io/storage-initializer-sourceuri", "kubectl.kubernetes.io/last-applied-configuration",
    "security.opendatahub.io/enable-auth", "networking.knative.dev/visibility", "haproxy.router.openshift.io/timeout",
    "opendatahub.io/hardware-profile-name", "opendatahub.io/hardware-profile-namespace",
)  # fmt: skip
"""Annotations of a service that its pods do not get."""


def config_map(*, headless: bool) -> Object:
    """The ConfigMap; `headless`: `rawDeploymentServiceConfig` of the component."""
    data: dict[str, Any] = {
        "explainers": {},
        "storageInitializer": {"image": _IMAGE.format("storage-initializer"), **_SMALL, "memoryLimit": "24Gi",
                               "cpuModelcar": "10m", "memoryModelcar": "15Mi", "enableModelcar": True},
        "ingress": {
            "enableGatewayApi": False, "kserveIngressGateway": "openshift-ingress/openshift-ai-inference",
            "ingressGateway": "knative-serving/knative-ingress-gateway",
            "localGateway": "istio-system/kserve-local-gateway",
            "localGatewayService": "kserve-local-gateway.istio-system.svc.cluster.local",
            "ingressDomain": "example.com", "ingressClassName": "openshift-default",
            "domainTemplate": "{{ .Name }}-{{ .Namespace }}.{{ .IngressDomain }}", "urlScheme": "http",
            "disableIstioVirtualHost": False, "disableIngressCreation": True,
        },
        "logger": {"image": _IMAGE.format("agent"), **_SMALL, "defaultUrl": "http://default-broker"},
        "batcher": {"image": _IMAGE.format("agent"), **_SMALL, "memoryRequest": "1Gi", "cpuRequest": "1"},
        "agent": {"image": _IMAGE.format("agent"), **_SMALL},
        "router": {"image": _IMAGE.format("router"), **_SMALL, "headers": {"propagate": ["Authorization"]}},
        "deploy": {"defaultDeploymentMode": "RawDeployment"},
        "metricsAggregator": {"enableMetricAggregation": "false", "enablePrometheusScraping": "false"},
        "service": {"serviceClusterIPNone": headless},
        "inferenceService": {"serviceAnnotationDisallowedList": list(_HIDDEN)},
        "security": {"autoMountServiceAccountToken": False},
        "credentials": {"storageSpecSecretName": "storage-config",
                        "storageSecretNameAnnotation": "serving.kserve.io/storageSecretName"},
        "localModel": {"enabled": False, "jobNamespace": "opendatahub", "fsGroup": 1000,
                       "defaultJobImage": _IMAGE.format("storage-initializer")},
    }  # fmt: skip
    return {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME, "namespace": APPLICATIONS},
        "data": {key: json.dumps(value) for key, value in data.items()},
    }  # fmt: skip
