"""What is defined about a pair of leaves with vPC: the frontend and the storage fabric are one each."""

from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Literal

from pydantic import Field

from podwright.components.model.lossless import PairLossless
from podwright.components.model.switch import Switch
from podwright.components.model.types import Derived, LaneGbps, Name, Port, Spec, VlanId, Words

Far = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9/._-]{0,39}$"),
    Words("a port name such as Ethernet1/1 or e0a"),
]
"""Name of a port at the other end, in that device's own words."""


class Backup(Spec):
    """A routed path between the two peers over their peer link: a peer that loses its own way out goes by the other.

    Both peers forward what hosts send to the gateway. Without this path, what comes to a peer that has no way to a
    network is dropped there, although the other peer has one.
    """

    vlan: VlanId = 3900
    """VLAN of the path, on the peer link alone."""
    subnet: Annotated[IPv4Network, Words("a network of at least four addresses such as 10.255.0.8/30")] = IPv4Network(
        "10.255.255.252/30"
    )
    """Its subnet, which only the two peers know. They take its first two host addresses, and speak BGP with each other,
    each with its own ASN."""


class Vpc(Spec):
    """The pair's vPC domain. The keepalive runs between the two peers' mgmt0 in VRF management."""

    domain: Annotated[int, Field(ge=1, le=1000)]
    """vPC domain id."""
    peer_link: Annotated[tuple[Port, ...], Field(min_length=2)]
    """Ports of the peer link, the same on both peers."""
    backup: Backup | None = None
    """Routed path between the peers. Null: none; a peer that loses its border link drops what hashes to it."""


class PairLeaf(Switch):
    """A leaf of a vPC pair."""


class HostPort(Spec):
    """One host-facing port channel of a pair, the same port on both peers."""

    port: Annotated[Port, Derived("Ethernet1/ and the number its name ends in")]
    """Port on each peer."""
    gbps: LaneGbps | None = None
    """Speed of a port that is broken out, such as 100 for Ethernet1/29/2: it decides the breakout. Null: a whole port.
    """
    channel: Annotated[int, Field(ge=1, le=4096), Derived("100 and the number its name ends in")]
    """Port-channel and vPC number."""
    device: Annotated[Name, Derived("the name of this entry")]
    """Server, Fabric Interconnect or array at the other end."""
    vlans: Annotated[tuple[VlanId, ...], Field(min_length=1)]
    """VLANs carried; the first one is untagged."""
    boots: bool = False
    """The host boots over this link: LACP must not hold a port down before the host speaks it."""


class RoutedPort(Spec):
    """One routed port of one peer: the way out to a border router, or a host that routes instead of bonding."""

    leaf: Annotated[Name, Derived("the peer whose name ends in the same number")]
    """Peer the port is on."""
    port: Port
    """Port on that peer."""
    gbps: LaneGbps | None = None
    """Speed of a port that is broken out; null: a whole port."""
    device: Annotated[Name, Derived("the name of this entry")]
    """Router or host at the other end."""
    device_port: Far
    """Its port there."""
    address: IPv4Address
    """The switch's address on the link."""
    next_hop: Annotated[IPv4Address, Derived("the other address of a /31")]
    """The other end's address on the link."""
    prefix: Annotated[int, Field(ge=24, le=31)] = 31
    """Prefix length of the link."""
    routes: tuple[IPv4Network, ...] = ()
    """Networks behind the other end, static routes by `next_hop`; 0.0.0.0/0 for a border exit."""


class PairVlan(Spec):
    """A VLAN of a pair with its gateway."""

    id: VlanId
    """VLAN id."""
    subnet: Annotated[IPv4Network, Derived("the machine network, where its purpose is machine")]
    """Subnet; the two peers take the first two host addresses after the gateway."""
    purpose: Annotated[Literal["machine", "storage", "services"], Derived("its name, where that is one of these")]
    """What lives there; `machine`, the servers' own network, is on the frontend pair only."""
    hosts: bool = False
    """Servers that the pair brings this VLAN to are installed with an interface on it: tagged, or untagged where it is
    the first of a port. Its address has the host number of the server's address on the machine network: nothing else
    may use those. On the storage pair, servers with `storage_macs`. False: none."""


class Pair(Spec):
    """Two leaves with vPC for traffic that is not RoCE between GPUs: management, services, storage."""

    leaves: Annotated[dict[Name, PairLeaf], Field(min_length=2, max_length=2)]
    """The two vPC peers by hostname."""
    vpc: Vpc
    """Their vPC domain."""
    vlans: dict[Name, PairVlan]
    """VLANs by name."""
    ports: dict[Name, HostPort] = {}
    """Host ports by name."""
    routed: dict[Name, RoutedPort] = {}
    """Routed ports by name: border exits, hosts that route."""
    lossless: PairLossless | None = None
    """Lossless class of the pair, such as for storage over RoCE. Null: none, every packet is best effort."""
