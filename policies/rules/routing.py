"""Routing between switches: what one end says of a session or a link, the other end says too."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from .cables import cables
from .nexus.device import Device, Neighbor
from .nexus.lines import Line
from .nexus.port import Port
from .rule import Flaw, NexusRule, NotApplicable

_BGP = "https://www.rfc-editor.org/rfc/rfc4271#section-6.2"
"""OPEN message error handling: a peer AS that is not expected is refused."""
_OSPF = "https://www.rfc-editor.org/rfc/rfc2328#section-8.2"
"""Receiving protocol packets: the area and the subnet must be the interface's own."""


@dataclass(frozen=True)
class Owner:
    """The interface that an address stands on."""

    device: Device
    port: Port


def sessions(devices: Sequence[Device]) -> Iterator[Flaw]:
    """A BGP neighbour that is one of the switches given: it runs BGP in that AS, and calls back."""
    owners = _owners(devices)
    known = False
    for device in devices:
        lost = list(_lost(device, owners)) if device.planned else []
        known = known or bool(lost)
        yield from lost
        for each in device.bgp.neighbors if device.bgp is not None else ():
            owner = owners.get((each.vrf, each.name))
            if owner is not None and not _shut(each):
                known = True
                yield from _session(device, each, owner)
    if not known:
        raise NotApplicable("no switch has a BGP neighbour among the switches given")


def _lost(device: Device, owners: Mapping[tuple[str, str], Owner]) -> Iterator[Flaw]:
    """Sessions of a plan that nothing carries: no process, no interface towards the neighbour, an SVI that is shut."""
    feature = device.top("feature", "bgp")
    if feature is not None and device.bgp is None:
        message = f"{device.name} has feature bgp and no router bgp: the sessions that it was planned for are missing"
        yield Flaw(message, device.name, feature, "router bgp <asn>")
    behind = {neighbor.name: port for neighbor, port in device.reached}
    for each in device.bgp.neighbors if device.bgp is not None else ():
        port = behind.get(each.name)
        single = not each.name[:1].isalpha() and not {"/", ":"} & set(each.name)
        if port is None and single and (each.vrf, each.name) not in owners:
            message = f"{device.name} has neighbor {each.name}, and no interface with an address in its subnet"
            yield Flaw(message, device.name, each.line, "interface <name>\n  ip address <address in its subnet>")
        if port is not None and port.name.startswith("Vlan") and not port.up:
            message = f"{device.name} has neighbor {each.name} behind {port.name}, which is shut"
            yield Flaw(message, device.name, port.line, f"interface {port.name}\n  no shutdown")


def _session(device: Device, neighbor: Neighbor, owner: Owner) -> Iterator[Flaw]:
    peer, at = owner.device, owner.device.bgp
    assert device.bgp is not None
    if peer is device:
        message = f"{device.name} has neighbor {neighbor.name}, which is its own address on {owner.port.name}"
        yield Flaw(message, device.name, neighbor.line, f"neighbor <address of the other end>\n  {_remote(neighbor)}")
        return
    if at is None:
        if not peer.part:
            message = f"{device.name} has neighbor {neighbor.name}, which is {peer.name}, where no BGP runs"
            yield Flaw(message, device.name, neighbor.line, f"no neighbor {neighbor.name}")
        return
    if neighbor.asn.replace(".", "").isdigit() and neighbor.asn != at.asn and not _local_as(at.neighbors, device):
        yield Flaw(
            f"{device.name} expects {peer.name} ({neighbor.name}) in AS {neighbor.asn}, which runs AS {at.asn}",
            device.name,
            neighbor.line,
            f"neighbor {neighbor.name}\n  remote-as {at.asn}",
            ((peer.name, at.line),),
        )
    if not peer.part and not any(_calls(back, device) for back in at.neighbors if back.vrf == neighbor.vrf):
        yield Flaw(
            f"{device.name} has neighbor {neighbor.name}, which is {peer.name}: no neighbor there is {device.name}",
            device.name,
            neighbor.line,
            f"neighbor <address of {device.name}>\n  remote-as {device.bgp.asn}",
            ((peer.name, at.line),),
        )
    yield from _guard(device, neighbor, peer)


def _guard(device: Device, neighbor: Neighbor, peer: Device) -> Iterator[Flaw]:
    """TTL security at one end alone: this one drops what the other sends for a single hop."""
    own = _ttl(neighbor)
    back = [each for each in peer.bgp.neighbors if _is(each, device) and each.vrf == neighbor.vrf] if peer.bgp else []
    if own is None or peer.part or not back or any(_ttl(each) is not None for each in back):
        return
    yield Flaw(
        f"{device.name} has ttl-security for {peer.name} ({neighbor.name}), which has none for it: no session comes up",
        device.name,
        own,
        f"neighbor {back[0].name}\n  {own.command}",
        ((peer.name, back[0].line),),
    )


def _ttl(neighbor: Neighbor) -> Line | None:
    return next((line for line in neighbor.line.children if line.words[:1] == ("ttl-security",)), None)


def _is(neighbor: Neighbor, device: Device) -> bool:
    """Whether a neighbour is this switch by an address; which port of a cable it is by is not asked here."""
    return neighbor.name in device.own_addresses


def _remote(neighbor: Neighbor) -> str:
    return f"remote-as {neighbor.asn}" if neighbor.asn else "inherit peer <template>"


def _shut(neighbor: Neighbor) -> bool:
    return any(line.words == ("shutdown",) for line in neighbor.line.children)


def _local_as(neighbors: Sequence[Neighbor], device: Device) -> bool:
    """Whether the peer shows this switch another AS than its own."""
    called = (line for each in neighbors if _calls(each, device) for line in each.line.children)
    return any(line.words[:1] == ("local-as",) for line in called)


def _calls(neighbor: Neighbor, device: Device) -> bool:
    """Whether a neighbour is this switch: by address, by a prefix that holds one of its addresses, or by a port."""
    if neighbor.name[:1].isalpha() or ":" in neighbor.name:
        return True  # unnumbered: whoever is at the other end of the port; addresses of IPv6 are not read
    if "/" not in neighbor.name:
        return neighbor.name in device.own_addresses
    try:
        meant = IPv4Network(neighbor.name)
    except ValueError:
        return True
    return any(address.ip in meant for address in device.addresses.values())


def links(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Both ends of a routed cable are in one subnet with addresses of their own, and in one OSPF area or in none."""
    known = list(cables(devices))
    for device, near, peer, far in known:
        if not near.down and not far.down:
            yield from _addresses(device, near, peer, far)
            yield from _areas(device, near, peer, far)
    if not known:
        raise NotApplicable("no cable between the switches given is known")


def _addresses(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    mine, theirs = device.addresses.get(near.name), peer.addresses.get(far.name)
    if mine is None or theirs is None:
        return
    if mine.ip == theirs.ip:
        what = f"both have address {mine.ip}"
    elif mine.network != theirs.network:
        what = f"have {mine} and {theirs}, which are not one subnet"
    else:
        return
    yield Flaw(
        f"{device.name} {near.name} and {peer.name} {far.name} are one cable and {what}",
        device.name,
        near.at("address"),
        f"interface {near.name}\n  ip address <the other address of {theirs.network}>",
        ((peer.name, far.at("address")),),
    )


def _areas(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    one, other = _area(near), _area(far)
    if one == other or (None in (one, other) and (device.part or peer.part)):
        return
    (with_it, area), (without, missing) = sorted(
        (((device, near), one), ((peer, far), other)), key=lambda each: each[1] is None
    )
    if missing is None and not without[1].routed:
        return
    spoken = f"is in area {missing}" if missing is not None else "does not run OSPF"
    yield Flaw(
        f"{with_it[0].name} {with_it[1].name} is in OSPF area {area}, the other end of its cable, {without[0].name} "
        f"{without[1].name}, {spoken}",
        without[0].name,
        without[1].at("ospf"),
        f"interface {without[1].name}\n  ip router ospf <process> area {area}",
        ((with_it[0].name, with_it[1].at("ospf")),),
    )


def _area(port: Port) -> str | None:
    """The area of a port as an address; None where OSPF does not run."""
    if not port.value("ospf"):
        return None
    word = port.at("ospf").words[-1]
    return str(IPv4Address(int(word))) if word.isdigit() else word


def _owners(devices: Sequence[Device]) -> Mapping[tuple[str, str], Owner]:
    """Interfaces by VRF and address; an address on several switches (anycast) belongs to none."""
    found: dict[tuple[str, str], Owner] = {}
    shared: set[tuple[str, str]] = set()
    for device in devices:
        for name, address in device.addresses.items():
            port = device.ports[name]
            key = (port.value("vrf"), str(address.ip))
            shared |= {key} & found.keys()
            found[key] = Owner(device, port)
    return {key: owner for key, owner in found.items() if key not in shared}


ROUTING: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-sessions-both-ends",
        title="Both ends of a BGP session name each other, with the AS that runs there",
        why="A session that one end expects from another AS, or does not expect at all, never comes up.",
        fix="Remove neighbours from fabric.extra: the plan gives each link its session, with both AS numbers.",
        reference=_BGP,
        severity="high",
        judge=sessions,
        alone=False,
    ),
    NexusRule(
        id="fabric-links-one-subnet",
        title="Both ends of a routed cable are in one subnet and one OSPF area",
        why="Ends in two subnets or areas see each other's light and exchange no route: the link carries nothing.",
        fix="Remove addresses and areas of leaf-spine links from fabric.extra: the plan gives both ends theirs.",
        reference=_OSPF,
        severity="high",
        judge=links,
        alone=False,
    ),
)
"""Rules of routing between switches."""
