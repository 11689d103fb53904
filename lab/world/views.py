"""What the world sees of a switch: its live configuration, told port by port."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from typing import Protocol


@lru_cache(maxsize=65536)
def interface(text: str) -> IPv4Interface | IPv6Interface:
    """A parsed "address/length" (or bare address); parsing costs more than anything else in a route calculation."""
    return ip_interface(text)


@dataclass(frozen=True)
class PortView:
    """One switch port as configured now. Speed in Gb/s, sizes in bytes.

    `no_drop` is what the attached network-qos policy pauses; it acts only with `pfc_mode` on.
    `dscp_groups` maps DSCP to qos-group for packets entering here, `ecn` maps the qos-group leaving here to
    (minimum, maximum) marking thresholds, `group_mtu` the largest frame of a class.
    """

    name: str
    exists: bool = True
    admin_up: bool = False
    speed: int = 0
    mtu: int = 1500
    pfc_mode: str = "auto"
    no_drop: Mapping[int, int] = field(default_factory=dict)
    """qos-group -> priority it pauses."""
    dscp_groups: Mapping[int, int] = field(default_factory=dict)
    ecn: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    group_mtu: Mapping[int, int] = field(default_factory=dict)
    watchdog_on: bool = False
    routed: bool = False
    vlan: int | None = None
    trunk_vlans: frozenset[int] = frozenset()
    networks: tuple[str, ...] = ()
    """Addresses with prefix length on this interface, or on the SVI of its access VLAN."""
    vrf: str = "default"
    """VRF of that interface, or of that SVI."""
    svi_mtu: int | None = None
    """MTU of that SVI: it bounds what is routed out through it."""
    suspended: bool = False
    """A member of a port-channel that passes nothing: its far end speaks no LACP."""
    vlan_exists: bool = True
    """False when the access VLAN is not in the VLAN database: the port then forwards nothing."""

    @property
    def pfc_on(self) -> bool:
        """True when the port sends and honours pause whatever the neighbour advertises."""
        return self.pfc_mode == "on"

    @property
    def pfc_priorities(self) -> frozenset[int]:
        """No-drop priorities in force on this port."""
        return frozenset(self.no_drop.values()) if self.pfc_on else frozenset()

    def classify(self, dscp: int) -> int:
        """The qos-group that a packet with this DSCP gets on entry."""
        return self.dscp_groups.get(dscp, 0)


@dataclass(frozen=True)
class BgpNeighbor:
    """One configured neighbour: an address, or an interface name for unnumbered peering."""

    peer: str
    remote_as: int
    bfd: bool = False
    ipv4: bool = True
    evpn: bool = False
    source: str = ""
    """Interface whose address the session comes from (`update-source`); the one towards the neighbour if empty."""
    allowas_in: bool = False
    peer_as_check: bool = True
    shutdown: bool = False
    ttl_hops: int = 0
    """Hops from which its packets may come at most (`ttl-security`); 0: not checked, and sent for one hop only."""
    password: str = ""
    """What both ends must have alike; empty: none."""


@dataclass(frozen=True)
class RoutingView:
    """Routing configuration that adjacency and reachability are derived from.

    `addresses` maps interface to its address with prefix length; `link_local` are unnumbered interfaces;
    `advertised` are prefixes the switch originates; `ospf` maps interface to area, where a process of that name runs.
    """

    asn: int | None = None
    router_id: str = ""
    neighbors: tuple[BgpNeighbor, ...] = ()
    addresses: Mapping[str, str] = field(default_factory=dict)
    link_local: frozenset[str] = frozenset()
    advertised: frozenset[str] = frozenset()
    ospf: Mapping[str, str] = field(default_factory=dict)
    ospf_kind: Mapping[str, str] = field(default_factory=dict)
    """Interface to its network type; absent is broadcast."""
    ospf_passive: frozenset[str] = frozenset()
    """Interfaces whose subnet OSPF announces, without speaking to anybody there."""
    ospf_id: str = ""
    max_paths: int = 1
    relax: bool = False
    """Paths of equal length but different AS numbers count as equal (`bestpath as-path multipath-relax`)."""
    bfd_interfaces: frozenset[str] = frozenset()
    bgp_transit: bool = True
    """False while BGP is isolated: what was learned is not passed on, what is its own still is."""
    ospf_transit: bool = True
    ospf_bfd: bool = False
    """The process asks for BFD on its interfaces."""
    vrfs: Mapping[str, RoutingView] = field(default_factory=dict)
    """The same of every VRF with interfaces of its own; this one is the default VRF's."""

    def of(self, port: str) -> RoutingView:
        """The VRF that an interface is in; the default one for an interface without address."""
        return next((v for v in self.vrfs.values() if port in v.addresses or port in v.link_local), self)


class SwitchView(Protocol):
    """The NX-OS side attaches one of these per switch; the world asks it on every calculation."""

    @property
    def alive(self) -> bool:
        """False while the switch has no power or reloads."""
        ...

    def ports(self) -> list[str]:
        """Names of the physical ports of the model, in order."""
        ...

    def port(self, name: str) -> PortView:
        """One port as configured now; `exists` is False for a name the model does not have."""
        ...

    def admin_up(self, name: str) -> bool:
        """True when the port exists and nobody shut it down."""
        ...

    def routing(self) -> RoutingView:
        """Routing configuration as it stands now."""
        ...
