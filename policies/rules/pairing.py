"""Which switches are the two peers of a vPC domain: those that watch each other, as far as that is known."""

from collections.abc import Callable, Iterator, Sequence

from .nexus.device import Device
from .pair import keepalive_of, management
from .rule import anything, apart, known, perhaps


def domain_of(device: Device) -> str:
    """The number of its vPC domain."""
    return device.vpc.words[-1] if device.vpc is not None else ""


def pairs(devices: Sequence[Device]) -> Iterator[tuple[Device, Device]]:
    """Switches of which each sends its keepalives to the other; then those of which one does; then equal domains."""
    addressed, first = known(apart(part for device in devices for part in (_managed(device), _own(device))))
    watching, second = known(apart(map(_watching, devices)))
    unknown = first or second
    rivals = [device for device in devices if not _is_known(device)]
    owners: dict[str, list[Device]] = {}
    for address, device in addressed:
        owners.setdefault(address, []).append(device)
    met: set[str] = set()
    for mutual in (True, False):
        for device, far in watching:
            others = [other for other in owners.get(far, ()) if other is not device and other.name not in met]
            watched = (each for each in others if not mutual or watch_each_other(device, each))
            other = None if device.name in met else next(watched, None)
            if other is not None and not _contested(device, other, rivals):
                met |= {device.name, other.name}
                one, two = sorted((device, other), key=devices.index)
                yield one, two
        if unknown is not None:
            raise unknown
    left: dict[str, list[Device]] = {}
    for device in devices:
        if device.name not in met:
            left.setdefault(domain_of(device), []).append(device)
    yield from ((pair[0], pair[1]) for pair in left.values() if len(pair) == 2 and _together(*pair))


def _contested(one: Device, two: Device, rivals: Sequence[Device]) -> bool:
    """Whether one of these might be the peer instead."""
    return any(perhaps(rival_of(one, two), each) for each in rivals if each is not one and each is not two)


def rival_of(one: Device, two: Device) -> Callable[[Device], bool]:
    """Whether a switch might be the peer of one of two that watch each other: it watches one of them. Of others any
    might."""
    if not watch_each_other(one, two):
        return anything
    return lambda device: any(_has(each, _far(device)) for each in (one, two))


def _is_known(device: Device) -> bool:
    """Whether all is known by which it is found to be a peer."""
    _, unknown = known(part for ask in (_managed, _own, _watching) for part in ask(device))
    return unknown is None


def _managed(device: Device) -> Iterator[tuple[str, Device]]:
    if address := management(device):
        yield address, device


def _own(device: Device) -> Iterator[tuple[str, Device]]:
    yield from ((address, device) for address in device.own_addresses)


def _watching(device: Device) -> Iterator[tuple[Device, str]]:
    if far := _far(device):
        yield device, far


def watch_each_other(one: Device, two: Device) -> bool:
    """Whether each sends its keepalives to the other."""
    return _has(two, _far(one)) and _has(one, _far(two))


def _has(device: Device, address: str) -> bool:
    return bool(address) and (address == management(device) or address in device.own_addresses)


def _far(device: Device) -> str:
    """Where a switch sends its keepalives."""
    lines = device.vpc.children if device.vpc is not None else ()
    found = next((keepalive_of(each) for each in reversed(lines) if each.words[:1] == ("peer-keepalive",)), {})
    return found.get("destination", "")


def _together(one: Device, two: Device) -> bool:
    """Two switches with one domain number, of which neither watches the other, are peers unless their keepalives point
    elsewhere."""
    return not any(_far(device) and management(other) for device, other in ((one, two), (two, one)))
