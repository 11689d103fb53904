"""Section `vpc`: the frontend pair: vPC domain, peer link, port-channels to hosts, VLANs with HSRP gateways.

HSRP and not an anycast gateway: on this platform the anycast gateway belongs to VXLAN EVPN, which a pair of leaves
without an overlay does not run; in a vPC pair both HSRP peers forward anyway. Uplinks to the site's border differ at
every site and are left to `fabric.extra`.
"""

from components.design.fabric.model import Config
from components.spec import Cluster, Frontend, FrontendLeaf, FrontendVlan, HostPort

_HSRP_ACTIVE = 110
"""Priority of the first peer; the second keeps HSRP's default of 100."""
_ROLE_FIRST, _ROLE_SECOND = 100, 200


def pair(cluster: Cluster, name: str) -> Config:
    """Every vPC-related block of one of the two peers."""
    frontend = cluster.fabric.frontend
    if frontend is None:
        return {}
    mtu = cluster.fabric.lossless.mtu
    config: Config = {f"vlan {vlan.id}": f"name {key}" for key, vlan in _ordered(frontend)}
    config |= _domain(frontend, name)
    config |= _peer_link(frontend, name, mtu)
    for label, host in frontend.ports.items():
        config |= _host(label, host, mtu)
    for key, vlan in _ordered(frontend):
        config |= _gateway(cluster, name, key, vlan)
    return config


def first(frontend: Frontend, name: str) -> bool:
    """Whether this peer has the lower index: primary by role priority, and active in HSRP."""
    return frontend.leaves[name].index == min(leaf.index for leaf in frontend.leaves.values())


def other(frontend: Frontend, name: str) -> tuple[str, FrontendLeaf]:
    """The peer of a frontend leaf."""
    return next((key, leaf) for key, leaf in frontend.leaves.items() if key != name)


def _ordered(frontend: Frontend) -> list[tuple[str, FrontendVlan]]:
    return sorted(frontend.vlans.items(), key=lambda item: item[1].id)


def _domain(frontend: Frontend, name: str) -> Config:
    """The keepalive runs between the two peers' mgmt0; the management VRF is its default and is not printed."""
    own, peer = frontend.leaves[name], other(frontend, name)[1]
    lines = (
        "peer-switch",
        f"role priority {_ROLE_FIRST if first(frontend, name) else _ROLE_SECOND}",
        f"peer-keepalive destination {peer.management} source {own.management}",
        "delay restore 150",
        "peer-gateway",
        "auto-recovery",
        "ip arp synchronize",
    )
    return {f"vpc domain {frontend.vpc.domain}": "\n".join(lines)}


def _peer_link(frontend: Frontend, name: str, mtu: int) -> Config:
    """The peer link is port-channel <domain id>, so that its number needs no field of its own."""
    number, peer = frontend.vpc.domain, other(frontend, name)[0]
    config = {
        f"interface port-channel{number}": "\n".join(
            (
                f"description peer link to {peer}",
                "switchport mode trunk",
                f"mtu {mtu}",
                "spanning-tree port type network",
                "vpc peer-link",
            )
        )
    }
    for port in frontend.vpc.peer_link:
        config[f"interface {port}"] = "\n".join(
            (
                f"description {peer} {port}",
                "switchport mode trunk",
                f"mtu {mtu}",
                f"channel-group {number} mode active",
            )
        )
    return config


def _host(label: str, host: HostPort, mtu: int) -> Config:
    """A port-channel of one member per peer, and that member, which repeats the trunk as the box prints it.

    A host that boots over the link speaks LACP late: without `no lacp suspend-individual` its port stays down and the
    installation never starts.
    """
    trunk = [
        "switchport mode trunk",
        f"switchport trunk native vlan {host.vlans[0]}",
        f"switchport trunk allowed vlan {_ranges(host.vlans)}",
        f"mtu {mtu}",
    ]
    described = f"description {host.device}" + ("" if label == host.device else f" ({label})")
    channel = [described, *trunk, "spanning-tree port type edge trunk"]
    if host.boots:
        channel.append("no lacp suspend-individual")
    channel.append(f"vpc {host.channel}")
    member = [described, *trunk, f"channel-group {host.channel} mode active"]
    return {
        f"interface port-channel{host.channel}": "\n".join(channel),
        f"interface {host.port}": "\n".join(member),
    }


def _gateway(cluster: Cluster, name: str, key: str, vlan: FrontendVlan) -> Config:
    frontend = cluster.fabric.frontend
    if frontend is None:
        return {}
    virtual = cluster.openshift.gateway if vlan.purpose == "machine" else vlan.subnet.network_address + 1
    leading = first(frontend, name)
    own = virtual + (1 if leading else 2)
    lines = [
        f"description {key}",
        "no shutdown",
        f"mtu {cluster.fabric.lossless.mtu}",
        "no ip redirects",
        f"ip address {own}/{vlan.subnet.prefixlen}",
        "hsrp version 2",
        f"hsrp {vlan.id}",
        "  preempt",
        *([f"  priority {_HSRP_ACTIVE}"] if leading else []),
        f"  ip {virtual}",
    ]
    return {f"interface Vlan{vlan.id}": "\n".join(lines)}


def _ranges(vlans: tuple[int, ...]) -> str:
    """VLANs as the box prints them: ascending, neighbours joined: 10,20-22."""
    runs: list[list[int]] = []
    for vlan in sorted(set(vlans)):
        if runs and vlan == runs[-1][-1] + 1:
            runs[-1].append(vlan)
        else:
            runs.append([vlan])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
