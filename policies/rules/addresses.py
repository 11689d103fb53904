"""Addresses across switches: each on one interface of a VRF, each subnet on one link, masks alike, router ids apart."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Interface

from .nexus.device import Device
from .nexus.lines import Line
from .nexus.port import Port
from .rule import Flaw, NexusRule, NotApplicable, apart, known, nothing, perhaps

_HOST = 32
"""Prefix length of one address."""
_LINK = 30
"""The shortest prefix length of a subnet that has two ends."""
_FEW = 3
"""Below this many gateways nobody can say which mask stands out."""
_OSPF = "https://www.rfc-editor.org/rfc/rfc2328#section-1.2"
"""Definitions: the router id uniquely identifies the router within an Autonomous System."""


@dataclass(frozen=True)
class Place:
    """An address on an interface."""

    device: Device
    port: Port
    address: IPv4Interface

    def __str__(self) -> str:
        return f"{self.device.name} {self.port.name}"


def once(devices: Sequence[Device]) -> Iterator[Flaw]:
    """No address twice in a VRF, no subnet within another one, no router id twice."""
    if not any(perhaps(lambda device: device.addresses, each) for each in devices):
        raise NotApplicable("no interface has an address")
    sites = {} if all(device.planned for device in devices) else sites_of(devices)
    yield from apart((_between(devices, sites), apart(map(_in_one, devices)), _router_ids(devices, sites)))


def _between(devices: Sequence[Device], sites: Mapping[str, str]) -> Iterator[Flaw]:
    """Two that have one address have it whatever is not known; a subnet may be on a link to what is not known."""
    vrfs: dict[str, list[Place]] = defaultdict(list)
    anycast = {word for device in devices for line in device.rendezvous for word in line.words[3:4]}
    places, unknown = known(apart(map(_places, devices)))
    for place in places:
        vrfs[place.port.value("vrf")].append(place)
    for inside in vrfs.values():
        meant = sorted((each for each in inside if not _shared(each, inside, anycast)), key=str)
        yield from _twice(meant, sites)
        yield from _within(meant, sites) if unknown is None else ()
    if unknown is not None:
        raise unknown


def _places(device: Device) -> Iterator[Place]:
    for name, address in device.addresses.items():
        port = device.ports[name]
        if not port.down and "address" in port.own:  # not one that a member or subinterface only inherits
            yield Place(device, port, address)


def _in_one(device: Device) -> Iterator[Flaw]:
    yield from apart(ask(device) for ask in (_edges, _contexts, _masks))


def _shared(place: Place, places: Sequence[Place], anycast: Collection[str]) -> bool:
    """Addresses meant to be on several switches: gateways of a fabric, rendezvous points, loopbacks of which most are.

    A found loopback counts as one's own where three switches have their own in it.
    """
    if place.port.value("anycast") or str(place.address.ip) in anycast:
        return True
    if place.device.planned or not place.port.name.startswith("loopback"):
        return False
    return len({each.address.ip for each in places if each.port.name == place.port.name}) < _FEW


def sites_of(devices: Sequence[Device]) -> Mapping[str, str]:
    """For each switch the first of those it is cabled to, over others too; two sites may have the same addresses."""
    joined: dict[str, set[str]] = {device.name: set() for device in devices}
    for device in devices:
        for end in device.links.values():
            if end.device in joined:
                joined[device.name].add(end.device)
                joined[end.device].add(device.name)
    found: dict[str, str] = {}
    for device in devices:
        todo = [device.name] if device.name not in found else []
        while todo:
            name = todo.pop()
            if name not in found:
                found[name] = device.name
                todo += joined[name]
    return found


def _apart(one: Place, two: Place, sites: Mapping[str, str]) -> bool:
    """Found switches of two fabrics, both of which are known by their cables."""
    if one.device.planned or sites[one.device.name] == sites[two.device.name]:
        return False
    return bool(one.device.links) and bool(two.device.links)


def _twice(places: Sequence[Place], sites: Mapping[str, str]) -> Iterator[Flaw]:
    owners: dict[str, Place] = {}
    for place in places:
        first = owners.setdefault(str(place.address.ip), place)
        if first is not place and not _apart(first, place, sites) and not _one_cable(first, place):
            address = str(place.address.ip)
            yield replace(_flaw(first, place, f"both have the address {address}"), excused_by=_sharing(address))


def _sharing(address: str) -> Callable[[Device], bool]:
    """Whether a switch makes an address one that several are meant to have."""
    return lambda device: any(address in line.words for line in device.rendezvous)


def _one_cable(one: Place, two: Place) -> bool:
    """The two ends of a cable are another rule's."""
    end = one.device.links.get(one.port.name)
    return end is not None and (end.device, end.port) == (two.device.name, two.port.name)


def _within(places: Sequence[Place], sites: Mapping[str, str]) -> Iterator[Flaw]:
    """A subnet that holds another one, or is on more interfaces than see each other; neighbours in order tell."""
    ordered = sorted(
        places, key=lambda each: (int(each.address.network.network_address), each.address.network.prefixlen)
    )
    around: list[Place] = []
    for place in ordered:
        while around and around[-1].address.network.broadcast_address < place.address.network.network_address:
            around.pop()
        outer = around[-1] if around else None
        if outer is not None and not _apart(outer, place, sites) and not _one_cable(outer, place):
            mine, theirs = place.address.network, outer.address.network
            if mine != theirs and mine.prefixlen < _HOST and not _one_cable(place, outer):
                yield _flaw(outer, place, f"have {outer.address} and {place.address}, subnets that overlap")
            elif mine == theirs and place.address.ip != outer.address.ip and _elsewhere(outer, place):
                yield _flaw(outer, place, f"are in one subnet, {mine}, and on no link with each other")
        if outer is None or outer.address.network != place.address.network:
            around.append(place)


def _elsewhere(one: Place, two: Place) -> bool:
    """Whether two interfaces in one subnet cannot see each other, as far as cables are known."""
    if one.device is two.device:
        return True
    ends = [each.device.links.get(each.port.name) for each in (one, two)]
    if all(end is not None for end in ends):
        return one.address.network.prefixlen >= _LINK
    routed = one.port.name.startswith("Vlan") and two.port.name.startswith("Vlan")
    return routed and one.device.planned and not _joined(one.device, two.device)


def _joined(one: Device, two: Device) -> bool:
    """Whether a peer link or another switched cable joins two switches."""
    return any(end.device == two.name and end.role == "peer" for end in one.links.values())


def _flaw(one: Place, two: Place, what: str) -> Flaw:
    return Flaw(
        f"{one} and {two} {what}",
        two.device.name,
        two.port.at("address"),
        f"interface {two.port.name}\n  ip address <an address of its own>",
        ((one.device.name, one.port.at("address")),),
    )


def _edges(device: Device) -> Iterator[Flaw]:
    """The first and the last address of a subnet belong to no interface; RFC 3021 excepts /31."""
    for name, address in device.addresses.items():
        net = address.network
        if net.prefixlen < _HOST - 1 and address.ip in (net.network_address, net.broadcast_address):
            what = "the network itself" if address.ip == net.network_address else "its broadcast address"
            message = f"{device.name} {name} has {address}, which is {what}"
            yield Flaw(
                message,
                device.name,
                device.ports[name].at("address"),
                f"interface {name}\n  ip address <host>",
                excused_by=nothing,
            )


def _contexts(device: Device) -> Iterator[Flaw]:
    """A VRF that an interface is in is defined; without its context nothing is routed there."""
    if not device.part:
        yield from apart(_context(device, port) for port in device.ports.values())


def _context(device: Device, port: Port) -> Iterator[Flaw]:
    vrf = port.value("vrf")
    if not vrf or "vrf" not in port.own or vrf in ("management", "default") or not port.value("address"):
        return
    if device.top("vrf", "context", vrf) is None:
        message = f"{device.name} {port.name} is in vrf {vrf}, which is not defined"
        yield Flaw(message, device.name, port.at("vrf"), f"vrf context {vrf}", excused_by=nothing)


def _masks(device: Device) -> Iterator[Flaw]:
    """In a plan, gateways of one switch have one mask, and a loopback is a host."""
    if device.planned:
        yield from apart((_loopbacks(device), _gateways(device)))


def _loopbacks(device: Device) -> Iterator[Flaw]:
    for name, address in device.addresses.items():
        if name.startswith("loopback") and address.network.prefixlen != _HOST:
            message = f"{device.name} {name} has {address}: a loopback is one address, /32"
            instead = f"interface {name}\n  ip address {address.ip}/32"
            yield Flaw(message, device.name, device.ports[name].at("address"), instead, excused_by=nothing)


def _gateways(device: Device) -> Iterator[Flaw]:
    gateways = {name: at for name in device.ports if name.startswith("Vlan")
                if (at := device.addresses.get(name)) is not None and at.network.prefixlen < _LINK}  # fmt: skip
    lengths = Counter(at.network.prefixlen for at in gateways.values())
    for name, address in gateways.items():
        usual, number = lengths.most_common()[0]
        if address.network.prefixlen != usual and number >= _FEW and number == len(gateways) - 1:
            message = f"{device.name} {name} has {address}, its other {number} gateways have /{usual}"
            instead = f"interface {name}\n  ip address {address.ip}/{usual}"
            yield Flaw(message, device.name, device.ports[name].at("address"), instead, excused_by=nothing)


def _router_ids(devices: Sequence[Device], sites: Mapping[str, str]) -> Iterator[Flaw]:
    """Two switches of one protocol and one site with one router id refuse or mistake each other."""
    first: dict[tuple[str, str, str], tuple[Device, Line]] = {}
    stated, unknown = known(apart(map(_ids, devices)))
    for device, protocol, line in stated:
        site = "" if device.planned else sites[device.name]
        other, at = first.setdefault((protocol, line.words[1], site), (device, line))
        if other is not device:
            yield Flaw(
                f"{device.name} and {other.name} both have the {protocol.upper()} router id {line.words[1]}",
                device.name,
                line,
                "router-id <address of its own loopback0>",
                ((other.name, at),),
                excused_by=nothing,
            )
    if unknown is not None:
        raise unknown


def _ids(device: Device) -> Iterator[tuple[Device, str, Line]]:
    for block in device.lines:
        if block.words[:2] in (("router", "bgp"), ("router", "ospf")):
            for line in block.children:
                if line.words[:1] == ("router-id",) and len(line.words) > 1:
                    yield device, block.words[1], line


ADDRESSES: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-addresses-once",
        title="Each address, subnet and router id belongs to one switch",
        why="Of two interfaces with one address, or links with one subnet, others reach now one, now the other.",
        fix="Remove ip address and router-id lines from fabric.extra: the plan gives each its own.",
        reference=_OSPF,
        severity="critical",
        judge=once,
        alone=False,
    ),
)
"""The rule about addresses."""
