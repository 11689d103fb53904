"""What one component hands to another: plain values that decide what the other one makes."""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Literal

from pydantic import Field

from podwright.components.model.lossless import Lossless
from podwright.components.model.types import Spec

Attachments = Literal["group", "rail", "fabric"]
"""What one attachment of a pod to a rail serves. group: a leaf group. rail: every leaf group, where host ports route.
fabric: and a job may take servers of several, which reach each other."""


class RailNics(Spec):
    """The NICs of one rail on the servers of a pool: alike ones are listed once."""

    rail: int
    """Number of the rail."""
    device: str
    """PCI device id, four hexadecimal digits."""
    pci: tuple[str, ...]
    """PCI addresses, one for each model of server."""


class RailPool(Spec):
    """What a node pool's servers offer to jobs."""

    name: str
    """Name of the pool."""
    nodes: tuple[str, ...]
    """Host names, sorted."""
    groups: tuple[int, ...] = ()
    """Leaf groups that the servers are cabled to."""
    whole_gpus: int = 0
    """GPUs that each node offers undivided, at least; 0 where they are divided or shared."""
    products: tuple[str, ...] = ()
    """GPU products of the servers."""
    shared_rails: tuple[int, ...] = ()
    """Rails that every server has; none where the pool is not on the backend."""
    nics: tuple[RailNics, ...] = ()
    """NICs by rail; none where the pool is not on the backend."""
    addresses: dict[str, dict[int, str]] = {}
    """By host name: PCI address of each rail's NIC."""
    max_unavailable: int = 1
    """Nodes that may be away at once."""
    pause: bool = False
    """No further node is to be drained."""
    soak_seconds: int = 0
    """How long the first node of a roll-out is watched."""
    gpu_driver: str | None = None
    """NVIDIA's driver on its nodes where it is another one than the cluster's."""
    despite: tuple[str, ...] = ()
    """ClusterOperators that may be degraded while nodes are taken."""
    stall_minutes: int | None = None
    """Minutes without any change after which nobody waits for the pool any longer. None: the resource's own number."""
    admission: Annotated[bool, Field(exclude_if=lambda wanted: not wanted)] = False
    """Its nodes take no workload before checks of their own have passed."""


class RailNetwork(Spec):
    """One rail of one leaf group: the subnet that all its servers' NICs of that number share."""

    group: int
    """Leaf group."""
    rail: int
    """Number of the rail."""
    leaf: str
    """Leaf that carries it."""
    subnet: IPv4Network
    """Addresses of servers (the lower half, by index) and of pods."""
    gateway: IPv4Address
    """The leaf's address: the way to the same rail of other groups."""
    highest_index: int
    """Highest index of a server of the group: addresses up to it are not given to pods."""
    hosts: dict[str, IPv4Network] = {}
    """Where host ports route: each server's own link by host name, the leaf's address first. Else none."""


class RailNetworks(Spec):
    """Every rail of a fabric, and what pods on them must be set to."""

    rails: tuple[RailNetwork, ...] = ()
    """Rails by leaf group and number."""
    reach: IPv4Network
    """Network that all rails are part of."""
    mtu: int
    """MTU of NICs and pods, in bytes."""
    routed: bool = False
    """Host ports route: a pod has the address of its node's link, so one attachment per rail serves all leaf groups."""


class PathPort(Spec):
    """Where one server NIC is cabled."""

    server: str
    """Host name."""
    index: int
    """Its index within the leaf group."""
    group: int
    """Leaf group."""
    rail: int
    """Number of the rail."""
    leaf: str
    """Leaf it is cabled to."""
    port: str
    """Port of the leaf."""
    gbps: int
    """Speed of the link in Gb/s."""


class PathUplink(Spec):
    """One link between a leaf and a spine."""

    leaf: str
    """The leaf."""
    leaf_port: str
    """Its port."""
    spine: str
    """The spine."""
    spine_port: str
    """Its port."""


class FabricPaths(Spec):
    """Every path that RoCE can take through a fabric: what an acceptance test is made of."""

    networks: RailNetworks
    """The rails."""
    ports: tuple[PathPort, ...] = ()
    """Server NICs by host name and rail."""
    uplinks: tuple[PathUplink, ...] = ()
    """Links between leaves and spines."""
    tenants: dict[str, str] = {}
    """Tenant by leaf; leaves without one reach each other."""
    switches: dict[str, str] = {}
    """Management address of each switch with the lossless class."""
    user: str
    """Switch user."""
    credential: str
    """Name of the secret that holds the switch password."""
    lossless: Lossless
    """The lossless class; NICs and NCCL take their values from it."""

    def between(self, nodes: Mapping[str, str]) -> "FabricPaths":
        """The same paths between nodes: `nodes` has the name of each server's, for those that it is another one."""
        ports = (each.model_copy(update={"server": nodes.get(each.server, each.server)}) for each in self.ports)
        networks = self.networks.model_copy(
            update={"rails": tuple(_renamed(each, nodes) for each in self.networks.rails)}
        )
        return self.model_copy(update={"ports": tuple(ports), "networks": networks})


def _renamed(rail: RailNetwork, nodes: Mapping[str, str]) -> RailNetwork:
    return rail.model_copy(update={"hosts": {nodes.get(name, name): link for name, link in rail.hosts.items()}})
