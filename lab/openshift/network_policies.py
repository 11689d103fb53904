"""Which connections a pod's NetworkPolicies admit, after Kubernetes' API reference and its page about them
(https://kubernetes.io/docs/concepts/services-networking/network-policies/), and OVN-Kubernetes where it differs:
a port that is given by name opens every port of the protocol (go-controller/pkg/ovn/gress_policy.go, addPortPolicy).

Those of administrators come before and after them: `admin_policies`. Not here: that a node's own host always reaches
the pods that run on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Any

from podwright.lab.openshift.selectors import matches

Labels = Mapping[str, str]
Object = Mapping[str, Any]
INGRESS, EGRESS = "ingress", "egress"
PEERS = {INGRESS: "from", EGRESS: "to"}
"""The key of a rule's peers, by direction."""


@dataclass(frozen=True)
class Peer:
    """One end of a connection."""

    namespace: str
    namespace_labels: Labels = field(default_factory=dict)
    pod_labels: Labels | None = None
    """None: a host. OVN-Kubernetes has hosts in a namespace of their own, in which no pod is."""
    address: str = ""
    node_labels: Labels = field(default_factory=dict)
    """Of a host: its node's."""
    ports: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Protocol and number of a pod's ports that have a name."""
    meshed: bool = False
    """A pod that the service mesh has taken in."""


def verdict(
    policies: Iterable[Object], direction: str, subject: Peer, peer: Peer, port: int, protocol: str
) -> bool | None:
    """What the policies of a pod's namespace say of a connection in or out; None where none is for the pod."""
    own = [
        each
        for each in policies
        if subject.pod_labels is not None
        and each["metadata"]["namespace"] == subject.namespace
        and direction in _types(each["spec"])
        and matches(each["spec"].get("podSelector") or {}, subject.pod_labels)
    ]
    if not own:
        return None
    return any(
        _peers(rule.get(PEERS[direction]), subject.namespace, peer) and _at(rule, port, protocol)
        for each in own
        for rule in each["spec"].get(direction) or []
    )


def _types(spec: Object) -> list[str]:
    """Without types a policy is for ingress, and for egress too if it has such rules."""
    given = spec.get("policyTypes") or ["Ingress", *(["Egress"] if spec.get("egress") else [])]
    return [each.lower() for each in given]


def _peers(entries: list[Object] | None, namespace: str, peer: Peer) -> bool:
    """One entry of the list is enough; none at all is everybody."""
    return not entries or any(_is(entry, namespace, peer) for entry in entries)


def _is(entry: Object, namespace: str, peer: Peer) -> bool:
    """Selectors of one entry hold together; a selector of pods alone is for those of the policy's own namespace."""
    if "ipBlock" in entry:
        block = entry["ipBlock"]
        return inside(peer.address, block["cidr"]) and not any(
            inside(peer.address, each) for each in block.get("except") or []
        )
    if "namespaceSelector" in entry:
        if not matches(entry["namespaceSelector"] or {}, peer.namespace_labels):
            return False
    elif peer.namespace != namespace:
        return False
    if "podSelector" not in entry:
        return True
    return peer.pod_labels is not None and matches(entry["podSelector"] or {}, peer.pod_labels)


def inside(address: str, network: str) -> bool:
    """Whether an address, where there is one, is of a network."""
    return bool(address) and ip_address(address) in ip_network(network, strict=False)


def _at(rule: Object, port: int, protocol: str) -> bool:
    rows = rule.get("ports") or []
    return not rows or any(_opens(row, port, protocol) for row in rows)


def _opens(row: Object, port: int, protocol: str) -> bool:
    if (row.get("protocol") or "TCP") != protocol:
        return False
    wanted = row.get("port")
    if wanted is None or isinstance(wanted, str):
        return True  # of a name OVN-Kubernetes makes 0, which is every port
    return int(wanted) <= port <= int(row.get("endPort") or wanted)
