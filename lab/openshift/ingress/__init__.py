"""OpenShift's router: which Routes it serves, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping

_GROUP = "policy-group.network.openshift.io/"
PLACES: Mapping[str, Mapping[str, str]] = {
    "openshift-ingress": {f"{_GROUP}ingress": ""},
    "openshift-host-network": {f"{_GROUP}host-network": ""},
}
"""Labels of the namespaces that routers' connections come from (openshift/cluster-ingress-operator and
openshift/cluster-network-operator make the two)."""
