"""The fabric as a pure function: a cluster in, every switch's configuration, every cable and address out."""

from collections.abc import Mapping

from components.design import hardware
from components.design.fabric import addressing, base, interfaces, qos, svi, underlay, vpc
from components.design.fabric.model import Config, End, FabricPlan, Link, Role, SwitchPlan, Uplink
from components.spec import Cluster, Leaf, Spine, Switch


def plan(cluster: Cluster) -> FabricPlan:
    """Decide the whole network of a coherent cluster."""
    uplinks = tuple(addressing.uplinks(cluster.fabric))
    links = (*_host_links(cluster), *_fabric_links(uplinks), *_frontend_links(cluster))
    switches = [
        *(_leaf(cluster, name, links, uplinks) for name in cluster.fabric.leaves),
        *(_spine(cluster, name, links, uplinks) for name in cluster.fabric.spines),
        *(_frontend(cluster, name, links) for name in _frontend_names(cluster)),
    ]
    rails, ports = addressing.rails(cluster.fabric), addressing.host_ports(cluster)
    return FabricPlan(tuple(switches), links, uplinks, rails, ports)


def _host_links(cluster: Cluster) -> list[Link]:
    found = []
    for (server, rail), host in addressing.host_ports(cluster).items():
        nic = hardware.rails(cluster.servers[server])[rail]
        found.append(Link(host.leaf, host.port, server, f"rail{rail}", "host", nic.gbps))
    return found


def _fabric_links(uplinks: tuple[Uplink, ...]) -> list[Link]:
    return [Link(up.leaf, up.leaf_port, up.spine, up.spine_port, "fabric", up.gbps) for up in uplinks]


def _frontend_names(cluster: Cluster) -> list[str]:
    return list(cluster.fabric.frontend.leaves) if cluster.fabric.frontend else []


def _frontend_links(cluster: Cluster) -> list[Link]:
    """Peer-link cables once, host cables from each peer; at the far end the port is the peer's own name."""
    frontend = cluster.fabric.frontend
    if frontend is None:
        return []
    one, two = sorted(frontend.leaves, key=lambda name: frontend.leaves[name].index)
    found = [Link(one, port, two, port, "peer", _speed(frontend.leaves[one], port)) for port in frontend.vpc.peer_link]
    for host in frontend.ports.values():
        found += [
            Link(name, host.port, host.device, f"to-{name}", "host", _speed(frontend.leaves[name], host.port))
            for name in (one, two)
        ]
    return found


def _speed(switch: Switch, port: str) -> int:
    number = int(port.removeprefix("Ethernet1/").split("/")[0])
    return hardware.switch_model(switch.model).gbps(number) or 0


def _ends(name: str, links: tuple[Link, ...]) -> dict[str, End]:
    ends = {link.port: End(link.peer, link.peer_port, link.role) for link in links if link.device == name}
    return ends | {link.peer_port: End(link.device, link.port, link.role) for link in links if link.peer == name}


def _leaf(cluster: Cluster, name: str, links: tuple[Link, ...], uplinks: tuple[Uplink, ...]) -> SwitchPlan:
    fabric = cluster.fabric
    leaf = fabric.leaves[name]
    own = [up for up in uplinks if up.leaf == name]
    hosts = [link for link in links if link.device == name and link.role == "host"]
    rails = [rail for rail in addressing.rails(fabric).values() if rail.leaf == name]
    vlan_of = {rail.rail: rail.vlan for rail in rails}
    access = {link.port: vlan_of[int(link.peer_port.removeprefix("rail"))] for link in hosts}
    config = {
        **base.leaf_features(),
        **base.services(cluster.site),
        **qos.jumbo(fabric.lossless),
        **qos.system(fabric.lossless),
        **svi.vlans(rails),
        **interfaces.hosts(hosts, access, fabric),
        **interfaces.fabric_ports(own, "leaf", fabric),
        **svi.gateways(rails, fabric.lossless.mtu),
        **underlay.routing(fabric, leaf, addressing.loopback(fabric, leaf), own),
    }
    return _switch(cluster, name, leaf, config, links)


def _spine(cluster: Cluster, name: str, links: tuple[Link, ...], uplinks: tuple[Uplink, ...]) -> SwitchPlan:
    fabric = cluster.fabric
    spine = fabric.spines[name]
    own = [up for up in uplinks if up.spine == name]
    config = {
        **base.spine_features(),
        **base.services(cluster.site),
        **qos.system(fabric.lossless),
        **interfaces.fabric_ports(own, "spine", fabric),
        **underlay.routing(fabric, spine, addressing.loopback(fabric, spine), own),
    }
    return _switch(cluster, name, spine, config, links)


def _frontend(cluster: Cluster, name: str, links: tuple[Link, ...]) -> SwitchPlan:
    jumbo = qos.jumbo(cluster.fabric.lossless)
    config = {**base.frontend_features(), **base.services(cluster.site), **jumbo, **vpc.pair(cluster, name)}
    assert cluster.fabric.frontend is not None
    return _switch(cluster, name, cluster.fabric.frontend.leaves[name], config, links)


def _switch(cluster: Cluster, name: str, said: Switch, config: Config, links: tuple[Link, ...]) -> SwitchPlan:
    lossless = cluster.fabric.lossless
    role: Role = "leaf" if isinstance(said, Leaf) else "spine" if isinstance(said, Spine) else "frontend-leaf"
    values: Mapping[str, int] = {
        "dscp": lossless.dscp,
        "priority": lossless.priority,
        "cnp_dscp": lossless.cnp_dscp,
        "mtu": lossless.mtu,
    }
    return SwitchPlan(
        hostname=name,
        role=role,
        model=said.model,
        management=said.management,
        rack=said.rack,
        serial=said.serial,
        adopt=said.adopt,
        config=_with_extra(config, cluster.fabric.extra.get(name, {})),
        links=_ends(name, links),
        lossless=None if role == "frontend-leaf" else values,
    )


_SINGLE = (
    "description",
    "mtu",
    "switchport mode",
    "switchport access vlan",
    "switchport trunk native vlan",
    "switchport trunk allowed vlan",
    "spanning-tree port type",
    "priority-flow-control mode",
    "priority-flow-control watch-dog-interval",
    "service-policy type qos input",
    "bfd interval",
    "ip address",
    "match dscp",
)
"""Settings a block holds once: a raw line replaces ours, as it would on the box."""


def _with_extra(config: Config, extra: Mapping[str, str]) -> Config:
    """Raw blocks come last; under a line that is ours too, theirs replace our settings of the same name or follow."""
    merged = dict(config)
    for line, children in extra.items():
        theirs = [child.rstrip() for child in children.splitlines() if child.strip()]
        taken = tuple(f"{each} " for each in _SINGLE if any(child.startswith(f"{each} ") for child in theirs))
        ours = [child for child in merged.get(line, "").splitlines() if not child.startswith(taken)]
        merged[line] = "\n".join((*ours, *theirs))
    return merged
