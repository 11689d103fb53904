"""A team in the service mesh: its label, who may come in in the clear and where, and the one port of everything else.

What is built on (istio/istio.io, content/en/docs/ambient/usage; istio/istio, architecture/ambient; istio/ztunnel,
ARCHITECTURE.md and src/proxy): between two pods of the mesh the network sees TCP 15008 from pod to pod, whatever port
they speak to, so that NetworkPolicies still tell namespaces apart by it, and ports no longer. Policies are enforced
before a packet is in the pod, the mesh's own behind that. Kubelet's probes come from 169.254.7.127, pass the proxy by,
and are closed out by NetworkPolicies that do not name that address. STRICT refuses what comes without a certificate,
`portLevelMtls` opens a port of selected pods to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from podwright.components.design.platform.names import MESH_LABEL, OUTSIDE, Manifest
from podwright.components.model.service_mesh import TUNNEL, WHOLE

PROBES: Final = "169.254.7.127/32"
"""Where kubelet's probes of pods in the mesh come from: istio-cni's own default."""
IN_MESH: Final[Manifest] = {"matchExpressions": [{"key": MESH_LABEL, "operator": "NotIn", "values": [OUTSIDE]}]}
NOT_IN_MESH: Final[Manifest] = {"matchLabels": {MESH_LABEL: OUTSIDE}}
_PORT: Final = [{"protocol": "TCP", "port": TUNNEL}]
_SECURITY: Final = "security.istio.io/v1"


def strict(namespace: str) -> Manifest:
    """Nothing comes in without a certificate of the mesh, to any pod in it."""
    meta = {"name": WHOLE, "namespace": namespace}
    return {
        "apiVersion": _SECURITY,
        "kind": "PeerAuthentication",
        "metadata": meta,
        "spec": {"mtls": {"mode": "STRICT"}},
    }


def opened(namespace: str, clear: Mapping[str, Sequence[int]]) -> Iterator[Manifest]:
    """By name of the pods, the ports where those who are not in the mesh may come in: NetworkPolicies say who."""
    for name, ports in clear.items():
        yield {
            "apiVersion": _SECURITY,
            "kind": "PeerAuthentication",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {
                "selector": {"matchLabels": {"app.kubernetes.io/name": name}},
                "mtls": {"mode": "STRICT"},
                "portLevelMtls": {str(port): {"mode": "PERMISSIVE"} for port in ports},
            },
        }


def ways(peers: Sequence[Manifest]) -> Iterator[tuple[str, dict[str, Any]]]:
    """From `peers` at any port, as two policies: what the name ends with, and the spec without its types.

    To pods in the mesh by the tunnel alone: at a port that is open in the clear, nobody else gets in so.
    """
    yield "", {"podSelector": IN_MESH, "ingress": [{"from": [*peers], "ports": _PORT}]}
    yield "-outside", {"podSelector": NOT_IN_MESH, "ingress": [{"from": [*peers]}]}


def probed() -> dict[str, Any]:
    """Spec of what lets kubelet's probes in."""
    return {"policyTypes": ["Ingress"], "ingress": [{"from": [{"ipBlock": {"cidr": PROBES}}]}]}
