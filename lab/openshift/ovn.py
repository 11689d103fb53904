"""OVN-Kubernetes as far as its policies go: what each node reports of administrators' ones, and who reaches whom.

After ovn-org/ovn-kubernetes, go-controller/pkg/ovn/controller/admin_network_policy (status.go: one condition for each
zone, and in OpenShift each node is one; admin_network_policy.go: priorities that it takes, and the event of two with
one priority). What a node's condition says is from its daemon: one that is down reports nothing new.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from podwright.lab.openshift.admin_policies import MOST, Policies
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Cache, Kind
from podwright.lab.openshift.controller import Controller, condition, merge_conditions
from podwright.lab.openshift.daemons import node_ready
from podwright.lab.openshift.kinds import NAMESPACES, NODES, PODS
from podwright.lab.openshift.mesh.peers import Mesh, Ways
from podwright.lab.openshift.network_policies import Peer

POLICIES = Kind("networking.k8s.io/v1", "networkpolicies")
ADMIN = Kind("policy.networking.k8s.io/v1alpha1", "adminnetworkpolicies")
BASELINE = Kind("policy.networking.k8s.io/v1alpha1", "baselineadminnetworkpolicies")
DECIDING = (POLICIES, ADMIN, BASELINE)
"""Kinds that decide about connections."""
ZONE = "Ready-In-Zone-"
MESHED = "ambient.istio.io/redirection"
"""Annotation of a pod that a service mesh has taken in (istio/istio, pkg/config/constants)."""


def deciding(cache: Cache, mesh: Mesh | None = None) -> Ways:
    """All policies of the cluster, as they are at this moment, and the mesh behind them."""
    return Ways(Policies(*(cache.list(kind) for kind in DECIDING)), mesh or Mesh())


def end(pod: Object, namespaces: Mapping[str, Object]) -> Peer:
    """A pod as one end of a connection; on the host's network it is its host."""
    meta, spec = pod["metadata"], pod["spec"]
    space = namespaces.get(meta["namespace"]) or {"metadata": {}}
    named = {
        row["name"]: (row.get("protocol") or "TCP", int(row["containerPort"]))
        for box in spec["containers"]
        for row in box.get("ports") or []
        if row.get("name")
    }
    return Peer(
        meta["namespace"],
        space["metadata"].get("labels") or {},
        None if spec.get("hostNetwork") else meta.get("labels") or {},
        pod.get("status", {}).get("podIP") or "",
        ports=named,
        meshed=(meta.get("annotations") or {}).get(MESHED) == "enabled",
    )


class OvnKubernetes(Controller):
    """Writes the conditions of AdminNetworkPolicies and of the BaselineAdminNetworkPolicy."""

    watches = (*DECIDING, NODES, NAMESPACES, PODS)

    def reconcile(self) -> None:
        """One pass."""
        for kind in (ADMIN, BASELINE):
            for item in self.cache.list(kind):
                self._report(kind, item)
        self._alike()

    def page(self) -> Mapping[str, Any]:
        """By pod and port, the pods of other namespaces that reach it: of running pods beside the host's network."""
        spaces = {each["metadata"]["name"]: each for each in self.cache.list(NAMESPACES)}
        pods = [each for each in self.cache.list(PODS) if each.get("status", {}).get("phase") == "Running"]
        ends = {_name(pod): end(pod, spaces) for pod in pods if not pod["spec"].get("hostNetwork")}
        policies = deciding(self.cache, self.around.mesh)
        return {
            "reached": {
                f"{_name(pod)}:{port}": [
                    name
                    for name, source in ends.items()
                    if source.namespace != pod["metadata"]["namespace"]
                    and policies.connects(source, ends[_name(pod)], port, protocol)
                ]
                for pod in pods
                if _name(pod) in ends
                for protocol, port in _ports(pod)
            }
        }

    def _report(self, kind: Kind, item: Object) -> None:
        nodes = self.cache.list(NODES)
        rows = (item.get("status") or {}).get("conditions") or []
        there = {f"{ZONE}{node['metadata']['name']}" for node in nodes}
        kept = [row for row in rows if row["type"] in there]
        priority = item["spec"].get("priority", 0)
        refused = priority > MOST
        if refused:
            message = f"priority {priority} is not supported: it is from 0 to {MOST}"
            self.event(item, "AdminNetworkPolicy", "ANPWithUnsupportedPriority", message)
        else:
            message = "Setting up OVN DB plumbing was successful"
        reason = "SetupFailed" if refused else "SetupSucceeded"
        fresh = [
            condition(f"{ZONE}{node['metadata']['name']}", not refused, reason, message)
            for node in nodes
            if node_ready(node)
        ]
        self.set_status(kind, item, {"conditions": merge_conditions(kept, fresh)})

    def _alike(self) -> None:
        """Two of one priority are both in force; the younger one gets an event, once."""
        first: dict[int, str] = {}
        for item in sorted(self.cache.list(ADMIN), key=lambda each: each["metadata"]["creationTimestamp"]):
            name, priority = item["metadata"]["name"], item["spec"]["priority"]
            other = first.setdefault(priority, name)
            if other != name and priority <= MOST:
                message = f"it has priority {priority}, as {other} has: rules of the two must not overlap"
                self.event(item, "AdminNetworkPolicy", "ANPWithDuplicatePriority", message)


def _name(pod: Object) -> str:
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def _ports(pod: Object) -> Iterator[tuple[str, int]]:
    for box in pod["spec"]["containers"]:
        for row in box.get("ports") or []:
            yield row.get("protocol") or "TCP", int(row["containerPort"])
