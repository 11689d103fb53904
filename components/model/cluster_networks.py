"""Networks that exist inside the cluster alone: those of pods and services."""

from ipaddress import IPv4Network
from typing import Annotated

from pydantic import Field

from podwright.components.model.types import Spec


class ClusterNetworks(Spec):
    """Addresses of pods and services. A cluster keeps what it is installed with.

    The defaults are the installer's:
    https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/installing_an_on-premise_cluster_with_the_agent-based_installer/installation-config-parameters-agent
    """

    cluster: IPv4Network = IPv4Network("10.128.0.0/14")
    """Network of the pods; every node has one subnet of it."""
    host_prefix: Annotated[int, Field(ge=8, le=30)] = 23
    """Prefix length of a node's subnet: 23 leaves a node 510 addresses, and 10.128.0.0/14 room for 512 nodes."""
    service: IPv4Network = IPv4Network("172.30.0.0/16")
    """Network of the services' virtual addresses."""
    max_nodes: Annotated[int, Field(ge=3, le=2000)] | None = None
    """Nodes that the cluster may grow to; its networks must have room for them. None: the servers of this file."""
