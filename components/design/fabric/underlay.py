"""Section `underlay`: loopback and routing between leaves and spines, by the underlay that was chosen.

eBGP, numbered or between interfaces: one autonomous system per leaf, one for all spines. OSPF: one area, loopbacks and
rails; what runs above it (EVPN) is the overlay's.
"""

from ipaddress import IPv4Address

from podwright.components.design.fabric import hardening, tenancy
from podwright.components.design.fabric.model import Config, Uplink
from podwright.components.model import Fabric, Leaf, Ospf, Spine, UnnumberedBgp

LOCAL = "FABRIC_LOCAL"
"""Prefix-list and route-map of what a switch tells its neighbours."""
AREA = IPv4Address(0)
"""One area: two tiers have nothing to summarise."""


def features(fabric: Fabric) -> tuple[str, ...]:
    """Routing features of a backend switch."""
    return ("ospf",) if isinstance(fabric.underlay, Ospf) else ("bgp",)


def hardware_lines(fabric: Fabric) -> Config:
    """What the underlay needs of the forwarding tables; takes effect with the next reload."""
    underlay = fabric.underlay
    if isinstance(underlay, UnnumberedBgp) and underlay.ing_sup is not None:
        return {f"hardware access-list tcam region ing-sup {underlay.ing_sup}": ""}
    return {}


def link(fabric: Fabric, address: IPv4Address) -> list[str]:
    """Lines of a leaf-spine port: BFD's timers, its addresses, OSPF.

    No redirects: BFD echo packets come back to their sender and must not raise any. Between interfaces each port takes
    the link-local address of its own burned-in MAC: parallel links to one neighbour must not share one.
    """
    interval = fabric.bfd_interval_ms
    bfd = f"bfd interval {interval} min_rx {interval} multiplier {fabric.bfd_multiplier}"
    if isinstance(fabric.underlay, UnnumberedBgp):
        own = ["ip forward", "ipv6 address use-link-local-only", "ipv6 link-local use-bia"]
        return [bfd, "no ip redirects", "no ipv6 redirects", *own]
    kind = ["ip ospf network point-to-point"] if isinstance(fabric.underlay, Ospf) else []
    return [bfd, "no ip redirects", f"ip address {address}/31", *kind, *in_area(fabric)]


def gateway(fabric: Fabric) -> list[str]:
    """Lines of a rail's gateway: OSPF carries the rail and looks for no neighbour on it."""
    area = in_area(fabric)
    return [*area, "ip ospf passive-interface"] if area else []


def in_area(fabric: Fabric) -> list[str]:
    """The line by which OSPF carries an interface; none under another underlay."""
    return [f"ip router ospf {fabric.underlay.process} area {AREA}"] if isinstance(fabric.underlay, Ospf) else []


def routing(fabric: Fabric, name: str, router_id: IPv4Address, links: list[Uplink]) -> Config:
    """Loopback and routing process of one switch."""
    switch = fabric.leaves[name] if name in fabric.leaves else fabric.spines[name]
    vrf = tenancy.of_link(fabric, name) if isinstance(switch, Leaf) else None
    loopback = ["description router id", *tenancy.member(vrf), f"ip address {router_id}/32", *in_area(fabric)]
    if isinstance(fabric.underlay, Ospf):
        return {
            "interface loopback0": "\n".join(loopback),
            **(_local(fabric) if isinstance(switch, Leaf) and tenancy.of_leaf(fabric, name) else {}),
            f"router ospf {fabric.underlay.process}": _ospf(fabric.underlay, router_id),
        }
    return {
        "interface loopback0": "\n".join(loopback),
        **_local(fabric),
        f"router bgp {switch.asn}": _bgp(fabric, switch, router_id, links),
    }


def _local(fabric: Fabric) -> Config:
    """The prefix-list names the pools, not the switch's own prefixes: `redistribute direct` only has its own anyway,
    and a rail more then changes one SVI and nothing here. /31 link addresses stay local: nobody has to reach them.
    """
    addressing = fabric.addressing
    length = 24 if fabric.host_ports == "access" else 31
    return {
        f"ip prefix-list {LOCAL} seq 5 permit {addressing.loopbacks} eq 32": "",
        f"ip prefix-list {LOCAL} seq 10 permit {addressing.hosts} eq {length}": "",
        f"route-map {LOCAL} permit 10": f"match ip address prefix-list {LOCAL}",
    }


def _ospf(process: Ospf, router_id: IPv4Address) -> str:
    """`bfd` here is for every interface of the process."""
    paths = f"maximum-paths {process.maximum_paths}"
    return "\n".join(("bfd", f"router-id {router_id}", "log-adjacency-changes", paths))


def _bgp(fabric: Fabric, switch: Leaf | Spine, router_id: IPv4Address, links: list[Uplink]) -> str:
    """The default VRF's part, and one part for each tenant whose links end here."""
    by_vrf: dict[str | None, list[Uplink]] = {}
    for each in links:
        by_vrf.setdefault(tenancy.of_link(fabric, each.leaf), []).append(each)
    lines = [f"router-id {router_id}"]
    if None in by_vrf or not by_vrf:
        lines += _process(fabric, switch, by_vrf.get(None, []))
    for vrf, members in sorted((str(vrf), members) for vrf, members in by_vrf.items() if vrf):
        lines += [f"vrf {vrf}", *(f"  {line}" for line in _process(fabric, switch, members))]
    return "\n".join(lines)


def _process(fabric: Fabric, switch: Leaf | Spine, links: list[Uplink]) -> list[str]:
    lines = [
        # Two leaves' paths differ in the AS number only; without this a spine would use one of them.
        "bestpath as-path multipath-relax",
        "address-family ipv4 unicast",
        f"  redistribute direct route-map {LOCAL}",
        f"  maximum-paths {fabric.underlay.maximum_paths}",
    ]
    for each in links:
        lines += _neighbor(fabric, switch, each)
    return lines


def _neighbor(fabric: Fabric, switch: Leaf | Spine, link: Uplink) -> list[str]:
    if isinstance(switch, Leaf):
        own, address = link.leaf_port, link.spine_address
        asn, name = fabric.spines[link.spine].asn, f"{link.spine} {link.spine_port}"
    else:
        own, address = link.spine_port, link.leaf_address
        asn, name = fabric.leaves[link.leaf].asn, f"{link.leaf} {link.leaf_port}"
    return [
        f"neighbor {own if isinstance(fabric.underlay, UnnumberedBgp) else address}",
        "  bfd",
        f"  remote-as {asn}",
        f"  description {name}",
        *(f"  {line}" for line in hardening.session(fabric)),
        "  address-family ipv4 unicast",
    ]
