"""Red Hat Connectivity Link: what asks every request at the inference gateway for a key, and counts what it used.

Sources: Kuadrant/kuadrant-operator v1.5.2 (doc/overviews/auth.md: policies of a Gateway are defaults of its routes;
internal/wasm/utils.go: failure modes and time-outs, by variables of the operator; internal/controller: names of
Authorino and Limitador) and opendatahub-io/models-as-a-service (how Red Hat sets it up behind OpenShift's own gateway).
"""

from dataclasses import replace
from typing import Any, Final

from podwright.components.design.operators.model import Operator
from podwright.components.design.operators.subscription import operator
from podwright.components.design.platform.gateway import CONTROLLER, GATEWAY_LABEL
from podwright.components.design.platform.names import NAMESPACE_NAME, Manifest
from podwright.components.model import ClientKeys, Operators
from podwright.components.model.catalogue import RELEASE_SETS
from podwright.components.model.gateway import KEYS_NAMESPACE, NAME, NAMESPACE

MONITORING: Final = "openshift-monitoring"
_AUTHORINO, _LIMITADOR = 50051, 8081
"""Ports of gRPC: external authorization, and rate limits."""
_METRICS: Final = 8080
_READY_SECONDS: Final = 600
"""Images of Authorino and Limitador are pulled first."""
_ACCEPTED_SECONDS: Final = 120


def client_keys(operators: Operators, section: ClientKeys) -> Operator:
    """Authorino, which knows the keys, Limitador, which counts, and a gateway where nobody else is let in."""
    made = operator(operators, RELEASE_SETS[operators.release].keys, stages(), privileged=False)
    return replace(made, subscription=configured(made.subscription, section))


def configured(subscription: Manifest, section: ClientKeys) -> Manifest:
    """The Subscription with what its operator reads when it starts.

    Without the name of OpenShift's controller it would take the Gateway for nobody's. While Authorino is away nobody
    gets in, by itself; for counters it is to be said. What a replica answers is reported when it has ended: an answer
    without usage, such as an error, is not to become one of the gateway.
    """
    away = {"refuse": "deny", "serve": "allow"}[section.counters_away]
    variables = {
        "ISTIO_GATEWAY_CONTROLLER_NAMES": CONTROLLER,
        "AUTH_SERVICE_FAILURE_MODE": "deny",
        # Its default of 200 ms ends as 500 where many requests come at once.
        "AUTH_SERVICE_TIMEOUT": "2s",
        "RATELIMIT_SERVICE_FAILURE_MODE": away,
        "RATELIMIT_CHECK_SERVICE_FAILURE_MODE": away,
        "RATELIMIT_REPORT_SERVICE_FAILURE_MODE": "allow",
    }
    env = [{"name": name, "value": value} for name, value in variables.items()]
    return {**subscription, "spec": {**subscription["spec"], "config": {"env": env}}}


def stages() -> list[list[Manifest]]:
    """Kuadrant with Authorino and Limitador, whom the gateway alone reaches; then the gateway's own policy."""
    return [[_way("authorino", _AUTHORINO), _way("limitador", _LIMITADOR), _kuadrant()], [_nobody()]]


def _kuadrant() -> Manifest:
    return {
        "apiVersion": "kuadrant.io/v1beta1",
        "kind": "Kuadrant",
        "metadata": {
            "name": "kuadrant",
            "namespace": KEYS_NAMESPACE,
            "annotations": _waited("Ready", _READY_SECONDS),
        },
        "spec": {},
    }


def _way(name: str, port: int) -> Manifest:
    """To what checks keys or counts: any other pod could try keys there, or use a client's tokens up."""
    gateway = {
        "namespaceSelector": {"matchLabels": {NAMESPACE_NAME: NAMESPACE}},
        "podSelector": {"matchLabels": {GATEWAY_LABEL: NAME}},
    }
    monitoring = {"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: MONITORING}}}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": f"{name}-from-gateway", "namespace": KEYS_NAMESPACE},
        "spec": {
            "podSelector": {"matchLabels": {f"{name}-resource": name}},
            "policyTypes": ["Ingress"],
            "ingress": [_from(gateway, port), _from(monitoring, _METRICS)],
        },
    }


def _from(peer: dict[str, Any], port: int) -> dict[str, Any]:
    return {"from": [peer], "ports": [{"protocol": "TCP", "port": port}]}


def _nobody() -> Manifest:
    """Of the Gateway, in force at every route that has no policy of its own: nobody is allowed.

    It is Accepted and not Enforced for as long as every route has one, which is as it should be.
    """
    return {
        "apiVersion": "kuadrant.io/v1",
        "kind": "AuthPolicy",
        "metadata": {
            "name": f"{NAME}-nobody",
            "namespace": NAMESPACE,
            "annotations": _waited("Accepted", _ACCEPTED_SECONDS),
        },
        "spec": {
            "targetRef": {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": NAME},
            "defaults": {"rules": {"authorization": {"nobody": {"opa": {"rego": "allow = false"}}}}},
        },
    }


def _waited(condition: str, seconds: int) -> dict[str, str]:
    return {"pulumi.com/waitFor": f"condition={condition}", "pulumi.com/timeoutSeconds": str(seconds)}
