"""Rows of the service mesh's objects, and of the namespaces that are in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from podwright.components.changes.row import ChangeClass, Row

MESH: Final[Mapping[str, tuple[Row, ...]]] = {
    "Namespace": (
        Row(
            "metadata.labels.istio.io/dataplane-mode",
            ChangeClass.DISRUPTIVE,
            "its pods come into the service mesh, or leave it, as they run: what they say to each other may be refused "
            "for seconds, until both ends are where they belong",
            "istio/istio.io, ambient/usage/add-workloads: pods are not restarted",
            scope="team",
            verb="have its pods connect anew",
            lasts="seconds",
        ),
        Row("", ChangeClass.LIVE, "taken when it is written; what runs goes on"),
    ),
    "Network": (
        Row(
            "",
            ChangeClass.DISRUPTIVE,
            "OVN-Kubernetes starts anew on one node after the other, with another way for what leaves the cluster and "
            "for kubelet's probes; pods keep running",
            "Red Hat's guide of OVN-Kubernetes, gateway modes; openshift/cluster-network-operator: a DaemonSet",
            scope="cluster",
            verb="route its pods' traffic in another way",
            lasts="minutes",
        ),
    ),
    **dict.fromkeys(
        ("Istio", "IstioCNI"),
        (Row("", ChangeClass.LIVE, "istiod or the agents start anew; pods in the mesh stay in, connections too"),),
    ),
    "ZTunnel": (
        Row(
            "",
            ChangeClass.DISRUPTIVE,
            "the proxy of one node after the other starts anew: open connections of its pods in the mesh end",
            "istio/istio.io, ambient/upgrade: long connections are reset when a ztunnel's grace period is over",
            scope="cluster",
            verb="end open connections of pods in the mesh",
            lasts="seconds a node",
        ),
    ),
    "PeerAuthentication": (
        Row("", ChangeClass.LIVE, "where pods in the mesh take what is not encrypted, from the next connection on"),
    ),
}
