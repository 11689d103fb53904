"""Section `vpc`: a pair: vPC domain, peer link, port-channels to hosts, VLANs with HSRP gateways, routed ports.

The frontend and the storage fabric are one pair each. HSRP and not an anycast gateway: on this platform the anycast
gateway belongs to VXLAN EVPN, which a pair of leaves without an overlay does not run; in a vPC pair both HSRP peers
forward anyway.
"""

from podwright.components.design import hardware
from podwright.components.design.fabric import backup, hardening, peers, qos
from podwright.components.design.fabric.model import Config, ranges
from podwright.components.model import FabricArgs, HostPort, Lossless, Pair, PairVlan, RoutedPort

_HSRP_ACTIVE = 110
"""Priority of the first peer; the second keeps HSRP's default of 100."""
_ROLE_FIRST, _ROLE_SECOND = 100, 200
_RESTORE_SECONDS = 150
"""From the peer link to the ports of hosts, after a reload: routes and ARP tables are there by then."""
_GATEWAYS_SECONDS = 45
"""From the peer link to the gateways: routes first, and all before hosts send anything here. NX-OS waits 10."""


def named(args: FabricArgs) -> dict[str, Pair]:
    """The pairs of a cluster by what they carry: `frontend`, `storage`."""
    pairs = {"frontend": args.fabric.frontend, "storage": args.fabric.storage}
    return {kind: pair for kind, pair in pairs.items() if pair is not None}


def blocks(args: FabricArgs, pair: Pair, name: str) -> Config:
    """Every vPC-related block of one of a pair's two peers."""
    mtu = _mtu(args, pair)
    config = hardening.root(args.fabric, (vlan.id for vlan in pair.vlans.values()))
    config |= {f"vlan {vlan.id}": f"name {key}" for key, vlan in _ordered(pair)}
    config |= _domain(pair, name)
    config |= _peer_link(pair, name, mtu)
    for label, host in pair.ports.items():
        config |= _host(label, host, pair, name, mtu, hardening.storm(args.fabric))
    for routed in pair.routed.values():
        if routed.leaf == name:
            config |= _routed(routed, pair, name, mtu)
    for key, vlan in _ordered(pair):
        config |= _gateway(args, pair, name, key, vlan)
    return config | backup.blocks(pair, name, mtu, hardening.password(args.fabric))


def speeds(pair: Pair, name: str) -> set[int]:
    """Speeds of a peer's ports of the pair's lossless class, in Gb/s."""
    model = pair.leaves[name].model
    return {
        *(hardware.gbps(model, port) for port in pair.vpc.peer_link),
        *(_speed(pair, name, host) for host in pair.ports.values()),
        *(_speed(pair, name, routed) for routed in pair.routed.values() if routed.leaf == name),
    }


def _speed(pair: Pair, name: str, port: HostPort | RoutedPort) -> int:
    """A port's speed in Gb/s, as said where it is part of one that is broken out."""
    return port.gbps or hardware.gbps(pair.leaves[name].model, port.port)


def _mtu(args: FabricArgs, pair: Pair) -> int:
    """The pair's own class decides; without one, the backend's figure, so that there is one jumbo MTU on the site."""
    return (pair.lossless or args.fabric.lossless).mtu


def _ordered(pair: Pair) -> list[tuple[str, PairVlan]]:
    return sorted(pair.vlans.items(), key=lambda item: item[1].id)


def _domain(pair: Pair, name: str) -> Config:
    """The keepalive runs between the two peers' mgmt0; the management VRF is its default and is not printed."""
    own, peer = pair.leaves[name], peers.other(pair, name)[1]
    lines = (
        "peer-switch",
        f"role priority {_ROLE_FIRST if peers.first(pair, name) else _ROLE_SECOND}",
        f"peer-keepalive destination {peer.management} source {own.management}",
        f"delay restore {_RESTORE_SECONDS}",
        f"delay restore interface-vlan {_GATEWAYS_SECONDS}",
        "peer-gateway",
        "auto-recovery",
        "ip arp synchronize",
    )
    return {f"vpc domain {pair.vpc.domain}": "\n".join(lines)}


def _peer_link(pair: Pair, name: str, mtu: int) -> Config:
    """The peer link is port-channel <domain id>, so that its number needs no field of its own."""
    number, peer = pair.vpc.domain, peers.other(pair, name)[0]
    channel = [
        f"description peer link to {peer}",
        "switchport",
        "switchport mode trunk",
        f"mtu {mtu}",
        "spanning-tree port type network",
        *_channel(pair.lossless, hardware.gbps(pair.leaves[name].model, pair.vpc.peer_link[0])),
        "vpc peer-link",
    ]
    config = {f"interface port-channel{number}": "\n".join(channel)}
    for port in pair.vpc.peer_link:
        member = [
            f"description {peer} {port}",
            "switchport",
            "switchport mode trunk",
            *_member(pair.lossless),
            f"mtu {mtu}",
            f"channel-group {number} mode active",
            "no shutdown",
        ]
        config[f"interface {port}"] = "\n".join(member)
    return config


def _host(label: str, host: HostPort, pair: Pair, name: str, mtu: int, storm: list[str]) -> Config:
    """A port-channel of one member per peer, and that member, which repeats the trunk as the box prints it.

    A host that boots over the link speaks LACP late: without `no lacp suspend-individual` its port stays down and the
    installation never starts. Storm control is the bundle's: a member with lines of its own is suspended.
    """
    trunk = [
        "switchport",
        "switchport mode trunk",
        f"switchport trunk native vlan {host.vlans[0]}",
        f"switchport trunk allowed vlan {ranges(host.vlans)}",
        f"mtu {mtu}",
    ]
    described = f"description {host.device}" + ("" if label == host.device else f" ({label})")
    channel = [described, *trunk, "spanning-tree port type edge trunk", *storm]
    channel += _channel(pair.lossless, _speed(pair, name, host))
    if host.boots:
        channel.append("no lacp suspend-individual")
    channel.append(f"vpc {host.channel}")
    member = [described, *trunk, *_member(pair.lossless), f"channel-group {host.channel} mode active", "no shutdown"]
    return {
        f"interface port-channel{host.channel}": "\n".join(channel),
        f"interface {host.port}": "\n".join(member),
    }


def _routed(port: RoutedPort, pair: Pair, name: str, mtu: int) -> Config:
    """A routed port and the static routes behind it."""
    lines = [
        f"description {port.device} {port.device_port}",
        "no switchport",
        *(qos.port(pair.lossless, _speed(pair, name, port)) if pair.lossless else [f"mtu {mtu}"]),
        "no ip redirects",
        f"ip address {port.address}/{port.prefix}",
        "no shutdown",
    ]
    config = {f"interface {port.port}": "\n".join(lines)}
    return config | {f"ip route {network} {port.next_hop}": "" for network in port.routes}


def _channel(lossless: Lossless | None, gbps: int) -> list[str]:
    return qos.channel(lossless, gbps) if lossless else []


def _member(lossless: Lossless | None) -> list[str]:
    return qos.flow_control(lossless) if lossless else []


def _gateway(args: FabricArgs, pair: Pair, name: str, key: str, vlan: PairVlan) -> Config:
    virtual = args.gateway if vlan.purpose == "machine" and args.gateway else vlan.subnet.network_address + 1
    leading = peers.first(pair, name)
    own = virtual + (1 if leading else 2)
    lines = [
        f"description {key}",
        "no shutdown",
        f"mtu {_mtu(args, pair)}",
        "no ip redirects",
        f"ip address {own}/{vlan.subnet.prefixlen}",
        "hsrp version 2",
        f"hsrp {vlan.id}",
        "  preempt",
        *([f"  priority {_HSRP_ACTIVE}"] if leading else []),
        f"  ip {virtual}",
    ]
    return {f"interface Vlan{vlan.id}": "\n".join(lines)}
