"""What is defined about the service mesh: whose pods speak TLS with a certificate at both ends."""

from typing import Final

from podwright.components.model.types import Name, Spec

ISTIOD, CNI, ZTUNNEL = "istio-system", "istio-cni", "ztunnel"
"""Namespaces of the control plane, of what takes pods in, and of the proxies of nodes: Red Hat's own names."""
NAMESPACES: Final = (ISTIOD, CNI, ZTUNNEL)
TUNNEL: Final = 15008
"""TCP port at which a pod of the mesh takes everything that comes from another one (HBONE)."""
RESERVED: Final = (15001, 15006, TUNNEL, 15053, 15080)
"""Ports that the proxy has inside every pod of the mesh (istio/ztunnel, ARCHITECTURE.md)."""
WHOLE: Final = "default"
"""Name of a team's PeerAuthentication for all of its namespace; those for single ports are called as their service."""


class ServiceMesh(Spec):
    """Red Hat OpenShift Service Mesh 3 in ambient mode: a proxy on each node, none in any pod.

    Connections between pods of teams in the mesh are mutual TLS, by certificates that the mesh makes and renews.
    Routers, the inference gateway and Prometheus are not in it: they reach the ports that they have to, in the clear.
    Training jobs are not in it either. OVN-Kubernetes is set to route by the host, without which kubelet's probes do
    not reach pods of a mesh.
    """

    teams: tuple[Name, ...] = ()
    """Teams whose pods are in the mesh, training aside: [chat]. Empty: it is installed, and nobody is in it."""
