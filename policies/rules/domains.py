"""The vPC domain itself, as both peers of it are set: settings alike, keepalive and virtual peer link to each other."""

from collections.abc import Iterator

from .nexus.device import Device
from .nexus.lines import Line
from .nexus.spelling import numbers
from .pair import keepalive_of, management, standby
from .rule import Flaw, apart

_SETTINGS = (
    "peer-gateway", "peer-switch", "auto-recovery", "layer3 peer-router", "ip arp synchronize", "ipv6 nd synchronize",
)  # fmt: skip
"""Settings of a domain that work only where both peers have them (type 2 consistency parameters)."""


_USUAL = 100
"""Priority of an HSRP group where none is configured (unicast routing guide)."""
_PRIORITY = 32768
"""Spanning tree's priority where none is configured (IEEE 802.1Q)."""


def domains(one: Device, two: Device) -> Iterator[Flaw]:
    """What one peer of a domain has and the other has not, or has otherwise."""
    both = ((one, two), (two, one))
    each_way = (ask(device, other) for device, other in both for ask in (_settings, _keepalive, _virtual))
    yield from apart((*each_way, _subnets(one, two), _roots(one, two), _ranks(one, two)))


def _find(device: Device, words: str) -> Line | None:
    lines = device.vpc.children if device.vpc is not None else ()
    wanted = tuple(words.split())
    return next((line for line in lines if line.words[: len(wanted)] == wanted), None)


def _settings(device: Device, other: Device) -> Iterator[Flaw]:
    for words in _SETTINGS:
        line = _find(device, words)
        if line is not None and _find(other, words) is None and not other.part:
            yield Flaw(
                f"{other.name} has no {words} in its vPC domain, its peer {device.name} has",
                other.name,
                other.vpc,
                f"{other.vpc.command if other.vpc is not None else 'vpc domain'}\n  {line.command}",
                ((device.name, line),),
            )


def _keepalive(device: Device, other: Device) -> Iterator[Flaw]:
    line = _find(device, "peer-keepalive")
    words = keepalive_of(line) if line is not None else {}
    far = words.get("destination", "")
    known = bool(management(other)) if words.get("vrf", "management") == "management" else not other.part
    if far and known and far != management(other) and far not in other.own_addresses:
        yield Flaw(
            f"{device.name} sends its keepalive to {far}, which is no address of its peer {other.name}",
            device.name,
            line,
            f"peer-keepalive destination {management(other) or '<address of the peer>'}",
        )


def _virtual(device: Device, other: Device) -> Iterator[Flaw]:
    """The peer link through the fabric starts at an own address and ends at one of the peer."""
    line = _find(device, "virtual peer-link")
    words = dict(zip(line.words[2::2], line.words[3::2], strict=False)) if line is not None else {}
    for key, owner, what in (("source", device, "its own"), ("destination", other, f"its peer {other.name}'s")):
        if line is not None and words.get(key, "") not in owner.own_addresses and not owner.part:
            yield Flaw(
                f"{device.name} has a virtual peer link with {key} {words.get(key) or 'missing'}, which is no address "
                f"of {what}",
                device.name,
                line,
                "virtual peer-link destination <loopback0 of the peer> source <own loopback0>",
            )
    if line is not None and _find(other, "virtual peer-link") is None and not other.part:
        message = f"{other.name} has no virtual peer-link, its peer {device.name} has"
        yield Flaw(message, other.name, other.vpc, "virtual peer-link destination <peer> source <own>")


def _ranks(one: Device, two: Device) -> Iterator[Flaw]:
    """A plan says which peer is primary: with one priority on both, serial numbers and addresses would."""
    if not one.planned:
        return
    yield from apart((_roles(one, two), *(_ranked(one, two, name) for name in one.ports if name.startswith("Vlan"))))


def _roles(one: Device, two: Device) -> Iterator[Flaw]:
    first, second = _find(one, "role priority"), _find(two, "role priority")
    for lack, own, have, line in ((one, first, two, second), (two, second, one, first)):
        if own is None and line is not None:
            yield Flaw(
                f"{lack.name} has no role priority in its vPC domain, its peer {have.name} has",
                lack.name,
                lack.vpc,
                "role priority <another than the peer's>",
                ((have.name, line),),
            )


def _ranked(one: Device, two: Device, name: str) -> Iterator[Flaw]:
    ours, theirs = _standby(one, name), _standby(two, name)
    for group in sorted(ours.keys() & theirs.keys()):
        if ours[group] == theirs[group] and _raised(one, two):
            yield Flaw(
                f"{one.name} {name} hsrp {group} and its peer {two.name} have one priority, {ours[group]}",
                one.name,
                one.port(name).line,
                f"interface {name}\n  hsrp {group}\n    priority <higher than the peer's>",
            )


def _raised(one: Device, two: Device) -> bool:
    """Whether a group of either says its priority."""
    names = [(device, name) for device in (one, two) for name in device.ports if name.startswith("Vlan")]
    return any(True for _ in apart(_unusual(*each) for each in names))


def _unusual(device: Device, name: str) -> Iterator[int]:
    yield from (value for value in _standby(device, name).values() if value != _USUAL)


def _standby(device: Device, name: str) -> dict[str, int]:
    """The priority of each HSRP group of an SVI."""
    return {group: _priority(line) for group, line in standby(device, name)}


def _priority(group: Line) -> int:
    stated = ["".join(line.words[1:2]) for line in group.children if line.words[:1] == ("priority",)]
    return next((int(each) for each in reversed(stated) if each.isdigit()), _USUAL)


def _roots(one: Device, two: Device) -> Iterator[Flaw]:
    """With peer-switch both peers are one bridge of spanning tree: with two priorities it is now one root, now none."""
    if one.part or two.part or _find(one, "peer-switch") is None or _find(two, "peer-switch") is None:
        return
    ours, theirs = _priorities(one), _priorities(two)
    odd = [vlan for vlan in sorted(ours.keys() | theirs.keys()) if vlan in one.vlans & two.vlans
           and ours.get(vlan, (_PRIORITY, None))[0] != theirs.get(vlan, (_PRIORITY, None))[0]]  # fmt: skip
    if odd:
        first = odd[0]
        (mine, at), (other, line) = ours.get(first, (_PRIORITY, None)), theirs.get(first, (_PRIORITY, None))
        yield Flaw(
            f"{one.name} has spanning tree priority {mine} for VLAN {','.join(map(str, odd))}, its peer {two.name} "
            f"{other}",
            one.name,
            at or one.vpc,
            f"the same spanning-tree vlan {first} priority on both peers",
            ((two.name, line),) if line is not None else (),
        )


def _priorities(device: Device) -> dict[int, tuple[int, Line]]:
    """Spanning tree's priority by VLAN, with the line that gives it."""
    found: dict[int, tuple[int, Line]] = {}
    for line in device.lines:
        words = line.words
        if words[:2] == ("spanning-tree", "vlan") and words[3:4] == ("priority",) and words[-1].isdigit():
            found |= dict.fromkeys(numbers(words[2]), (int(words[-1]), line))
    return found


def _subnets(one: Device, two: Device) -> Iterator[Flaw]:
    """Gateways of one VLAN are in one subnet of it."""
    yield from apart(_subnet(one, two, name) for name in one.ports if name.startswith("Vlan"))


def _subnet(one: Device, two: Device, name: str) -> Iterator[Flaw]:
    ours, theirs = one.addresses.get(name), two.addresses.get(name)
    if ours is not None and theirs is not None and ours.network != theirs.network:
        yield Flaw(
            f"{one.name} {name} has {ours}, its peer {two.name} has {theirs}, which is another subnet",
            one.name,
            one.port(name).at("address"),
            "addresses of one subnet on both peers",
            ((two.name, two.port(name).at("address")),),
        )
