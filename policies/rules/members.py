"""What belongs to a vPC on both peers: LACP, ports that mirror each other, gateways of the VLANs that it carries."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .bundles import protocol
from .nexus.device import Device
from .nexus.lines import Line
from .nexus.port import Port
from .pair import allowed
from .rule import Flaw, apart, known
from .tunnels import segments

_FEW = 3
"""Below this many ports of one name in one vPC on both peers nobody can say that ports mirror each other."""


@dataclass(frozen=True)
class Member:
    """A port that is up in a vPC."""

    port: Port
    vpc: str


def members(one: Device, two: Device) -> Iterator[Flaw]:
    """LACP on both peers or on neither; of mirrored ports none elsewhere; a gateway on both peers, in one VRF."""
    yield from apart((_modes(one, two), _mirrored(one, two), _carrying(one, two)))


def _mirrored(one: Device, two: Device) -> Iterator[Flaw]:
    if one.planned or one.part or two.part:
        return
    ours, theirs = dict(_members(one)), dict(_members(two))
    same = {name for name in ours.keys() & theirs.keys() if ours[name].vpc == theirs[name].vpc}
    odd = sorted((ours.keys() | theirs.keys()) - same)
    if len(same) >= _FEW and len(odd) == 1:
        yield _unlike(one, ours, two, theirs, odd[0])


def _carrying(one: Device, two: Device) -> Iterator[Flaw]:
    if one.part or two.part:
        return
    (ours, _), (theirs, _) = known(_members(one)), known(_members(two))  # what is not known `_modes` raises
    carried = _carried(ours) & _carried(theirs)
    yield from apart((_gateways(one, two, carried), _gateways(two, one, carried), _segments(one, two, carried)))


def _segments(one: Device, two: Device, carried: frozenset[int]) -> Iterator[Flaw]:
    """A VLAN of vPCs has one VNI on both peers, which are one VTEP to the others."""
    ours, theirs = segments(one), segments(two)
    for vlan in sorted(carried & (ours.keys() | theirs.keys()) & one.vlans & two.vlans):
        near, far = ours.get(vlan), theirs.get(vlan)
        line = near or theirs[vlan]
        if (near.words if near else ()) != (far.words if far else ()):
            device, other = (one, two) if near is None else (two, one)
            words = [each.words[1] if each is not None else "none" for each in (near, far)]
            yield Flaw(
                f"{one.name} VLAN {vlan} of vPCs has VNI {words[0]}, its peer {two.name} has {words[1]}",
                device.name,
                far if near is not None else near,
                f"vlan {vlan}\n  {line.command}",
                ((other.name, line),),
            )


def _members(device: Device) -> Iterator[tuple[str, Member]]:
    """Ports that are up in a vPC other than the peer link, with their names."""
    yield from apart(_member(port) for port in device.ports.values())


def _member(port: Port) -> Iterator[tuple[str, Member]]:
    vpc = port.bundle.value("vpc") if port.bundle is not None else ""
    if vpc.isdigit() and not port.down:
        yield port.name, Member(port, vpc)


def _modes(one: Device, two: Device) -> Iterator[Flaw]:
    """The mode of a port-channel is a type 1 consistency parameter: where it differs, the vPC is suspended."""
    ours, theirs = dict(_members(one)), dict(_members(two))
    for vpc in sorted({each.vpc for each in ours.values()} & {each.vpc for each in theirs.values()}):
        near, far = ([each.port for each in every.values() if each.vpc == vpc] for every in (ours, theirs))
        mine, other = ({protocol(port) == "on" for port in ports} for ports in (near, far))
        if len(mine) == len(other) == 1 and mine != other:
            words = [protocol(port) for port in (near[0], far[0])]
            yield Flaw(
                f"{one.name} {near[0].name} of vpc {vpc} bundles in mode {words[0]}, {far[0].name} of its peer "
                f"{two.name} in {words[1]}",
                one.name,
                near[0].at("bundle"),
                "channel-group <n> mode active on both peers",
                ((two.name, far[0].at("bundle")),),
            )


def _unlike(one: Device, ours: Mapping[str, Member], two: Device, theirs: Mapping[str, Member], name: str) -> Flaw:
    """A port that is not as its twin, where all others are."""
    (device, own), (peer, other) = ((one, ours), (two, theirs)) if name in ours else ((two, theirs), (one, ours))
    what = f"in vpc {other[name].vpc}" if name in other else _otherwise(peer, name)
    return Flaw(
        f"{device.name} {name} is in vpc {own[name].vpc}, on its peer {peer.name} it is {what}; all other ports of "
        "vPCs are alike on both",
        peer.name,
        peer.port(name).line,
        f"interface {name}\n  channel-group <n> mode active\n  no shutdown",
        ((device.name, own[name].port.at("bundle")),),
    )


def _otherwise(device: Device, name: str) -> str:
    port = device.port(name)
    return "in no vPC" if port.bundle is None or not port.bundle.value("vpc") else "shut"


def _carried(ports: Sequence[tuple[str, Member]]) -> frozenset[int]:
    return frozenset(vlan for _, each in ports for vlan in allowed(each.port))


def _gateways(device: Device, other: Device, carried: frozenset[int]) -> Iterator[Flaw]:
    """Hosts of a vPC hash to either peer: a gateway that is on one of them only is behind the peer link for half."""
    vlans = (name for name in device.ports if name.removeprefix("Vlan").isdecimal())
    shared = [name for name in vlans if int(name.removeprefix("Vlan")) in carried & other.vlans]
    yield from apart(_gateway(device, other, name) for name in shared)


def _gateway(device: Device, other: Device, name: str) -> Iterator[Flaw]:
    port = device.ports[name]
    if device.addresses.get(name) is None or not port.up or _standby(port):
        return
    there = other.ports.get(name)
    what = _unlike_gateway(port, there, first=device.name < other.name)
    if what:
        yield Flaw(
            f"{device.name} {name} is a gateway of vPCs in vrf {port.value('vrf') or 'default'}, its peer {other.name} "
            f"has {what}",
            other.name,
            _line(other, there),
            f"interface {name}\n  no shutdown\n  ip address <address>",
            ((device.name, port.line),),
        )


def _unlike_gateway(port: Port, there: Port | None, *, first: bool) -> str:
    """What the peer has instead of the same gateway; what both would say of each other the first of them says."""
    if there is None or not there.value("address"):
        return "no address there"
    if there.value("vrf") != port.value("vrf"):
        return f"its own in vrf {there.value('vrf') or 'default'}" if first else ""
    if port.value("anycast") and not there.value("anycast"):
        return "one there that is no anycast gateway"
    if not there.up:
        return "one there that is shut"
    if port.value("anycast") and there.value("address") != port.value("address") and first:
        return f"{there.value('address')} there: an anycast gateway has one address, {port.value('address')}"
    return ""


def _standby(port: Port) -> bool:
    """An HSRP group, which has rules of its own."""
    return any(line.words[:1] == ("hsrp",) for line in port.line.children)


def _line(device: Device, port: Port | None) -> Line | None:
    return port.line if port is not None else device.vpc
