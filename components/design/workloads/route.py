"""A service's way to users: a Route of OpenShift's router, and the one way that the team's closed network opens to it.

With a second version the Route has two Services and their weights.

Annotations after Red Hat's table of route-specific annotations
(https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/ingress_and_load_balancing/configuring-routes)
and openshift/router, images/router/haproxy/conf/haproxy-config.template.
"""

from collections.abc import Iterator

from podwright.components.design.platform.names import INFERENCE, WORKLOAD_LABEL, Manifest
from podwright.components.model import Inference, InferenceRoute, second
from podwright.components.model.canary import weights

_ROUTER = "haproxy.router.openshift.io/"
_GROUP = "policy-group.network.openshift.io/"
_ADMITTED = '@.type=="Admitted" && @.status=="True"'
ADMITTED = f'jsonpath={{.status.ingress[?(@.routerName=="default")].conditions[?({_ADMITTED})].type}}'
"""What `up` waits for: the router of IngressController `default` serves the name."""
ADMITTED_SECONDS = 120


def route(name: str, inference: Inference) -> tuple[Manifest, ...]:
    """Route and network policy of a service; nothing where users outside the cluster do not reach it."""
    if inference.route is None:
        return ()
    meta = {"namespace": inference.team, "labels": _labels(name)}
    # `host` is written out: OpenShift's API server fills an absent one in, and the object would differ from the plan.
    return (
        entry(name, inference),
        {
            "apiVersion": "route.openshift.io/v1",
            "kind": "Route",
            "metadata": {"name": name, **meta, "annotations": {**_annotations(inference.route), **_watched(inference)}},
            "spec": {
                "host": inference.route.host,
                **_targets(name, inference),
                "port": {"targetPort": "http"},
                "tls": {"termination": "edge", "insecureEdgeTerminationPolicy": "Redirect"},
                "wildcardPolicy": "None",
            },
        },
    )


def entry(name: str, inference: Inference) -> Manifest:
    """What lets routers to the pods of a service, or of one version of it."""
    labels = _labels(name)
    # The port is a number: of a name OVN-Kubernetes makes 0, which is every port (ovn-org/ovn-kubernetes,
    # go-controller/pkg/ovn/gress_policy.go: addPortPolicy takes IntVal).
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": f"{name}-route", "namespace": inference.team, "labels": labels},
        "spec": {
            "podSelector": {"matchLabels": labels},
            "policyTypes": ["Ingress"],
            "ingress": [{"from": [*_routers()], "ports": [{"protocol": "TCP", "port": inference.port}]}],
        },
    }


def _labels(name: str) -> dict[str, str]:
    return {"app.kubernetes.io/name": name, WORKLOAD_LABEL: INFERENCE}


def _targets(name: str, inference: Inference) -> Manifest:
    """Services behind the Route."""
    other = second(name, inference)
    if inference.canary is None or other is None:
        return {"to": {"kind": "Service", "name": name, "weight": 100}}
    first, new = weights(inference.canary.percent)
    return {
        "to": {"kind": "Service", "name": name, "weight": first},
        "alternateBackends": [{"kind": "Service", "name": other[0], "weight": new}],
    }


def _routers() -> Iterator[Manifest]:
    """Where routers' connections come from: their namespace, or, on the host's network as bare metal has them, the one
    that stands for all hosts (openshift/cluster-network-operator, namespace openshift-host-network)."""
    for group in ("ingress", "host-network"):
        yield {"namespaceSelector": {"matchLabels": {f"{_GROUP}{group}": ""}}}


def _watched(inference: Inference) -> dict[str, str]:
    """Comes and goes with the watch, which writes weights that the Route's plan does not know of when it takes a share
    back: without it a `watch` that is taken out then would leave the Route, and the plan empty."""
    given = inference.canary is not None and inference.canary.watch is not None
    return {"podwright.io/watched": "true"} if given else {}


def _annotations(defined: InferenceRoute) -> dict[str, str]:
    notes = {
        "pulumi.com/waitFor": ADMITTED,
        "pulumi.com/timeoutSeconds": str(ADMITTED_SECONDS),
        f"{_ROUTER}timeout": f"{defined.timeout_seconds}s",
    }
    if defined.balance != "cookie":
        # The router sets its cookie unasked, and a cookie comes before any balance.
        notes |= {f"{_ROUTER}balance": defined.balance, f"{_ROUTER}disable_cookies": "true"}
    limits = {"concurrent-tcp": defined.limits.connections, "rate-tcp": defined.limits.connections_per_3s}
    for key, most in limits.items():
        if most is not None:
            # The router refuses from its figure on (`ge`), with the connection itself counted.
            notes[f"{_ROUTER}rate-limit-connections"] = "true"
            notes[f"{_ROUTER}rate-limit-connections.{key}"] = str(most + 1)
    if defined.sources:
        notes[f"{_ROUTER}ip_allowlist"] = " ".join(str(each) for each in defined.sources)
    if defined.hsts_days is not None:
        notes[f"{_ROUTER}hsts_header"] = f"max-age={defined.hsts_days * 86400}"
    return notes
