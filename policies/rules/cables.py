"""Cables between switches, and those of a plan between routers: each with something on it that routes."""

from collections.abc import Iterator, Mapping, Sequence

from .nexus.device import Device
from .nexus.port import Port
from .rule import Flaw, NexusRule, NotApplicable, apart, nothing, perhaps

_ROUTED = ("fabric", "uplink")
"""Cables between leaf and spine, and out of the cluster."""


def cables(devices: Sequence[Device]) -> Iterator[tuple[Device, Port, Device, Port]]:
    """Cables between two of the switches given, each once."""
    named = {device.name: device for device in devices}
    yield from apart(cables_from(device, named) for device in devices)


def cables_from(device: Device, named: Mapping[str, Device]) -> Iterator[tuple[Device, Port, Device, Port]]:
    """Those of them that one switch tells of: the one whose name is first."""
    yield from apart(_cable(device, name, named) for name in device.links)


def _cable(device: Device, name: str, named: Mapping[str, Device]) -> Iterator[tuple[Device, Port, Device, Port]]:
    end = device.links[name]
    if end.device in named and (device.name, name) < (end.device, end.port):
        yield device, device.port(name), named[end.device], named[end.device].port(end.port)


def routed(devices: Sequence[Device]) -> Iterator[Flaw]:
    """A routed cable whose port has no address of its own carries nothing, and raises no alarm."""
    meant = [(device, name) for device in devices if device.planned for name in _between_routers(device)]
    if not meant:
        raise NotApplicable("no planned cable between routers")
    yield from apart(_routed(device, name) for device, name in meant)


def _between_routers(device: Device) -> Iterator[str]:
    """Ports with a cable to another router, or with one that may be."""
    yield from (name for name in device.links if perhaps(lambda each: device.links[each].role in _ROUTED, name))


def _routed(device: Device, name: str) -> Iterator[Flaw]:
    port, end = device.port(name), device.links[name]
    addressed = port.value("address") or (port.value("local") and port.value("forward"))
    if end.role in _ROUTED and (not port.routed or not addressed or port.down):
        yield Flaw(
            f"{device.name} {name} (to {end.device}) has no address, or is down: nothing crosses it",
            device.name,
            port.line,
            f"interface {name}\n  no switchport\n  ip address <address>\n  no shutdown",
        )


def up(devices: Sequence[Device]) -> Iterator[Flaw]:
    """A planned port is configured to be up, whatever the switch does by itself; a found one is as its far end is."""
    planned = [device for device in devices if device.planned]
    if not any(device.links for device in planned) and not any(True for _ in cables(devices)):
        raise NotApplicable("no cable is known")
    found = apart(_awake(*each) for each in cables(devices) if not each[0].planned)
    yield from apart((apart(map(_configured, planned)), found))


def _configured(device: Device) -> Iterator[Flaw]:
    yield from apart(_configured_up(device, name) for name in device.links)


def _configured_up(device: Device, name: str) -> Iterator[Flaw]:
    port = device.port(name)
    if not port.up:
        to = device.links[name].device
        message = f"{device.name} {name} (to {to}) is not configured to be up, and ports are shut by default"
        yield Flaw(message, device.name, port.line, f"interface {name}\n  no shutdown")


def _awake(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    for low, port, high, other in ((device, near, peer, far), (peer, far, device, near)):
        if _asleep(port) and not other.down and not low.part:
            yield Flaw(
                f"{low.name} {port.name} is shut, the default of its ports; the other end of its cable, "
                f"{high.name} {other.name}, is up",
                low.name,
                port.line,
                f"interface {port.name}\n  no shutdown",
                ((high.name, other.line),),
            )


def _asleep(port: Port) -> bool:
    """Shut by default."""
    return port.down and not port.value("shutdown")


def unused(devices: Sequence[Device]) -> Iterator[Flaw]:
    """A port that is up for nobody: in a plan one without a cable, found one that a description says is free."""
    ports = [(device, port) for device in devices for port in device.ports.values() if port.physical]
    if not ports:
        raise NotApplicable("no port is configured")
    yield from apart(_unused(device, port) for device, port in ports)


def _unused(device: Device, port: Port) -> Iterator[Flaw]:
    if port.name in device.links or not port.up:
        return
    free = port.own["description"].value.strip().lower() if "description" in port.own else ""
    if device.planned or free in _FREE:
        what = f"is described as {free}" if free in _FREE else "has no cable in the plan"
        yield Flaw(
            f"{device.name} {port.name} is up and {what}: whoever plugs in is in the network",
            device.name,
            port.line,
            f"interface {port.name}\n  shutdown",
        )


_FREE = ("unused", "free", "spare", "not used", "not in use", "shutdown", "unallocated")
"""Descriptions by which people mark ports without a cable."""
_HARDENING = "https://sec.cloudapps.cisco.com/security/center/resources/securing_nx_os.html"
_IFS = "https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/104x/configuration/interfaces/cisco-nexus-9000-series-nx-os-interfaces-configuration-guide-release-104x.html"

CABLES: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-cables-up",
        title="A port with a cable is configured to be up",
        why="Switches of this family ship with ports that are shut: a port that does not say otherwise stays dark.",
        fix="Remove shutdown and default interface lines of cabled ports from fabric.extra.",
        reference=_IFS,
        severity="high",
        judge=up,
        alone=False,
        excused_by=nothing,
    ),
    NexusRule(
        id="fabric-unused-ports-shut",
        title="A port without a cable is shut",
        why="An open port takes whatever is plugged in, also a cable that closes a loop.",
        fix="Remove the port's lines from fabric.extra, or cable it in the stack file.",
        reference=_HARDENING,
        severity="low",
        judge=unused,
        mandatory=False,
        # DISA's STIG for NX-OS (RTR, V2R3) has this very check as V-221076, and maps it to NIST.
        frameworks=("DISA STIG CISC-RT-000060", "NIST 800-53 AC-4"),
    ),
)
"""Rules of ports and their cables."""
