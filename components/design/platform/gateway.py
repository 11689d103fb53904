"""The inference gateway: the kind of pools, OpenShift's GatewayClass, one Gateway behind its routers.

After openshift/cluster-ingress-operator, release-4.22 (pkg/operator/controller/gatewayclass): a GatewayClass of its
controller's name has it install Service Mesh 3, and with the kind InferencePool on the cluster it starts Istio with
ENABLE_GATEWAY_API_INFERENCE_EXTENSION. The kinds of the Gateway API are its own (v1.2.1 in 4.20, 1.4.1 in 4.22), and an
admission policy lets nobody else write them; InferencePool is nobody's, so that it comes from here.
"""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

from podwright.components.design.platform import gateway_hosts
from podwright.components.design.platform.names import NAMESPACE_NAME, Manifest
from podwright.components.model import OpenShift
from podwright.components.model.gateway import NAME, NAMESPACE

CLASS: Final = "openshift-default"
"""Istio's deployments are of this class alone (PILOT_GATEWAY_API_DEFAULT_GATEWAYCLASS_NAME of the operator)."""
CONTROLLER: Final = "openshift.io/gateway-controller/v1"
SERVICE: Final = f"{NAME}-{CLASS}"
"""What Istio calls a Gateway's Service and Deployment."""
LISTENER: Final = "https"
GATEWAY_LABEL: Final = "gateway.networking.k8s.io/gateway-name"
"""Label of a Gateway's pods."""
POOLS: Final = "inferencepools.json"
"""Upstream's definition, v1.5.0, unchanged (kubernetes-sigs/gateway-api-inference-extension, Apache License 2.0)."""
_INSTALLED_SECONDS: Final = 900
"""Service Mesh is a subscription, an operator and istiod, whose images are pulled first."""
_MADE_SECONDS: Final = 300


def plan(openshift: OpenShift, hosts: Mapping[str, Sequence[str]] | None = None) -> tuple[Manifest, ...]:
    """The kind, the class and the Gateway, each behind the one before it; nothing where there is no gateway.

    `hosts` are names of its services by team, which are kept for these before there is a Gateway; None: for nobody.
    """
    gateway = openshift.inference_gateway
    if gateway is None:
        return ()
    spaces = {"key": NAMESPACE_NAME, "operator": "In", "values": sorted(openshift.teams)}
    return (
        *(() if hosts is None else gateway_hosts.policy(hosts)),
        pools(),
        {
            "apiVersion": "gateway.networking.k8s.io/v1",
            "kind": "GatewayClass",
            "metadata": {"name": CLASS, "annotations": _waited("Accepted", _INSTALLED_SECONDS)},
            "spec": {"controllerName": CONTROLLER},
        },
        {
            "apiVersion": "gateway.networking.k8s.io/v1",
            "kind": "Gateway",
            "metadata": {
                "name": NAME,
                "namespace": NAMESPACE,
                # On metal nobody hands out addresses of load balancers: requests come through the routers.
                "annotations": {
                    "networking.istio.io/service-type": "ClusterIP",
                    **_waited("Programmed", _MADE_SECONDS),
                },
            },
            "spec": {
                "gatewayClassName": CLASS,
                "listeners": [
                    {
                        "name": LISTENER,
                        "port": 443,
                        "protocol": "HTTPS",
                        "tls": {"mode": "Terminate", "certificateRefs": [{"name": gateway.certificate}]},
                        "allowedRoutes": {
                            "namespaces": {"from": "Selector", "selector": {"matchExpressions": [spaces]}},
                            "kinds": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute"}],
                        },
                    }
                ],
            },
        },
    )


def pools() -> Manifest:
    """The definition of InferencePool."""
    text = files("podwright.components.design.platform").joinpath("kinds", POOLS).read_text(encoding="utf-8")
    found: Manifest = json.loads(text)
    return found


def _waited(condition: str, seconds: int) -> dict[str, str]:
    return {"pulumi.com/waitFor": f"condition={condition}", "pulumi.com/timeoutSeconds": str(seconds)}
