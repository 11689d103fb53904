"""What both peers of a vPC domain must have alike: vPCs, VLANs, gateways, and the domain itself."""

from collections.abc import Iterator, Sequence

from .domains import domains
from .members import members
from .nexus.device import Device
from .nexus.lines import Line
from .nexus.port import Port
from .nexus.spelling import numbers
from .pair import allowed, keepalive_of, management, paired, standby
from .rule import Flaw, NotApplicable
from .vlans import gateway

_ALIKE = (("mtu", "mtu"), ("mode", "switchport mode"), ("native", "native vlan"))
"""Settings of a vPC port-channel that both peers must have alike (type 1 consistency parameters)."""


def peers(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Both peers of a domain have the same vPCs, set alike."""
    found = list(_pairs([device for device, _ in paired(devices)]))
    both = [pair for pair in found if _domain(pair[0]) == _domain(pair[1])]
    apart = list(_apart([pair for pair in found if _domain(pair[0]) != _domain(pair[1])]))
    if not both and not apart:
        raise NotApplicable("the two peers of a vPC domain are not both here")
    yield from apart
    for one, two in both:
        ours, theirs = _channels(one), _channels(two)
        for number in sorted(set(ours) ^ set(theirs)):
            device, port = (one, ours[number]) if number in ours else (two, theirs[number])
            other = two if device is one else one
            yield Flaw(
                f"{device.name} {port.name} is vpc {number}, which {other.name} does not have",
                device.name,
                port.at("vpc"),
                f"on {other.name}: interface port-channel<n>\n  vpc {number}",
            )
        for number in sorted(set(ours) & set(theirs)):
            yield from _unlike(one, ours[number], two, theirs[number])
            yield from _empty(one, ours[number], two, theirs[number])
        yield from _vlans(one, two)
        yield from _gateways(one, two)
        yield from _standby(one, two)
        yield from domains(one, two)
        yield from members(one, two)


def _domain(device: Device) -> str:
    return device.vpc.words[-1] if device.vpc is not None else ""


def _pairs(devices: Sequence[Device]) -> Iterator[tuple[Device, Device]]:
    """Switches of which each sends its keepalives to the other; then those of which one does; then equal domains."""
    owners = {address: device for device in devices for address in {*device.own_addresses, management(device)} - {""}}
    watched = {device.name: owners.get(_far(device)) for device in devices}
    met: set[str] = set()
    for mutual in (True, False):
        for device in devices:
            other = watched[device.name]
            if other is None or other is device or {device.name, other.name} & met:
                continue
            if not mutual or watched[other.name] is device:
                met |= {device.name, other.name}
                first, second = sorted((device, other), key=devices.index)
                yield first, second
    left: dict[str, list[Device]] = {}
    for device in devices:
        if device.name not in met:
            left.setdefault(_domain(device), []).append(device)
    yield from ((pair[0], pair[1]) for pair in left.values() if len(pair) == 2 and _together(*pair))


def _apart(pairs: Sequence[tuple[Device, Device]]) -> Iterator[Flaw]:
    """Two switches that watch each other and are in domains of different numbers: no vPC comes up."""
    for one, two in pairs:
        ours, theirs = one.vpc, two.vpc
        assert ours is not None
        assert theirs is not None
        if _far(one) in _own(two) and _far(two) in _own(one):
            yield Flaw(
                f"{one.name} is in {ours.command}, its peer {two.name} in {theirs.command}",
                one.name,
                ours,
                f"the same {ours.command} on both peers",
                ((two.name, theirs),),
            )


def _own(device: Device) -> set[str]:
    return {*device.own_addresses, management(device)} - {""}


def _far(device: Device) -> str:
    """Where a switch sends its keepalives."""
    lines = device.vpc.children if device.vpc is not None else ()
    found = next((keepalive_of(each) for each in reversed(lines) if each.words[:1] == ("peer-keepalive",)), {})
    return found.get("destination", "")


def _together(one: Device, two: Device) -> bool:
    """Two switches with one domain number are peers unless their keepalives point elsewhere."""
    for device, other in ((one, two), (two, one)):
        if _far(device) and management(other) and _far(device) not in _own(other):
            return False
    return True


def _channels(device: Device) -> dict[str, Port]:
    """Port-channels by vPC number, `peer-link` among them; a member only inherits the number, an SVI has none."""
    joined = (port for port in device.ports.values() if port.bundle is None and gateway(port) is None)
    found = {port.value("vpc"): port for port in joined if port.value("vpc")}
    return {number: port for number, port in found.items() if not port.down}


def _empty(one: Device, ours: Port, two: Device, theirs: Port) -> Iterator[Flaw]:
    """A vPC that has members on one peer, and on the other none that is up: its host hangs on one switch."""
    filled = [
        any(not port.down for port in device.members(channel.name.removeprefix("port-channel")))
        for device, channel in ((one, ours), (two, theirs))
    ]
    if one.planned or one.part or two.part or filled[0] == filled[1]:
        return
    (lack, port), (have, other) = ((two, theirs), (one, ours)) if filled[0] else ((one, ours), (two, theirs))
    yield Flaw(
        f"{lack.name} {port.name} has no member that is up, {other.name} of its peer {have.name} has",
        lack.name,
        port.line,
        f"interface <port>\n  channel-group {port.name.removeprefix('port-channel')} mode active\n  no shutdown",
        ((have.name, other.line),),
    )


def _unlike(one: Device, ours: Port, two: Device, theirs: Port) -> Iterator[Flaw]:
    for slot, words in _ALIKE:
        first, second = _value(ours, slot), _value(theirs, slot)
        if first != second:
            yield Flaw(
                f"{one.name} {ours.name} has {words} {first}, its peer {two.name} has {second}",
                one.name,
                ours.at(slot),
                f"the same {words} on both peers",
                ((two.name, theirs.at(slot)),),
            )
    yield from _individual(one, ours, two, theirs)
    if one.planned and ours.value("queuing") != theirs.value("queuing"):
        yield Flaw(
            f"{one.name} {ours.name} and its peer {two.name} do not have the same queuing policy",
            one.name,
            ours.at("queuing"),
            "the same service-policy type queuing output on both peers",
            ((two.name, theirs.at("queuing")),),
        )
    odd = ",".join(map(str, sorted(allowed(ours) ^ allowed(theirs))))
    if odd:
        yield Flaw(
            f"{one.name} {ours.name} and its peer {two.name} do not carry the same VLANs: {odd} on one of them only",
            one.name,
            ours.at("allowed"),
            "the same switchport trunk allowed vlan on both peers",
            ((two.name, theirs.at("allowed")),),
        )


def _individual(one: Device, ours: Port, two: Device, theirs: Port) -> Iterator[Flaw]:
    """A host boots before it speaks LACP: it comes up on the peer that lets its port run by itself, and no other."""
    alone = [port.at("suspend").words[:1] == ("no",) for port in (ours, theirs)]
    if alone[0] != alone[1]:
        (has, lets), (lacks, port) = ((one, ours), (two, theirs)) if alone[0] else ((two, theirs), (one, ours))
        yield Flaw(
            f"{has.name} {lets.name} has no lacp suspend-individual, its peer {lacks.name} suspends ports without LACP",
            lacks.name,
            port.line,
            f"interface {port.name}\n  no lacp suspend-individual",
            ((has.name, lets.at("suspend")),),
        )


def _value(port: Port, slot: str) -> str:
    return str(port.mtu) if slot == "mtu" else port.value(slot) or {"mode": "access", "native": "1"}[slot]


def _gateways(one: Device, two: Device) -> Iterator[Flaw]:
    """The SVI of a VLAN that both peers route."""
    for name, ours in one.ports.items():
        theirs = two.ports.get(name)
        if theirs is None or not name.startswith("Vlan") or ours.mtu == theirs.mtu or not (ours.up and theirs.up):
            continue
        if ours.value("address") and theirs.value("address"):
            low, port = min(((one, ours), (two, theirs)), key=lambda each: each[1].mtu)
            yield Flaw(
                f"{one.name} {name} has mtu {ours.mtu}, its peer {two.name} has mtu {theirs.mtu}",
                low.name,
                port.at("mtu"),
                f"interface {name}\n  mtu {max(ours.mtu, theirs.mtu)}",
            )


def _vlans(one: Device, two: Device) -> Iterator[Flaw]:
    """A VLAN of a vPC that only one peer has is suspended there."""
    if one.part or two.part:
        return
    ours, theirs = _channels(one), _channels(two)
    carried = {
        vlan
        for number in set(ours) & set(theirs) - {"peer-link"}
        for vlan in allowed(ours[number]) & allowed(theirs[number])
    }
    for has, lacks in ((one, two), (two, one)):
        for vlan in sorted((has.vlans - lacks.vlans) & carried):
            line = next((each for each in has.lines if each.words[:1] == ("vlan",) and vlan in _created(each)), None)
            yield Flaw(
                f"{has.name} has VLAN {vlan} of its vPCs, its peer {lacks.name} does not",
                has.name,
                line,
                f"on {lacks.name}: vlan {vlan}",
            )


def _created(line: Line) -> frozenset[int]:
    return numbers("".join(line.words[1:2]))


def _standby(one: Device, two: Device) -> Iterator[Flaw]:
    """An HSRP group has its other half on the peer, with the same address; else both forward, or nobody takes over."""
    ours, theirs = _groups(one), _groups(two)
    for device, other, own, far in ((one, two, ours, theirs), (two, one, theirs, ours)):
        for (name, group), (line, virtual) in own.items():
            there = far.get((name, group))
            if there is None:
                if not other.part:
                    yield _alone(device, name, group, line, other)
            elif one.planned and _preempts(line) and not _preempts(there[0]):
                yield Flaw(
                    f"{other.name} {name} hsrp {group} does not preempt, its peer {device.name} does",
                    other.name,
                    there[0],
                    f"interface {name}\n  hsrp {group}\n    preempt",
                    ((device.name, line),),
                )
            elif device is one and virtual != there[1]:
                words = (" ".join(sorted(each)) or "no address" for each in (virtual, there[1]))
                yield Flaw(
                    f"{one.name} {name} hsrp {group} has {', its peer has '.join(words)}",
                    one.name,
                    line,
                    "the same virtual address on both peers",
                    ((two.name, there[0]),),
                )


def _alone(device: Device, name: str, group: str, line: Line, other: Device) -> Flaw:
    return Flaw(
        f"{device.name} {name} is in hsrp {group}, its peer {other.name} is not",
        device.name,
        line,
        f"on {other.name}: interface {name}\n  no shutdown\n  hsrp {group}",
    )


def _preempts(group: Line) -> bool:
    return any(line.words[:1] == ("preempt",) for line in group.children)


def _groups(device: Device) -> dict[tuple[str, str], tuple[Line, frozenset[str]]]:
    """HSRP groups of SVIs that are up: interface and group, their line and virtual addresses."""
    return {
        (name, group): (line, frozenset(each.command for each in line.children if each.words[:1] == ("ip",)))
        for name, group, line in standby(device)
        if device.port(name).up
    }
