"""Which connections there are once administrators have their say: AdminNetworkPolicies, then NetworkPolicies, then the
BaselineAdminNetworkPolicy.

After kubernetes-sigs/network-policy-api v0.1.5 (apis/v1alpha1) and OVN-Kubernetes, which OpenShift 4.20 has it from
(ovn-org/ovn-kubernetes, go-controller/pkg/ovn/controller/admin_network_policy): the lower priority is asked first, the
first rule that fits decides, Pass leaves it to the namespace's own, and neither subject nor peer is ever a pod on the
host's network. A named port is that port of the pod, unlike in a NetworkPolicy. Of two policies with one priority
upstream leaves open which one decides: here it is the first by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podwright.lab.openshift.network_policies import EGRESS, INGRESS, PEERS, Peer, inside, verdict
from podwright.lab.openshift.selectors import matches

Object = Mapping[str, Any]
MOST = 99
"""Largest priority that OVN-Kubernetes takes (types.go, ovnkSupportedPriorityUpperBound); the API takes 1000."""


@dataclass(frozen=True)
class Policies:
    """All of a cluster's that decide about connections."""

    network: Sequence[Object] = ()
    admin: Sequence[Object] = ()
    baseline: Sequence[Object] = field(default=())

    def connects(self, source: Peer, target: Peer, port: int, protocol: str = "TCP") -> bool:
        """Whether a connection comes about: it may leave the one, and enter the other."""
        return self._passes(EGRESS, source, target, target, port, protocol) and self.enters(
            source, target, port, protocol
        )

    def enters(self, source: Peer, target: Peer, port: int, protocol: str = "TCP") -> bool:
        """Whether `target` takes a connection that is on its way."""
        return self._passes(INGRESS, target, source, target, port, protocol)

    def _passes(self, way: str, subject: Peer, peer: Peer, target: Peer, port: int, protocol: str) -> bool:
        """`subject` is the end whose policies are asked; none is ever for a host."""
        if subject.pod_labels is None:
            return True
        taken = (each for each in self.admin if each["spec"]["priority"] <= MOST)
        for each in sorted(taken, key=lambda each: (each["spec"]["priority"], each["metadata"]["name"])):
            action = _action(each["spec"], way, subject, peer, target, port, protocol)
            if action == "Pass":
                break
            if action is not None:
                return action == "Allow"
        own = verdict(self.network, way, subject, peer, port, protocol)
        if own is not None:
            return own
        last = (_action(each["spec"], way, subject, peer, target, port, protocol) for each in self.baseline)
        return next((action for action in last if action is not None), "Allow") == "Allow"


def _action(spec: Object, way: str, subject: Peer, peer: Peer, target: Peer, port: int, protocol: str) -> str | None:
    """What the first rule that fits does; None where none does, or the policy is not for the pod."""
    if not _selected(spec["subject"], subject):
        return None
    for rule in spec.get(way) or []:
        if any(_is(each, peer) for each in rule[PEERS[way]]) and _at(rule.get("ports"), target, port, protocol):
            return str(rule["action"])
    return None


def _selected(selector: Object, end: Peer) -> bool:
    """Of a subject or a peer, the two forms that select pods."""
    if end.pod_labels is None:
        return False
    if "namespaces" in selector:
        return matches(selector["namespaces"], end.namespace_labels)
    pods = selector.get("pods")
    return pods is not None and (
        matches(pods.get("namespaceSelector") or {}, end.namespace_labels)
        and matches(pods.get("podSelector") or {}, end.pod_labels)
    )


def _is(entry: Object, peer: Peer) -> bool:
    if "nodes" in entry:
        return peer.pod_labels is None and bool(peer.node_labels) and matches(entry["nodes"], peer.node_labels)
    if "networks" in entry:
        return any(inside(peer.address, each) for each in entry["networks"])
    return _selected(entry, peer)


def _at(rows: Sequence[Object] | None, target: Peer, port: int, protocol: str) -> bool:
    return not rows or any(_fits(row, target, port, protocol) for row in rows)


def _fits(row: Object, target: Peer, port: int, protocol: str) -> bool:
    if "namedPort" in row:
        return target.ports.get(row["namedPort"]) == (protocol, port)
    if "portNumber" in row:
        return (row["portNumber"].get("protocol") or "TCP", row["portNumber"]["port"]) == (protocol, port)
    span = row["portRange"]
    return (span.get("protocol") or "TCP") == protocol and span["start"] <= port <= span["end"]
