"""What a pod in the mesh takes: everything through the tunnel, in the clear what PeerAuthentications leave open.

After istio/istio, pilot/pkg/serviceregistry/kube/controller/ambient (the mode of a port, of the pod, of the namespace,
of istio-system, in that order; of two for one pod the older one) and istio/ztunnel, src/proxy/inbound_passthrough.rs.
AuthorizationPolicies are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podwright.lab.openshift.admin_policies import Policies
from podwright.lab.openshift.network_policies import Peer
from podwright.lab.openshift.selectors import matches

Object = Mapping[str, Any]
ROOT = "istio-system"
TUNNEL = 15008


@dataclass
class Mesh:
    """What istiod tells proxies."""

    peers: Callable[[], Sequence[Object]] = list
    """PeerAuthentications of namespaces that it knows."""

    def takes(self, target: Peer, port: int) -> bool:
        """Whether a pod in the mesh takes a connection without a certificate."""
        return next(self._modes(target, port), "PERMISSIVE") != "STRICT"

    def _modes(self, target: Peer, port: int) -> Iterator[str]:
        rows = sorted(self.peers(), key=lambda each: str(each["metadata"].get("creationTimestamp", "")))
        own = [each for each in rows if each["metadata"]["namespace"] == target.namespace]
        labels = target.pod_labels or {}
        chosen = [each["spec"] for each in own if _selected(each) and matches(each["spec"]["selector"], labels)]
        for spec in chosen[:1]:
            yield from _said((spec.get("portLevelMtls") or {}).get(str(port)))
            yield from _said(spec.get("mtls"))
        root = [each for each in rows if each["metadata"]["namespace"] == ROOT]
        for group in (own, root):
            for each in [each for each in group if not _selected(each)][:1]:
                yield from _said((each.get("spec") or {}).get("mtls"))


@dataclass(frozen=True)
class Ways:
    """Network policies and the mesh behind them."""

    policies: Policies
    mesh: Mesh

    def connects(self, source: Peer, target: Peer, port: int, protocol: str = "TCP") -> bool:
        """Whether a connection comes about: the network sees that to the tunnel, where both are in the mesh."""
        if protocol != "TCP" or not target.meshed:
            return self.policies.connects(source, target, port, protocol)
        at = TUNNEL if source.meshed else port
        return self.policies.connects(source, target, at) and self._taken(source, target, port)

    def enters(self, source: Peer, target: Peer, port: int, protocol: str = "TCP") -> bool:
        """Whether `target` takes a connection that is on its way."""
        if protocol != "TCP" or not target.meshed:
            return self.policies.enters(source, target, port, protocol)
        at = TUNNEL if source.meshed else port
        return self.policies.enters(source, target, at) and self._taken(source, target, port)

    def _taken(self, source: Peer, target: Peer, port: int) -> bool:
        return source.meshed or self.mesh.takes(target, port)


def _selected(item: Object) -> bool:
    return bool(((item.get("spec") or {}).get("selector") or {}).get("matchLabels"))


def _said(part: Object | None) -> Iterator[str]:
    """A mode; DISABLE is ignored in a tunnel."""
    mode = (part or {}).get("mode", "UNSET")
    if mode in ("STRICT", "PERMISSIVE"):
        yield mode
