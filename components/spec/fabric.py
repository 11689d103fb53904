"""What is said about the network: switches, one lossless class, address pools."""

from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Literal

from pydantic import Field

from components.spec.cables import Cables
from components.spec.types import Asn, Cos, Dscp, Name, Port, Release, SecretName, Serial, Spec, Switched, VlanId


class Switch(Spec):
    """One Nexus switch; its key in the map is its hostname."""

    model: str
    """Product id as in the catalogue, for example N9K-C9364D-GX2A."""
    index: Annotated[int, Field(ge=1, le=63)]
    """Fixed number of this switch in its role. Addresses and ports follow from it: never reuse or renumber."""
    management: IPv4Address
    """Address of mgmt0."""
    asn: Asn
    """BGP autonomous system number: one per leaf, one shared by all spines."""
    rack: Name
    """Rack it is mounted in; a key of `site.racks`."""
    serial: Serial | None = None
    """Chassis serial number; checked against the switch where given."""
    adopt: bool = False
    """Take over configuration blocks of the same name that already stand on the switch."""


class Spine(Switch):
    """A spine of the backend fabric."""


class Leaf(Switch):
    """A leaf of the backend fabric."""

    rails: Annotated[tuple[Annotated[int, Field(ge=0, le=15)], ...], Field(min_length=1, max_length=16)]
    """Rails whose host ports this leaf carries. One rail: rail-optimised; all rails: top-of-rack."""
    group: Annotated[int, Field(ge=1, le=63)] = 1
    """Leaf group: the leaves that together carry all rails of one set of servers."""


class Ecn(Spec):
    """WRED thresholds of the lossless queue, absolute bytes per queue (never percent)."""

    min_kbytes: Annotated[int, Field(ge=1, le=52000)] = 950
    """Marking starts here (950: Cisco's 400G AI pod lab)."""
    max_kbytes: Annotated[int, Field(ge=1, le=52000)] = 3000
    """Every packet is marked above this (3000: same source)."""
    probability: Annotated[int, Field(ge=1, le=100)] = 7
    """Marking probability in percent at the maximum threshold (7: same source)."""


class Lossless(Spec):
    """The one lossless class: switch, server NIC, pod and NCCL all take their values from here."""

    dscp: Dscp = 26
    """DSCP of RoCEv2 packets (26, AF31)."""
    priority: Cos = 3
    """PFC priority and qos-group. NICs map DSCP 24-31 to 3."""
    cnp_dscp: Dscp = 48
    """DSCP of congestion notification packets (48, CS6)."""
    mtu: Annotated[int, Field(ge=1500, le=9216)] = 9216
    """MTU of every switch port and of the network-qos class, in bytes."""
    host_mtu: Annotated[int, Field(ge=1500, le=9000)] = 9000
    """MTU of server NICs and pods, in bytes; below the switch MTU."""
    pfc: Switched = "on"
    """Priority flow control on every port of the class."""
    watchdog: Switched = "on"
    """PFC watchdog, globally and per port."""
    ecn: Ecn | None = Ecn()
    """ECN marking on the lossless queue; null leaves the queue unmarked."""
    bandwidth_percent: Annotated[int, Field(ge=1, le=99)] = 50
    """Share of the bandwidth that remains after the CNP queue; the default class has the rest."""


class Addressing(Spec):
    """Address pools. Every address follows from an index, so inserting a device never renumbers another."""

    loopbacks: IPv4Network
    """Router ids: spine index n takes address n, leaf index n takes address 64 + n. At least a /25."""
    links: IPv4Network
    """Numbered /31 links between leaves and spines. At least a /16."""
    hosts: IPv4Network
    """Rail subnets: one /24 for each leaf and rail. At least a /17."""


class Vpc(Spec):
    """The pair's vPC domain. The keepalive runs between the two peers' mgmt0 in VRF management."""

    domain: Annotated[int, Field(ge=1, le=1000)]
    """vPC domain id."""
    peer_link: Annotated[tuple[Port, ...], Field(min_length=2)]
    """Ports of the peer link, the same on both peers."""


class FrontendLeaf(Switch):
    """A leaf of the frontend pair."""


class HostPort(Spec):
    """One host-facing port channel of the frontend pair, the same port on both peers."""

    port: Port
    """Port on each peer."""
    channel: Annotated[int, Field(ge=1, le=4096)]
    """Port-channel and vPC number."""
    device: Name
    """Server, Fabric Interconnect or array at the other end."""
    vlans: Annotated[tuple[VlanId, ...], Field(min_length=1)]
    """VLANs carried; the first one is untagged."""
    boots: bool = False
    """The host boots over this link: LACP must not hold a port down before the host speaks it."""


class FrontendVlan(Spec):
    """A VLAN of the frontend pair with its gateway."""

    id: VlanId
    """VLAN id."""
    subnet: IPv4Network
    """Subnet; the two peers take the first two host addresses after the gateway."""
    purpose: Literal["machine", "storage", "services"]
    """What lives there."""


class Frontend(Spec):
    """Leaf pair for management, storage and service traffic; never RoCE between GPUs."""

    leaves: Annotated[dict[Name, FrontendLeaf], Field(min_length=2, max_length=2)]
    """The two vPC peers by hostname."""
    vpc: Vpc
    """Their vPC domain."""
    vlans: dict[Name, FrontendVlan]
    """VLANs by name."""
    ports: dict[Name, HostPort] = {}
    """Host ports by name."""


class Fabric(Spec):
    """The backend RoCE fabric and, where there is one, the frontend pair."""

    release: Release
    """NX-OS release every switch runs, as `show version` prints it: 10.4(5)."""
    credential: SecretName
    """Secret that holds the switch password."""
    user: Name = "admin"
    """Switch user."""
    generation: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """Raise it when the password behind the secret was rotated."""
    addressing: Addressing
    """Address pools of the backend."""
    links_per_pair: Annotated[int, Field(ge=1, le=32)]
    """Links between each leaf and each spine."""
    lossless: Lossless = Lossless()
    """The lossless class."""
    spines: Annotated[dict[Name, Spine], Field(min_length=1)]
    """Spines by hostname."""
    leaves: Annotated[dict[Name, Leaf], Field(min_length=1)]
    """Leaves by hostname."""
    frontend: Frontend | None = None
    """The frontend pair."""
    stack: str | None = None
    """Take the fabric from another stack of this organisation instead of building it here."""
    bfd_interval_ms: Annotated[int, Field(ge=50, le=999)] = 100
    """BFD transmit and receive interval; three missed packets take a neighbour down."""
    cables: Cables | None = None
    """Lengths of the cables and what plugs in. None: neither is checked."""
    extra: dict[Name, dict[str, str]] = {}
    """Raw blocks by hostname, then top-level line, then child lines. Owned, diffed and judged like ours."""
