"""What a lab's switches make of their configurations: who peers, who reaches what by which ways, what a bundle is.

Each fact is one sentence. Addresses and numbers that only name a thing are left out of it, so that a configuration
which is another one consistently renumbered has the same facts: an interface stands for its address, a VLAN for a VNI.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Interface
from itertools import combinations

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.kinds import ranges
from podwright.lab.nxos.links import state, vlans
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows.switching import created
from podwright.lab.nxos.static import standing
from podwright.lab.nxos.tree import Node
from podwright.lab.world.ospf import ospf_neighbors
from podwright.lab.world.routes import Session as Peering
from podwright.lab.world.routes import sessions, tables
from podwright.lab.world.views import RoutingView
from tools.lint_mutants.overlay import named, tunnels
from tools.lint_mutants.rack import Rack

_VPC = re.compile(r"Peer status|vPC keep-alive|Peer Gateway|Auto-recovery|Operational Layer3|vPC role")
"""Lines of `show vpc` that say how the pair works."""


def facts(rack: Rack) -> frozenset[str]:
    """Everything that is so in this lab now."""
    found: set[str] = set()
    for name, device in rack.devices.items():
        found |= {f"{name} {each}" for each in (*_ports(device), *_vpc(device), *_standby(device), *_statics(device))}
    peerings = sessions(rack.world)
    found |= {*_sessions(rack, peerings), *_routes(rack, peerings), *_addresses(rack), *tunnels(rack, peerings)}
    return frozenset(found)


def _ports(device: Device) -> Iterator[str]:
    there = set(created(device))
    for name, block in device.interfaces().items():
        if name.startswith("Vlan"):
            if block.value("ip address", "address") or block.state("ip forward", False):
                yield f"{name} {_up(device, name)} in {block.value('vrf member', 'vrf', 'default')}"
            continue
        cabled = device.world.neighbor(device.switch.name, name) is not None
        if not (cabled and name.startswith("Ethernet")):
            continue
        group = block.value("channel-group", "group")
        above = (device.interface(f"port-channel{group}") if group else None) or block
        layer = "routed" if device.routed(name, above) else f"carries {ranges(sorted(vlans(device, name) & there))}"
        untagged = above.value("switchport trunk native vlan", "vlan", "1") if not device.routed(name, above) else ""
        yield f"{name} {_up(device, name)} {layer}, untagged {untagged}"
        if group:
            others = ",".join(device.members(f"port-channel{group}"))
            yield f"{name} bundled with {others}: {_negotiated(device, name, block)}"


def _up(device: Device, name: str) -> str:
    return "up" if state(device, name).up else "down"


def _protocol(block: Node) -> str:
    line = block.get("channel-group")
    word = line.line.rpartition(" ")[2] if line is not None else ""
    return word if word in ("active", "passive") else "on"


def _negotiated(device: Device, name: str, block: Node) -> str:
    """What becomes of a member; servers speak LACP actively."""
    mine, theirs = _protocol(block), "active"
    far = device.world.neighbor(device.switch.name, name)
    if far is not None and far[0] in device.peers:
        theirs = _protocol(device.peers[far[0]].interface(far[1]) or Node(""))
    formed = (mine == "on") == (theirs == "on") and "active" in (mine, theirs, "active" if mine == "on" else "")
    return "bundled" if formed else "suspended"


def _vpc(device: Device) -> Iterator[str]:
    domain = next(device.root.begin("vpc domain"), None)
    if domain is None:
        return
    text = Session(device, quiet=True).run("show vpc")
    yield from (line for line in text.splitlines() if _VPC.match(line) or re.match(r"\d+ +Po", line))
    yield f"peer-switch {domain.get('peer-switch') is not None}"
    keepalive = domain.get("peer-keepalive")
    own = keepalive.values.get("own", "") if keepalive is not None else ""
    yield f"keepalive from itself: {own in ('', device.switch.management)}"
    yield f"keepalive in {keepalive.values.get('vrf', 'management') if keepalive is not None else 'nothing'}"
    virtual = domain.get("virtual peer-link")
    if virtual is not None:
        ends = [_owners(device.peers, virtual.values[key]) for key in ("own", "peer")]
        yield f"virtual peer link from {ends[0]} to {ends[1]}"
    for name, block in device.interfaces("port-channel").items():
        number = block.value("vpc", "vpc")
        both = [
            other.switch.name
            for other in device.peers.values()
            if other is not device and next(other.root.begin("vpc domain"), None) is not None
            for far in other.interfaces("port-channel").values()
            if number and far.value("vpc", "vpc") == number
        ]
        yield f"{name} is a vPC with {both if number else 'nobody'}"


def _owners(devices: Mapping[str, Device], address: str) -> list[str]:
    """Interfaces that an address stands on."""
    return [
        f"{name} {port}"
        for name, device in devices.items()
        for port, block in device.interfaces().items()
        if block.value("ip address", "address").partition("/")[0] == address and device.admin_up(port, block)
    ]


def _standby(device: Device) -> Iterator[str]:
    if device.has_feature("hsrp"):
        text = Session(device, quiet=True).run("show hsrp brief")
        # A priority that changes nobody's state is but a number.
        rows = (re.sub(r"^(\S+ +\d+ +)\d+", r"\1", line.strip()) for line in text.splitlines()[3:])
        yield from (f"hsrp {row}" for row in rows)
    for name, block in device.interfaces("Vlan").items():
        if block.get("fabric forwarding mode anycast-gateway") is not None:
            mac = next((node.line for node in device.root.begin("fabric forwarding anycast-gateway-mac")), "no mac")
            yield f"{name} anycast gateway, {mac}"


def _statics(device: Device) -> Iterator[str]:
    for vrf in ("default", *(node.values["name"] for node in device.root.begin("vrf context"))):
        for route in standing(device, vrf) if vrf != "management" else ():
            yield f"route {vrf} {route.prefix} to {_hop(device, route.hop) or route.port}"


def _hop(device: Device, hop: str) -> str:
    if not hop:
        return ""
    for name, block in device.interfaces().items():
        text = block.value("ip address", "address")
        if text and IPv4Address(hop) in (near := IPv4Interface(text)).network:
            ends = (near.network.network_address, near.network.broadcast_address)
            nobody = IPv4Address(hop) == near.ip or (near.network.prefixlen < 31 and IPv4Address(hop) in ends)
            return "nobody" if nobody else f"somebody behind {name} ({_owners(device.peers, hop)})"
    return "nobody"


def _sessions(rack: Rack, peerings: Sequence[Peering]) -> Iterator[str]:
    for each in peerings:
        peer = each.far[0] if each.far else f"nobody ({each.neighbor.peer})"
        families = f"{'ipv4' * each.neighbor.ipv4} {'evpn' * each.neighbor.evpn}"
        word = "up" if each.up else "down"
        yield f"{each.device} {each.vrf} {each.port} {peer} {word} {families} bfd {each.bfd and each.up}"
    for name, device in rack.devices.items():
        view = rack.world.views[name].routing()
        for port, far in ospf_neighbors(rack.world, name).items():
            bfd = view.ospf_bfd and rack.world.views[far[0]].routing().ospf_bfd and device.has_feature("bfd")
            yield f"{name} {port} OSPF with {far[0]} {far[1]} bfd {bfd}"


def _vrfs(rack: Rack) -> dict[str, dict[str, RoutingView]]:
    found: dict[str, dict[str, RoutingView]] = defaultdict(dict)
    for name, view in rack.world.views.items():
        whole = view.routing()
        found["default"][name] = whole
        for vrf, inside in whole.vrfs.items():
            found[vrf][name] = inside
    return found


def _routes(rack: Rack, peerings: Sequence[Peering]) -> Iterator[str]:
    for vrf, views in _vrfs(rack).items():
        for (origin, by), table in tables(rack.world, peerings, vrf).items():
            view = views.get(origin, RoutingView())
            if by == "bgp":
                known = sorted(named(view, prefix) for prefix in view.advertised)
            else:
                own = (view.addresses[port] for port in view.ospf if port in view.addresses)
                known = sorted(named(view, str(IPv4Interface(each).network)) for each in own)
            for name, links in table.items():
                text = " ".join(sorted(f"{link.port}>{link.far}" for link in links))
                yield f"{name} {vrf} {by} reaches {origin} {' '.join(known)} by {text}"


def _addresses(rack: Rack) -> Iterator[str]:
    """Addresses that several interfaces have, and subnets that overlap, in one VRF."""
    for vrf, views in _vrfs(rack).items():
        owners: dict[str, list[str]] = defaultdict(list)
        nets: dict[object, list[str]] = defaultdict(list)
        for name, view in views.items():
            for port, text in view.addresses.items():
                owners[text.partition("/")[0]].append(f"{name} {port}")
                nets[IPv4Interface(text).network].append(f"{name} {port}")
        yield from (f"{vrf}: one address on {', '.join(sorted(each))}" for each in owners.values() if len(each) > 1)
        known = sorted(nets, key=str)
        for one, two in combinations(known, 2):
            if one.overlaps(two):  # type: ignore[attr-defined]
                yield f"{vrf}: {', '.join(sorted(nets[one]))} overlaps {', '.join(sorted(nets[two]))}"
