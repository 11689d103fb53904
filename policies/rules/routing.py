"""Routed links between switches: what one end says of a subnet or an area, the other end says too."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address

from .cables import cables
from .nexus.device import Device
from .nexus.port import Port
from .rule import Flaw, NexusRule, NotApplicable, apart, nothing

_OSPF = "https://www.rfc-editor.org/rfc/rfc2328#section-8.2"
"""Receiving protocol packets: the area and the subnet must be the interface's own."""


def links(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Both ends of a routed cable are in one subnet with addresses of their own, and in one OSPF area or in none."""
    if not any(True for _ in cables(devices)):
        raise NotApplicable("no cable between the switches given is known")
    yield from apart(_ends(*each) for each in cables(devices))


def _ends(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    if not near.down and not far.down:
        yield from _addresses(device, near, peer, far)
        yield from _areas(device, near, peer, far)


def _addresses(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    mine, theirs = device.addresses.get(near.name), peer.addresses.get(far.name)
    if mine is None or theirs is None:
        yield from _bare(device, near, peer, far)
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


def _bare(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    """One end of a found routed cable with an address, the other with none; plans have a rule for each port."""
    (low, port), (high, end) = ((peer, far), (device, near)) if near.value("address") else ((device, near), (peer, far))
    bare = port.routed and not port.value("address") and not port.value("local") and port.bundle is None
    subinterfaces = any(name.startswith(f"{port.name}.") for name in low.ports)
    if end.value("address") and bare and not (low.planned or low.part or subinterfaces):
        yield Flaw(
            f"{low.name} {port.name} has no address, the other end of its cable, {high.name} {end.name}, has "
            f"{end.value('address')}",
            low.name,
            port.line,
            f"interface {port.name}\n  ip address <the other address of {end.value('address')}>",
            ((high.name, end.at("address")),),
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


ROUTING: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-links-one-subnet",
        title="Both ends of a routed cable are in one subnet and one OSPF area",
        why="Ends in two subnets or areas see each other's light and exchange no route: the link carries nothing.",
        fix="Remove addresses and areas of leaf-spine links from fabric.extra: the plan gives both ends theirs.",
        reference=_OSPF,
        severity="high",
        judge=links,
        alone=False,
        excused_by=nothing,
    ),
)
"""Rules of routing between switches."""
