"""The operators' line of the status screen."""

from __future__ import annotations

from collections.abc import Iterator

from podwright.components.design.operators.subscribed import subscriptions
from podwright.components.model import Cluster
from podwright.components.providers.status.snapshot import Snapshot

SHORT = {
    "nfd": "NFD",
    "nvidia-maintenance-operator": "NVIDIA maintenance",
    "nvidia-network-operator": "NVIDIA network",
    "sriov-network-operator": "SR-IOV",
    "gpu-operator-certified": "NVIDIA GPU",
    "kubernetes-nmstate-operator": "NMState",
    "openshift-cert-manager-operator": "cert-manager",
    "job-set": "JobSet",
    "kueue-operator": "Kueue",
    "rhods-operator": "OpenShift AI",
    "openshift-custom-metrics-autoscaler-operator": "Custom Metrics Autoscaler",
    "rhcl-operator": "Connectivity Link",
    "servicemeshoperator3": "Service Mesh",
    "self-node-remediation": "Self Node Remediation",
    "node-healthcheck-operator": "Node Health Check",
}
"""Names for people; others are shown as their package is called."""


def operators(cluster: Cluster, snapshot: Snapshot) -> list[tuple[str, str]]:
    """A row with the operators that the stack subscribes to; no row where it subscribes to none."""
    shown = ", ".join(versions(cluster, snapshot))
    return [("", shown)] if shown else []


def versions(cluster: Cluster, snapshot: Snapshot) -> Iterator[str]:
    """Each operator that the stack subscribes to, with its version, and its phase where it has not succeeded; with
    markup."""
    if snapshot.unseen("ClusterServiceVersion"):
        return
    found = {each["metadata"]["name"]: each for each in snapshot.of("ClusterServiceVersion")}
    for package in subscriptions(cluster):
        word = SHORT.get(package.package, package.package)
        # What a release is called begins with a name that some packages do not have: cert-manager-operator.v1.19.0.
        prefix = package.csv.partition(".")[0]
        name = next((each for each in sorted(found) if each.partition(".")[0] == prefix), None)
        if name is None:
            yield f"{word} [red]absent[/]"
            continue
        version = name.partition(".")[2].removeprefix("v")
        phase = str(found[name].get("status", {}).get("phase") or "not started")
        yield f"{word} {version}" + ("" if phase == "Succeeded" else f" [red]{phase}[/]")
