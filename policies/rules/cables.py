"""Cables between switches, and those of a plan between routers: each with something on it that routes."""

from collections.abc import Iterator, Sequence

from .nexus.device import Device
from .nexus.port import Port
from .rule import Flaw, NotApplicable

_ROUTED = ("fabric", "uplink")
"""Cables between leaf and spine, and out of the cluster."""


def cables(devices: Sequence[Device]) -> Iterator[tuple[Device, Port, Device, Port]]:
    """Cables between two of the switches given, each once."""
    named = {device.name: device for device in devices}
    for device in devices:
        for name, end in device.links.items():
            if end.device in named and (device.name, name) < (end.device, end.port):
                yield device, device.port(name), named[end.device], named[end.device].port(end.port)


def routed(devices: Sequence[Device]) -> Iterator[Flaw]:
    """A routed cable whose port has no address of its own carries nothing, and no alarm says so."""
    meant = [
        (device, name, end)
        for device in devices
        for name, end in (device.links.items() if device.planned else ())
        if end.role in _ROUTED
    ]
    if not meant:
        raise NotApplicable("no planned cable between routers")
    for device, name, end in meant:
        port = device.port(name)
        if not port.routed or not (port.value("address") or port.value("local")) or port.down:
            yield Flaw(
                f"{device.name} {name} (to {end.device}) has no address, or is down: nothing crosses it",
                device.name,
                port.line,
                f"interface {name}\n  no switchport\n  ip address <address>\n  no shutdown",
            )
