"""Tunnels between VTEPs: which of a VNI's members hear of each other by EVPN and reach each other below it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.links import state
from podwright.lab.nxos.tree import Node
from podwright.lab.world.routes import Session, tables
from podwright.lab.world.views import RoutingView, interface
from tools.lint_mutants.rack import Rack


@dataclass(frozen=True)
class Member:
    """A VNI on one VTEP."""

    place: str
    """The VLAN or VRF that it stands for."""
    layer3: bool
    replication: str = ""
    exports: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Vtep:
    """One end of tunnels."""

    source: str
    """Its loopback."""
    members: Mapping[str, Member] = field(default_factory=dict)
    """By VNI; those that are up."""


def tunnels(rack: Rack, peerings: Sequence[Session]) -> Iterator[str]:
    """Who has whose VLANs and prefixes, by name; how floods are replicated."""
    vteps = {name: found for name, device in rack.devices.items() if (found := _vtep(rack, name, device)) is not None}
    if not vteps:
        return
    known = tables(rack.world, peerings, "default")
    live = [each for each in peerings if each.up and each.neighbor.evpn and each.far is not None]
    for origin, one in vteps.items():
        heard = _heard(rack, origin, live)
        yield f"{origin} VTEP {one.source} {sorted(each.place for each in one.members.values())}"
        for name, other in vteps.items():
            below = any(name in known.get((origin, by), {}) for by in ("ospf", "bgp"))
            if name == origin or name not in heard or not below:
                continue
            for vni in one.members.keys() & other.members.keys():
                yield from _joined(origin, one.members[vni], name, other.members[vni])


def _joined(origin: str, one: Member, name: str, other: Member) -> Iterator[str]:
    if one.layer3 and other.layer3 and one.exports & other.imports:
        yield from (f"{name} {other.place} has {prefix} of {origin} {one.place}" for prefix in one.prefixes)
        yield f"{name} {other.place} hears {origin} {one.place}"
    if not one.layer3 and not other.layer3:
        yield f"{name} VLAN {other.place} joins {origin} VLAN {one.place}"
        if one.replication == other.replication:
            yield f"{name} VLAN {other.place} is flooded by {origin}"


def _vtep(rack: Rack, name: str, device: Device) -> Vtep | None:
    nve = device.interface("nve1")
    if nve is None or not device.admin_up("nve1", nve) or nve.get("host-reachability protocol") is None:
        return None
    source = nve.value("source-interface", "port")
    block = device.interface(source) or Node("")
    view = rack.world.views[name].routing()
    if not block.value("ip address", "address") or source not in view.addresses:
        return None
    told = source in view.ospf or str(interface(view.addresses[source]).network) in view.advertised
    if not told:
        return None
    found: dict[str, Member] = {}
    for member in nve.begin("member vni"):
        vni = member.values["vni"]
        known = _tenant(rack, name, device, vni) if member.line.endswith("associate-vrf") else _bridged(device, member)
        if known is not None:
            found[vni] = known
    return Vtep(source, found)


def _segment(device: Device, vni: str) -> str:
    found = (node.values["list"] for node in device.root.begin("vlan") if node.value("vn-segment", "vni") == vni)
    return next(found, "")


def _bridged(device: Device, member: Node) -> Member | None:
    vlan = _segment(device, member.values["vni"])
    group = member.value("mcast-group", "group") or ("bgp" if member.get("ingress-replication protocol") else "")
    return Member(vlan, layer3=False, replication=group) if vlan else None


def _tenant(rack: Rack, name: str, device: Device, vni: str) -> Member | None:
    """A VRF's VNI: it needs a VLAN whose interface is in the VRF and forwards."""
    vrfs = (each for each in device.root.begin("vrf context") if each.value("vni", "vni") == vni)
    context, vlan = next(vrfs, None), _segment(device, vni)
    svi = device.interface(f"Vlan{vlan}") if vlan else None
    if context is None or svi is None or svi.value("vrf member", "vrf") != context.values["name"]:
        return None
    if not svi.state("ip forward", False) or not device.admin_up(f"Vlan{vlan}", svi):
        return None
    process = next(device.root.begin("router bgp"), None)
    vrf = context.values["name"]
    inside = process.get(f"vrf {vrf}") if process is not None else None
    family = inside.get("address-family ipv4 unicast") if inside is not None else None
    asn = process.values["asn"] if process is not None else ""
    targets = context.get("address-family ipv4 unicast") or Node("")
    told = family is not None and family.get("advertise l2vpn evpn") is not None and context.get("rd") is not None
    known = {
        way: frozenset(
            words[2].replace("auto", f"{asn}:{vni}")
            for each in targets.children.values()
            if (words := each.line.split())[0] == "route-target" and words[-1] == "evpn" and words[1] in (way, "both")
        )
        for way in ("export", "import")
    }
    prefixes = tuple(_prefixes(rack, name, vrf)) if told else ()
    return Member(vrf, layer3=True, exports=known["export"], imports=known["import"], prefixes=prefixes)


def _prefixes(rack: Rack, name: str, vrf: str) -> Iterator[str]:
    view = rack.world.views[name].routing().vrfs.get(vrf)
    if view is not None:
        up = {port for port in view.addresses if state(rack.devices[name], port).up}
        for prefix in view.advertised:
            if any(str(interface(view.addresses[port]).network) == prefix for port in up):
                yield named(view, prefix)


def named(view: RoutingView, prefix: str) -> str:
    """A prefix by the interfaces that have it; as it is where hosts live in it, or nothing has it."""
    owners = [port for port, text in view.addresses.items() if str(interface(text).network) == prefix]
    hosts = not owners or any(port.startswith("Vlan") for port in owners)
    return f"{','.join(owners)}{prefix if hosts else ''}"


def _heard(rack: Rack, origin: str, live: list[Session]) -> set[str]:
    """Switches that an EVPN route of one switch reaches, by the rules of iBGP and its reflectors."""
    told, todo = {origin}, [(origin, True)]
    while todo:
        name, freely = todo.pop()
        for each in live:
            if each.device != name or each.far is None:
                continue
            far, mine = each.far[0], _towards(rack, name, each.neighbor.peer)
            back = next((back for back in live if back.device == far and back.far and back.far[0] == name), None)
            inside = rack.world.views[name].routing().asn == rack.world.views[far].routing().asn
            client = mine is not None and mine.get("route-reflector-client") is not None
            passes = freely or client or not inside
            if back is None or mine is None or far in told or not passes or not _with_targets(mine):
                continue
            theirs = _towards(rack, far, back.neighbor.peer)
            told.add(far)
            todo.append((far, not inside or (theirs is not None and theirs.get("route-reflector-client") is not None)))
    return told


def _towards(rack: Rack, name: str, peer: str) -> Node | None:
    process = next(rack.devices[name].root.begin("router bgp"), None)
    block = process.get(f"neighbor {peer}") if process is not None else None
    return block.get("address-family l2vpn evpn") if block is not None else None


def _with_targets(family: Node) -> bool:
    """Route targets are extended communities: without them nobody imports the route."""
    return any(line.endswith("extended") for line in family.children)
