"""What both peers of a vPC domain must have alike: vPCs, VLANs, gateways, and the domain itself."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .domains import domains
from .members import members
from .nexus.device import Device
from .nexus.lines import Line
from .nexus.port import Port
from .nexus.spelling import numbers
from .pair import allowed, paired, standby
from .pairing import domain_of, pairs, rival_of, watch_each_other
from .rule import Flaw, apart, known, spoken

_ALIKE = (("mtu", "mtu"), ("mode", "switchport mode"), ("native", "native vlan"))
"""Settings of a vPC port-channel that both peers must have alike (type 1 consistency parameters)."""


def peers(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Both peers of a domain have the same vPCs, set alike."""
    named = [device for device, _ in paired(devices)]
    yield from spoken(
        apart(_looked_at(*each) for each in pairs(named)), "the two peers of a vPC domain are not both here"
    )


def _looked_at(one: Device, two: Device) -> Iterator[Flaw | None]:
    """What is wrong between two peers."""
    for each in _apart(one, two) if domain_of(one) != domain_of(two) else _together(one, two):
        yield replace(each, excused_by=rival_of(one, two)) if each is not None else None


def _together(one: Device, two: Device) -> Iterator[Flaw | None]:
    yield None
    yield from apart(ask(one, two) for ask in (_vpcs, _vlans, _gateways, _standby, domains, members))


def _vpcs(one: Device, two: Device) -> Iterator[Flaw]:
    (ours, first), (theirs, second) = known(_channels(one)), known(_channels(two))
    here, there = dict(reversed(ours)), dict(reversed(theirs))
    if first is None and second is None:
        for number in sorted(set(here) ^ set(there)):
            device, port = (one, here[number]) if number in here else (two, there[number])
            other = two if device is one else one
            yield Flaw(
                f"{device.name} {port.name} is vpc {number}, which {other.name} does not have",
                device.name,
                port.at("vpc"),
                f"on {other.name}: interface port-channel<n>\n  vpc {number}",
            )
    for number in sorted(set(here) & set(there)):
        yield from apart(ask(one, here[number], two, there[number]) for ask in (_unlike, _empty))
    if unknown := first or second:
        raise unknown


def _apart(one: Device, two: Device) -> Iterator[Flaw]:
    """Two switches that watch each other and are in domains of different numbers: no vPC comes up."""
    ours, theirs = one.vpc, two.vpc
    if ours is not None and theirs is not None and watch_each_other(one, two):
        yield Flaw(
            f"{one.name} is in {ours.command}, its peer {two.name} in {theirs.command}",
            one.name,
            ours,
            f"the same {ours.command} on both peers",
            ((two.name, theirs),),
        )


def _channels(device: Device) -> Iterator[tuple[str, Port]]:
    """Port-channels with their vPC number, `peer-link` among them; a member only inherits the number."""
    yield from apart(_channel(port) for port in device.ports.values() if port.name.startswith("port-channel"))


def _channel(port: Port) -> Iterator[tuple[str, Port]]:
    if port.value("vpc") and not port.down:
        yield port.value("vpc"), port


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
    shared = [name for name in one.ports if name in two.ports and name.startswith("Vlan")]
    yield from apart(_gateway(one, two, name) for name in shared)


def _gateway(one: Device, two: Device, name: str) -> Iterator[Flaw]:
    ours, theirs = one.ports[name], two.ports[name]
    if ours.mtu == theirs.mtu or not (ours.up and theirs.up):
        return
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
    (ours, first), (theirs, second) = known(_channels(one)), known(_channels(two))
    here, there = dict(reversed(ours)), dict(reversed(theirs))
    carried = {
        vlan
        for number in set(here) & set(there) - {"peer-link"}
        for vlan in allowed(here[number]) & allowed(there[number])
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
    if unknown := first or second:
        raise unknown


def _created(line: Line) -> frozenset[int]:
    return numbers("".join(line.words[1:2]))


def _standby(one: Device, two: Device) -> Iterator[Flaw]:
    """An HSRP group has its other half on the peer, with the same address; else both forward, or nobody takes over."""
    names = dict.fromkeys(name for device in (one, two) for name in device.ports if name.startswith("Vlan"))
    yield from apart(_halves(one, two, name) for name in names)


def _halves(one: Device, two: Device, name: str) -> Iterator[Flaw]:
    ours, theirs = _groups(one, name), _groups(two, name)
    for device, other, own, far in ((one, two, ours, theirs), (two, one, theirs, ours)):
        for group, (line, virtual) in own.items():
            there = far.get(group)
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


def _groups(device: Device, name: str) -> dict[str, tuple[Line, frozenset[str]]]:
    """HSRP groups of an SVI that is up: their line and virtual addresses."""
    return {
        group: (line, frozenset(each.command for each in line.children if each.words[:1] == ("ip",)))
        for group, line in standby(device, name)
        if device.port(name).up
    }
