"""OpenShift's own routers, image registry and monitoring, placed on one pool.

After Red Hat's guide to infrastructure nodes
(https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/machine_management/creating-infrastructure-machinesets):
the label `node-role.kubernetes.io/infra`, by which subscriptions are counted, a taint whose key is the site's choice
(here the pool's own), and selector and toleration in the three objects that decide where these pods go. Daemons that
every node needs tolerate each taint by themselves.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from podwright.components.design.platform.names import Manifest, tolerations
from podwright.components.model import Infrastructure

_MADE = 2
"""Routers of a new cluster."""
ROLE = "node-role.kubernetes.io/infra"
MONITORING = (
    "alertmanagerMain",
    "kubeStateMetrics",
    "metricsServer",
    "monitoringPlugin",
    "openshiftStateMetrics",
    "prometheusK8s",
    "prometheusOperator",
    "telemeterClient",
    "thanosQuerier",
)
"""Parts that take a selector and tolerations (openshift/cluster-monitoring-operator, pkg/manifests/types.go). The
admission webhook goes where `prometheusOperator` does; node-exporter runs on every node and takes neither."""


@dataclass(frozen=True)
class Placed:
    """What brings OpenShift's own pods to a pool."""

    made: tuple[Manifest, ...] = ()
    """Objects of ours."""
    owned: tuple[Manifest, ...] = ()
    """Fields on objects that OpenShift makes, which nobody else may have written."""
    scaled: tuple[Manifest, ...] = ()
    """The number of routers, which the ingress operator wrote and leaves to others from then on."""


def placed(defined: Infrastructure | None, pool: str, *, users: bool = False) -> Placed:
    """Nothing where they go to another pool, or where OpenShift puts them. `users`: user projects are monitored."""
    if defined is None or defined.pool != pool:
        return Placed()
    return Placed((monitoring(defined, users=users),), owned(defined), scaled(defined))


def owned(defined: Infrastructure) -> tuple[Manifest, Manifest]:
    """Fields of two objects that OpenShift makes: the default IngressController and the image registry's Config."""
    ingress: Manifest = {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "IngressController",
        "metadata": {"name": "default", "namespace": "openshift-ingress-operator"},
        "spec": {
            "nodePlacement": {"nodeSelector": {"matchLabels": {ROLE: ""}}, "tolerations": tolerations(defined.pool)},
        },
    }
    registry: Manifest = {
        "apiVersion": "imageregistry.operator.openshift.io/v1",
        "kind": "Config",
        "metadata": {"name": "cluster"},
        "spec": _placement(defined.pool),
    }
    return ingress, registry


def scaled(defined: Infrastructure) -> tuple[Manifest, ...]:
    """Nothing where there are as many as the operator makes
    (openshift/cluster-ingress-operator, pkg/operator/operator.go: ensureDefaultIngressController).

    A patch of its own takes the one field from the operator, so that placement that a person wrote is not taken too.
    """
    if defined.routers == _MADE:
        return ()
    notes = {"pulumi.com/patchForce": "true", "pulumi.com/patchFieldManager": "podwright-routers"}
    ingress, _ = owned(defined)
    metadata = {**ingress["metadata"], "annotations": notes}
    return ({**ingress, "metadata": metadata, "spec": {"replicas": defined.routers}},)


def monitoring(defined: Infrastructure | None, *, users: bool) -> Manifest:
    """The ConfigMap of the monitoring stack, there being one of it: where its pods go, and whether user projects have a
    Prometheus (`users`). OpenShift makes none: one that is there is somebody's."""
    lines = ["enableUserWorkload: true"] if users else []
    lines += [line for part in MONITORING for line in _part(part, defined.pool)] if defined is not None else []
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "cluster-monitoring-config", "namespace": "openshift-monitoring"},
        "data": {"config.yaml": "".join(f"{line}\n" for line in lines)},
    }


def _placement(pool: str) -> dict[str, Any]:
    return {"nodeSelector": {ROLE: ""}, "tolerations": tolerations(pool)}


def _part(name: str, pool: str) -> Iterator[str]:
    """As YAML: an empty value and a name that reads as a number are quoted."""
    yield f"{name}:"
    yield "  nodeSelector:"
    yield f'    {ROLE}: ""'
    yield "  tolerations:"
    for each in tolerations(pool):
        fields = [f'{key}: "{value}"' for key, value in each.items()]
        yield f"  - {fields[0]}"
        yield from (f"    {field}" for field in fields[1:])
