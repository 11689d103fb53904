"""What is defined about the network: backend switches, address pools, the fabrics of a cluster."""

from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Literal

from pydantic import Field

from podwright.components.model.baseline import Baseline, Day0, Dlb
from podwright.components.model.cables import Cables
from podwright.components.model.handover import Attachments
from podwright.components.model.lossless import Lossless
from podwright.components.model.pair import Pair
from podwright.components.model.rollout import Rollout
from podwright.components.model.survive import Survive
from podwright.components.model.switch import Switch
from podwright.components.model.tenancy import Tenancy
from podwright.components.model.types import Alone, Asn, Name, Release, SecretName, Spec, StackPath, Switched
from podwright.components.model.underlay import NumberedBgp, Underlay


class Spine(Switch):
    """A spine of the backend fabric."""


class Leaf(Switch):
    """A leaf of the backend fabric."""

    rails: Annotated[tuple[Annotated[int, Field(ge=0, le=15)], ...], Field(min_length=1, max_length=16)]
    """Rails whose host ports this leaf carries. One rail: rail-optimised; all rails: top-of-rack."""
    group: Annotated[int, Field(ge=1, le=63)] = 1
    """Leaf group: the leaves that together carry all rails of one set of servers."""


class Addressing(Spec):
    """Address pools. Every address follows from an index, so inserting a device never renumbers another."""

    loopbacks: IPv4Network = IPv4Network("10.0.0.0/24")
    """Router ids: spine index n takes address n, leaf index n takes address 64 + n. At least a /25."""
    links: IPv4Network = IPv4Network("10.1.0.0/16")
    """Numbered /31 links between leaves and spines. At least a /16."""
    hosts: IPv4Network = IPv4Network("10.64.0.0/16")
    """Rail subnets: one /24 for each leaf and rail. At least a /17."""


class AsnPlan(Spec):
    """AS numbers, written once. A leaf's is its plane's base and the number its name ends in: leaf-07 has 64607."""

    spines: Asn = 65001
    """All spines share it. Above OSPF the leaves do too."""
    leaves: Annotated[Asn, Field(le=4294967000)] = 64600
    """Base of the backend's leaves."""
    frontend: Annotated[Asn, Field(le=4294967000)] = 64900
    """Base of the frontend pair."""
    storage: Annotated[Asn, Field(le=4294967000)] = 64910
    """Base of the storage pair."""


class Fabric(Spec):
    """The backend RoCE fabric and, where there are any, the frontend and storage pairs."""

    release: Release
    """NX-OS release every switch runs, as `show version` prints it: 10.4(5)."""
    credential: SecretName = "switch-admin"
    """Secret that holds the switch password."""
    user: Name = "admin"
    """Switch user."""
    generation: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """Raise it when the password behind the secret was rotated."""
    addressing: Addressing = Addressing()
    """Address pools of the backend."""
    asn: AsnPlan = AsnPlan()
    """AS numbers of switches that have none of their own written."""
    links_per_pair: Annotated[int, Field(ge=1, le=32)]
    """Links between each leaf and each spine."""
    underlay: Underlay = NumberedBgp()
    """Routing between leaves and spines: ebgp (numbered), ebgp-unnumbered or ospf."""
    tenancy: Tenancy | None = None
    """Tenants of the backend, by VRF or by VXLAN with EVPN. Null: every server reaches every other."""
    lossless: Lossless = Lossless()
    """The lossless class."""
    dlb: Dlb | None = None
    """Dynamic load balancing between leaves and spines. Null: by hash."""
    baseline: Annotated[Baseline, Alone("release")] = Baseline()
    """Settings of every switch that are no traffic's; the release of a set of them may stand alone."""
    day0: Day0 | None = None
    """A new switch's first boot; `podwright explain day0` prints the text. Null: somebody else's."""
    spines: Annotated[dict[Name, Spine], Field(min_length=1)]
    """Spines by hostname."""
    leaves: Annotated[dict[Name, Leaf], Field(min_length=1)]
    """Leaves by hostname."""
    host_ports: Literal["access", "routed"] = "access"
    """Backend ports towards servers. access: a VLAN per rail with its gateway, for pods with addresses of their own.
    routed: a /31 per port, one address per NIC; a pod has that of its node's NIC, so one attachment per rail and
    namespace serves every leaf group, and a job may span them where there are no tenants."""
    host_gbps: Literal[100, 200] | None = None
    """Speed of backend host ports in Gb/s where it is less than the NICs'. Leaf ports are broken out into as many as
    they make of it, and servers take them in turn. Null: the NICs' own speed.
    """
    frontend: Pair | None = None
    """The frontend pair: machine network, services."""
    storage: Pair | None = None
    """A second pair for storage traffic alone. Null: storage VLANs, if any, are on the frontend pair."""
    gateway: IPv4Address | None = None
    """Default gateway of the machine network, which the frontend pair answers for, in a file without `openshift`; with
    one, `openshift.gateway` is. Null: the network's first address."""
    rollout: Rollout | None = None
    """Changes go through the switches in batches with a soak between them. Null: all at once, but never both peers of
    a pair and never all spines."""
    verification: Switched = "on"
    """Every update holds what switches show against the plan. off: for a release whose answers cannot be read; faults
    are then found by the acceptance, or by nobody."""
    settle_seconds: Annotated[int, Field(ge=0, le=3600)] = 180
    """Seconds that ports and sessions may take to come up after a change; what is not as planned then fails the update.
    (180: link training of long optics, then BGP.)"""
    stack: str | None = None
    """Take the fabric from another stack of this organisation instead of building it here."""
    moved_from: StackPath | None = None
    """Stack that the switches' state was moved here from, organization/project/stack, as `podwright move fabric` writes
    it. The mark on each switch that names that stack is replaced by the next update. Null: none."""
    bfd_interval_ms: Annotated[int, Field(ge=50, le=999)] = 100
    """BFD transmit and receive interval; `bfd_multiplier` missed packets take a neighbour down."""
    bfd_multiplier: Annotated[int, Field(ge=3, le=50)] = 3
    """Missed BFD packets after which a neighbour counts as lost: detection takes interval x multiplier."""
    cables: Cables | None = None
    """Lengths of the cables and what plugs in. None: neither is checked."""
    survive: Survive | None = None
    """What any one failure must leave. None: nothing is asked."""
    extra: dict[Name, dict[str, str]] = {}
    """Raw blocks by hostname, then top-level line, then child lines. Owned, diffed and checked like ours. Each line
    begins with a configuration command of its mode, in whole words: no line that a switch would run instead."""

    @property
    def attachments(self) -> Attachments:
        """What one attachment of a pod to a rail serves; tenants do not reach each other, so no job spans them."""
        if self.host_ports == "access":
            return "group"
        return "rail" if self.tenancy is not None else "fabric"

    @property
    def frontend_mtu(self) -> int:
        """MTU of hosts on the frontend pair, in bytes: of its own lossless class, or of the backend's."""
        return self._host_mtu(self.frontend)

    @property
    def storage_mtu(self) -> int:
        """MTU of hosts on the storage pair, in bytes: of its own lossless class, or of the backend's."""
        return self._host_mtu(self.storage)

    def _host_mtu(self, pair: Pair | None) -> int:
        own = pair.lossless if pair is not None else None
        return (own or self.lossless).host_mtu
