"""A service behind the inference gateway: its pool, its picker, the way from the routers, and who may open what."""

import json
from typing import Any, Final

from podwright.components.design.platform.gateway import GATEWAY_LABEL, LISTENER, SERVICE
from podwright.components.design.platform.names import NAMESPACE_NAME, Manifest
from podwright.components.design.workloads.gateway.clients import kept
from podwright.components.design.workloads.gateway.picker import EXT_PROC, GROUP, labels_of, meta_of, picker, rights
from podwright.components.design.workloads.route import ADMITTED, ADMITTED_SECONDS
from podwright.components.model import GatewayRoute, Inference, InferenceGateway
from podwright.components.model.gateway import NAME, NAMESPACE, PICKER

__all__ = ["picked"]

API_PORT: Final = 6443
_WITHOUT_KEY: Final = {"type": "RequestHeaderModifier", "requestHeaderModifier": {"remove": ["Authorization"]}}
"""A client's key opens other services too: no replica gets to know it. Envoy's router takes it out, behind Kuadrant."""


def picked(name: str, inference: Inference, gateway: InferenceGateway | None) -> tuple[Manifest, ...]:
    """All of it; nothing where the service is not behind the gateway."""
    if inference.gateway is None or gateway is None:
        return ()
    return (
        *rights(name, inference),
        *picker(name, inference, gateway),
        *_ways(name, inference),
        _pool(name, inference),
        _http_route(name, inference, inference.gateway),
        _way_in(name, inference.gateway),
        *kept(name, inference, inference.gateway),
    )


def _ways(name: str, inference: Inference) -> tuple[Manifest, ...]:
    """From the gateway to the picker and the replicas, from the picker to the replicas and the API server.

    Ports are numbers: of a name OVN-Kubernetes makes every port.
    """
    serve, picker = _port(inference.port), {"podSelector": {"matchLabels": labels_of(name + PICKER)}}
    gateway = {
        "namespaceSelector": {"matchLabels": {NAMESPACE_NAME: NAMESPACE}},
        "podSelector": {"matchLabels": {GATEWAY_LABEL: NAME}},
    }
    replicas = {"podSelector": {"matchLabels": labels_of(name)}}
    return (
        _policy(
            name, inference, "-gateway", labels_of(name), {"ingress": [{"from": [gateway, picker], "ports": serve}]}
        ),
        _policy(
            *(name, inference, PICKER, labels_of(name + PICKER)),
            {
                "ingress": [{"from": [gateway], "ports": _port(EXT_PROC)}],
                "egress": [{"to": [replicas], "ports": serve}, {"ports": _port(API_PORT)}],
            },
        ),
    )


def _port(number: int) -> list[dict[str, Any]]:
    return [{"protocol": "TCP", "port": number}]


def _policy(name: str, inference: Inference, ending: str, labels: dict[str, str], rules: dict[str, Any]) -> Manifest:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": meta_of(name + ending, name, inference),
        "spec": {
            "podSelector": {"matchLabels": labels},
            "policyTypes": [each.capitalize() for each in rules],
            **rules,
        },
    }


def _pool(name: str, inference: Inference) -> Manifest:
    """The service's replicas, as a picker chooses among them.

    FailOpen: without its picker the gateway gives requests to replicas by turns. They are answered, only not as soon;
    FailClose would answer 500 to all of them for as long as one pod moves.
    """
    accepted = f"jsonpath={_part('Accepted')}"
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "InferencePool",
        "metadata": {**meta_of(name, name, inference), "annotations": _waited(accepted)},
        "spec": {
            "selector": {"matchLabels": labels_of(name)},
            "targetPorts": [{"number": inference.port}],
            "endpointPickerRef": {
                "group": "",
                "kind": "Service",
                "name": name + PICKER,
                "port": {"number": EXT_PROC},
                "failureMode": "FailOpen",
            },
        },
    }


def _http_route(name: str, inference: Inference, defined: GatewayRoute) -> Manifest:
    """Every request for the name goes to the pool. No limit to a whole answer, which would end streams: silence is
    limited where the connection comes in."""
    conditions = [f"jsonpath={_part(each)}" for each in ("Accepted", "ResolvedRefs")]
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {**meta_of(name, name, inference), "annotations": _waited(*conditions)},
        "spec": {
            "parentRefs": [
                {
                    "group": "gateway.networking.k8s.io",
                    "kind": "Gateway",
                    "name": NAME,
                    "namespace": NAMESPACE,
                    "sectionName": LISTENER,
                }
            ],
            "hostnames": [defined.host],
            "rules": [
                {
                    "matches": [{"path": {"type": "PathPrefix", "value": "/"}}],
                    "backendRefs": [{"group": GROUP, "kind": "InferencePool", "name": name, "weight": 1}],
                    "timeouts": {"request": "0s"},
                    **({"filters": [_WITHOUT_KEY]} if defined.clients else {}),
                }
            ],
        },
    }


def _way_in(name: str, defined: GatewayRoute) -> Manifest:
    """The name at OpenShift's routers, which pass its TLS on to the gateway. In the gateway's namespace: a Route's
    Service is of its own. It is called after the service alone, whose name no other one of the stack has."""
    return {
        "apiVersion": "route.openshift.io/v1",
        "kind": "Route",
        "metadata": {
            "name": f"{NAME}-{name}",
            "namespace": NAMESPACE,
            "labels": labels_of(name),
            "annotations": {
                "pulumi.com/waitFor": ADMITTED,
                "pulumi.com/timeoutSeconds": str(ADMITTED_SECONDS),
                "haproxy.router.openshift.io/timeout": f"{defined.timeout_seconds}s",
                # The gateway's pods: the fewest connections, since the picker counts requests.
                "haproxy.router.openshift.io/balance": "leastconn",
                "haproxy.router.openshift.io/disable_cookies": "true",
            },
        },
        "spec": {
            "host": defined.host,
            "to": {"kind": "Service", "name": SERVICE, "weight": 100},
            "port": {"targetPort": LISTENER},
            "tls": {"termination": "passthrough", "insecureEdgeTerminationPolicy": "Redirect"},
            "wildcardPolicy": "None",
        },
    }


def _part(condition: str) -> str:
    """Of what a gateway says in its part of a status, whether it is so."""
    return f'{{.status.parents[*].conditions[?(@.type=="{condition}" && @.status=="True")].type}}'


def _waited(*conditions: str) -> dict[str, str]:
    """One condition, or all of several (pulumi-kubernetes, pulumi.com/waitFor: a JSON array)."""
    wanted = conditions[0] if len(conditions) == 1 else json.dumps(list(conditions))
    return {"pulumi.com/waitFor": wanted, "pulumi.com/timeoutSeconds": str(ADMITTED_SECONDS)}
