"""The fabric as a pure function: a cluster in, every switch's configuration, every cable and address out."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from podwright.components.design import hardware
from podwright.components.design.fabric import (
    addressing,
    base,
    baseline,
    breakout,
    hardening,
    interfaces,
    overlay,
    peers,
    qos,
    svi,
    tenancy,
    underlay,
    vpc,
)
from podwright.components.design.fabric.model import (
    Config,
    End,
    Exit,
    FabricPlan,
    HostPort,
    Link,
    Role,
    SwitchPlan,
    Uplink,
)
from podwright.components.model import FabricArgs, Lossless, Pair, RoutedPort, Switch
from podwright.components.model.catalogue import WATCHDOG


def plan(args: FabricArgs) -> FabricPlan:
    """Decide the whole network of a coherent cluster."""
    uplinks = tuple(addressing.uplinks(args.fabric))
    pairs = vpc.named(args)
    ports = addressing.host_ports(args)
    links = [*_host_links(ports), *_fabric_links(uplinks)]
    links += [link for pair in pairs.values() for link in _pair_links(pair)]
    near: dict[str, list[Link]] = defaultdict(list)
    for link in links:
        near[link.device].append(link)
        near[link.peer].append(link)
    own: dict[str, list[Uplink]] = defaultdict(list)
    for up in uplinks:
        own[up.leaf].append(up)
        own[up.spine].append(up)
    switches = [
        *(_leaf(args, name, near[name], own[name]) for name in args.fabric.leaves),
        *(_spine(args, name, near[name], own[name]) for name in args.fabric.spines),
        *(_pair_leaf(args, kind, name, near[name]) for kind, pair in pairs.items() for name in pair.leaves),
    ]
    ways = tuple(way for pair in pairs.values() for way in _exits(pair))
    unused = frozenset[Link]().union(
        *(peers.unused(args, kind, pair, _pair_links(pair)) for kind, pair in pairs.items())
    )
    return FabricPlan(tuple(switches), tuple(links), uplinks, addressing.rails(args.fabric), ports, ways, unused)


def _host_links(ports: Mapping[tuple[str, int], HostPort]) -> list[Link]:
    return [
        Link(host.leaf, host.port, server, f"rail{rail}", "host", host.gbps) for (server, rail), host in ports.items()
    ]


def _fabric_links(uplinks: tuple[Uplink, ...]) -> list[Link]:
    return [Link(up.leaf, up.leaf_port, up.spine, up.spine_port, "fabric", up.gbps) for up in uplinks]


def _pair_links(pair: Pair) -> list[Link]:
    """Peer-link cables once, host cables from each peer; at the far end the port is the peer's own name."""
    one, two = sorted(pair.leaves, key=lambda name: pair.leaves[name].index)
    model = pair.leaves[one].model
    found = _peer_link(pair)
    for host in pair.ports.values():
        speed = host.gbps or hardware.gbps(model, host.port)
        found += [Link(name, host.port, host.device, f"to-{name}", "host", speed) for name in (one, two)]
    return found + [_way_out(pair, routed) for routed in pair.routed.values()]


def _peer_link(pair: Pair) -> list[Link]:
    one, two = sorted(pair.leaves, key=lambda name: pair.leaves[name].index)
    model = pair.leaves[one].model
    return [Link(one, port, two, port, "peer", hardware.gbps(model, port)) for port in pair.vpc.peer_link]


def _way_out(pair: Pair, routed: RoutedPort) -> Link:
    speed = routed.gbps or hardware.gbps(pair.leaves[routed.leaf].model, routed.port)
    return Link(routed.leaf, routed.port, routed.device, routed.device_port, "uplink", speed)


def _exits(pair: Pair) -> Iterator[Exit]:
    between, backed = frozenset(_peer_link(pair)), pair.vpc.backup is not None
    for routed in pair.routed.values():
        networks, other = tuple(map(str, routed.routes)), peers.other(pair, routed.leaf)[0]
        yield Exit(_way_out(pair, routed), networks, other, backed, between)


def _ends(name: str, links: list[Link]) -> dict[str, End]:
    ends = {link.port: End(link.peer, link.peer_port, link.role) for link in links if link.device == name}
    return ends | {link.peer_port: End(link.device, link.port, link.role) for link in links if link.peer == name}


def _leaf(args: FabricArgs, name: str, links: list[Link], own: list[Uplink]) -> SwitchPlan:
    fabric = args.fabric
    leaf = fabric.leaves[name]
    hosts = [link for link in links if link.device == name and link.role == "host"]
    vlans, ports, gateways = _host_side(args, name, hosts)
    config = {
        **overlay.features(fabric, name),
        **base.leaf_features(fabric),
        **baseline.features(fabric),
        **base.services(args.site),
        **underlay.hardware_lines(fabric),
        **baseline.settings(fabric),
        **baseline.balancing(fabric, [up.leaf_port for up in own]),
        **breakout.lines(leaf.model, name, hosts),
        **qos.jumbo(fabric.lossless),
        **qos.system(fabric.lossless, {*(link.gbps for link in hosts), *(link.gbps for link in own)}),
        **vlans,
        **overlay.vlans(fabric, name),
        **ports,
        **interfaces.fabric_ports(own, "leaf", fabric),
        **gateways,
        **overlay.tunnel(fabric, name, leaf),
        **underlay.routing(fabric, name, addressing.loopback(fabric, leaf), own),
        **overlay.routing(fabric, name, leaf),
    }
    return _switch(args, name, leaf, "leaf", config, links, fabric.lossless)


def _host_side(args: FabricArgs, name: str, hosts: list[Link]) -> tuple[Config, Config, Config]:
    """VLANs, host ports and gateways of a leaf: a VLAN per rail, or ports that route and neither of the others."""
    fabric = args.fabric
    rails = addressing.leaf_rails(fabric, name)
    by_number = {f"rail{rail.rail}": rail for rail in rails}
    if fabric.host_ports == "routed":
        ends = (addressing.host(fabric, by_number[link.peer_port], args.hosts[link.peer]) for link in hosts)
        return {}, interfaces.routed_hosts(hosts, {end.port: end.gateway for end in ends}, fabric), {}
    access = {link.port: by_number[link.peer_port].vlan for link in hosts}
    return svi.vlans(rails), interfaces.hosts(hosts, access, fabric), svi.gateways(rails, fabric)


def _spine(args: FabricArgs, name: str, links: list[Link], own: list[Uplink]) -> SwitchPlan:
    fabric = args.fabric
    spine = fabric.spines[name]
    shared = {} if overlay.runs(fabric) else tenancy.contexts(fabric, fabric.leaves)
    config = {
        **overlay.features(fabric, None),
        **base.spine_features(fabric),
        **baseline.features(fabric),
        **base.services(args.site),
        **underlay.hardware_lines(fabric),
        **baseline.settings(fabric),
        **baseline.balancing(fabric, [up.spine_port for up in own]),
        **qos.system(fabric.lossless, {link.gbps for link in own}),
        **shared,
        **interfaces.fabric_ports(own, "spine", fabric),
        **underlay.routing(fabric, name, addressing.loopback(fabric, spine), own),
        **overlay.routing(fabric, name, spine),
    }
    return _switch(args, name, spine, "spine", config, links, fabric.lossless)


def _pair_leaf(args: FabricArgs, kind: str, name: str, links: list[Link]) -> SwitchPlan:
    pair = vpc.named(args)[kind]
    config = {
        **base.pair_features(pair),
        **baseline.features(args.fabric),
        **base.services(args.site),
        **baseline.settings(args.fabric),
        **breakout.lines(pair.leaves[name].model, name, links),
        **qos.jumbo(pair.lossless or args.fabric.lossless),
        **(qos.system(pair.lossless, vpc.speeds(pair, name)) if pair.lossless else {}),
        **vpc.blocks(args, pair, name),
    }
    role: Role = "frontend-leaf" if kind == "frontend" else "storage-leaf"
    return _switch(args, name, pair.leaves[name], role, config, links, pair.lossless)


def _switch(
    args: FabricArgs, name: str, entry: Switch, role: Role, config: Config, links: list[Link], lossless: Lossless | None
) -> SwitchPlan:
    whole = _with_extra(config, args.fabric.extra.get(name, {}))
    return SwitchPlan(
        hostname=name,
        role=role,
        model=entry.model,
        management=entry.management,
        rack=entry.rack,
        serial=entry.serial,
        adopt=entry.adopt,
        config=whole | hardening.unused(args.fabric, entry.model, whole),
        links=_ends(name, links),
        lossless=_values(lossless, {link.gbps for link in links if name in (link.device, link.peer)})
        if lossless
        else None,
    )


def _values(lossless: Lossless, speeds: set[int]) -> Mapping[str, int]:
    """What the policies hold the text against; it comes from the spec and not from what renders the text."""
    defined = lossless.watchdog_timers.model_dump() if lossless.watchdog == "on" else {}
    timers = {known.command: defined[key] for key, known in WATCHDOG.items() if defined.get(key) is not None}
    marks = {
        f"ecn {speed}": mark.max_kbytes
        for speed, mark in lossless.ecn_by_speed.items()
        if int(speed.removesuffix("G")) in speeds
    }
    headroom = {"pause buffer-size": lossless.headroom.buffer_bytes} if lossless.headroom is not None else {}
    return {
        "dscp": lossless.dscp,
        "priority": lossless.priority,
        "cnp_dscp": lossless.cnp_dscp,
        "mtu": lossless.mtu,
        **timers,
        **headroom,
        **marks,
    }


_SINGLE = (
    "description",
    "mtu",
    "switchport mode",
    "switchport access vlan",
    "switchport trunk native vlan",
    "switchport trunk allowed vlan",
    "spanning-tree port type",
    "storm-control broadcast level",
    "storm-control multicast level",
    "storm-control action",
    "priority-flow-control mode",
    "priority-flow-control watch-dog-interval",
    "service-policy type qos input",
    "service-policy type queuing input",
    "service-policy type queuing output",
    "bfd interval",
    "ip address",
    "match dscp",
)
"""Settings a block holds once: a raw line replaces ours, as it would on the box."""


_SINGLE_TOP = (
    "priority-flow-control watch-dog-interval ",
    "priority-flow-control watch-dog interval ",
    "priority-flow-control watch-dog shutdown-multiplier ",
    "priority-flow-control auto-restore multiplier ",
    "priority-flow-control fixed-restore multiplier ",
    "system jumbomtu ",
    "ip domain-name ",
    "clock timezone ",
    "banner motd ",
    "copp profile ",
    "hardware access-list tcam region ing-sup ",
)
"""Settings a switch holds once: likewise."""


_PORT = re.compile(r"^interface (Ethernet|port-channel)[\d/]+$")
"""What has a layer: ports of the chassis and port-channels, not their sub-interfaces."""


def _with_extra(config: Config, extra: Mapping[str, str]) -> Config:
    """Raw blocks come last; theirs replace our settings of the same name, and under a line that is ours too they do the
    same or follow."""
    replaced = tuple(each for each in _SINGLE_TOP if any(line.startswith(each) for line in extra))
    merged = {line: children for line, children in config.items() if not line.startswith(replaced)}
    for line, children in extra.items():
        theirs = [child.rstrip() for child in children.splitlines() if child.strip()]
        taken = tuple(f"{each} " for each in _SINGLE if any(child.startswith(f"{each} ") for child in theirs))
        ours = [child for child in merged.get(line, "").splitlines() if not child.startswith(taken)]
        merged[line] = "\n".join((*ours, *theirs))
    return {line: _spelled_out(line, children) for line, children in merged.items()}


def _spelled_out(line: str, children: str) -> str:
    """A raw port that does not say its layer is switched, one that does not say its state is up where it is switched:
    what the switch would make of it depends on model, release and site."""
    if not _PORT.match(line):
        return children
    written = children.splitlines()
    layer = next((each for each in written if each in ("switchport", "no switchport")), "")
    lines = written if layer else ["switchport", *written]
    if line.startswith("interface Ethernet") and not {"shutdown", "no shutdown"} & set(written):
        lines = [*lines, "shutdown" if layer == "no switchport" else "no shutdown"]
    return "\n".join(lines)
