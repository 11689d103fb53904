"""Addresses of pods where host ports route: each node's are those of its own links, by NVIDIA's IPAM plugin.

A CIDRPool divides one network into parts of one size and gives one to each node. Which part is a node's follows from
the leaf port that it is cabled to, so every one is a static allocation, and no node that has none is selected: it would
be given the first free part, which leads to another server (Mellanox/nvidia-k8s-ipam v0.4.0).
"""

from collections.abc import Iterable, Iterator
from typing import Any

from podwright.components.design.platform.names import Manifest
from podwright.components.model import RailNetworks, RailPool
from podwright.components.model.catalogue import ReleaseSet

API = "nv-ipam.nvidia.com/v1alpha1"
LINK = 31
"""Prefix length of a routed port: the leaf has the first address, a pod the second."""


def section(release: ReleaseSet) -> dict[str, Any]:
    """`nvIpam` of the NicClusterPolicy. Without its webhook, as in NVIDIA's example for OpenShift: a pool that it would
    refuse gets an event and no allocations.
    """
    return {
        "image": "nvidia-k8s-ipam",
        "repository": "nvcr.io/nvidia/mellanox",
        "version": release.nv_ipam,
        "enableWebhook": False,
    }


def ipam(rail: int) -> dict[str, Any]:
    """What a rail's attachment gives pods addresses by."""
    return {"type": "nv-ipam", "poolName": f"rail{rail}", "poolType": "cidrpool"}


def pools(release: ReleaseSet, rail_pools: Iterable[RailPool], networks: RailNetworks) -> Iterator[Manifest]:
    """A CIDRPool per rail, for the nodes of `rail_pools`; it counts in the operator's own namespace alone."""
    nodes = {node for pool in rail_pools for node in pool.nodes}
    for number in sorted({rail.rail for rail in networks.rails}):
        links = {
            node: link
            for rail in networks.rails
            if rail.rail == number
            for node, link in rail.hosts.items()
            if node in nodes
        }
        if links:
            yield {
                "apiVersion": API,
                "kind": "CIDRPool",
                "metadata": {"name": f"rail{number}", "namespace": release.network.namespace},
                "spec": {
                    "cidr": str(networks.reach),
                    "perNodeNetworkPrefix": LINK,
                    "gatewayIndex": 0,
                    "routes": [{"dst": str(networks.reach)}],
                    "staticAllocations": [
                        {"nodeName": node, "prefix": str(link)} for node, link in sorted(links.items())
                    ],
                    "nodeSelector": {"nodeSelectorTerms": [_named(node) for node in sorted(links)]},
                },
            }


def _named(node: str) -> dict[str, Any]:
    """A field takes one name, and a node one of the terms."""
    return {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
