"""What a switch sends from: the interface or address that a line names is there, usable, and in the sender's VRF."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from .nexus.device import Device
from .nexus.lines import Line
from .nexus.spelling import interface
from .pair import keepalive_of
from .rule import Flaw, NexusRule, NotApplicable, apart, perhaps

_UCAST = "https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/104x/unicast-routing-configuration/cisco-nexus-9000-series-nx-os-unicast-routing-configuration-guide-release-104x.html"
_NAMES: Final = re.compile(r"(?:^|.* )(?:source-interface|unnumbered)(?: traps| informs)? ([A-Za-z]+ ?\d[\d/.]*)$")
"""Lines besides those of BGP and of the tunnel that name an interface whose address they take."""
_TUNNEL: Final = ("interface", "nve1")
"""Its source is another rule's."""
_MANAGEMENT: Final = "mgmt0"
"""Always there; a plan need not configure it."""


def sources(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Interfaces of sessions, of telemetry and logging, of unnumbered links; the keepalive's own address."""
    whole = [device for device in devices if not device.part]
    if not any(perhaps(lambda device: any(True for _ in _named(device)) or _keepalive(device), each) for each in whole):
        raise NotApplicable("no line names an interface or address to send from")
    yield from apart(_of(device) for device in whole)


def _of(device: Device) -> Iterator[Flaw]:
    yield from apart((apart(_from(device, *each) for each in _named(device)), _own(device)))


def _named(device: Device) -> Iterator[tuple[str, str, str | None, Line]]:
    yield from apart((_sessions(device), _lines(device)))


def _from(device: Device, sender: str, name: str, vrf: str | None, line: Line) -> Iterator[Flaw]:
    what = _wrong(device, name, vrf) if name != _MANAGEMENT else ""
    if what:
        message = f"{device.name} {sender} starts from {name}, which {what}"
        inside = f"\n  vrf member {vrf}" if vrf else ""
        yield Flaw(message, device.name, line, f"interface {name}{inside}\n  ip address <address>")


def _sessions(device: Device) -> Iterator[tuple[str, str, str, Line]]:
    """BGP sessions by the interface that they name, each interface of a VRF once."""
    met: set[tuple[str, str]] = set()
    for each in device.bgp.neighbors if device.bgp is not None else ():
        if each.source and (each.vrf, each.source) not in met:
            met.add((each.vrf, each.source))
            line = next((line for line in each.line.children if line.words[:1] == ("update-source",)), each.line)
            yield f"neighbor {each.name}", each.source, each.vrf, line


def _lines(device: Device) -> Iterator[tuple[str, str, str | None, Line]]:
    """Other lines with an interface to start from; their VRF is None where no line says it."""
    yield from apart(_below(device, block) for block in device.lines if block.words != _TUNNEL)


def _below(device: Device, block: Line) -> Iterator[tuple[str, str, str | None, Line]]:
    for line, around in _within(block):
        found = _NAMES.match(line.command)
        name = interface(found[1]) if found is not None else ""
        if not name:
            continue
        vrf = next((each.words[1] for each in around if each.words[:1] == ("use-vrf",) and each.words[1:]), None)
        if "unnumbered" in line.words:
            vrf = device.port(block.command.removeprefix("interface ")).value("vrf")
        sender = line.command.removesuffix(found[1]).strip() if found is not None else ""
        where = f"{around[0].command} in {block.words[0]}" if line is not block else sender
        yield where if "unnumbered" not in line.words else block.command.removeprefix("interface "), name, vrf, line


def _within(line: Line) -> Iterator[tuple[Line, Sequence[Line]]]:
    """A line and all below it, each with the line above and the lines beside it."""
    yield line, ()
    for each in line.children:
        yield each, (line, *line.children)
        yield from ((low, around) for low, around in _within(each) if low is not each)


def _wrong(device: Device, name: str, vrf: str | None) -> str:
    """What keeps an interface from being started from; empty where nothing does."""
    port = device.ports.get(name)
    if port is None:
        return "is not there"
    if not port.value("address"):
        return "has no address"
    if port.down:
        return "is shut"
    own = port.value("vrf")
    wanted = own if vrf is None or (vrf == "default" and not own) else vrf
    return "" if own == wanted else f"is in vrf {own or 'default'}, not in {vrf or 'default'}"


def _keepalive(device: Device) -> Line | None:
    lines = device.vpc.children if device.vpc is not None else ()
    return next((each for each in reversed(lines) if each.words[:1] == ("peer-keepalive",)), None)


def _own(device: Device) -> Iterator[Flaw]:
    """A keepalive outside VRF management starts from an address of an interface in its VRF."""
    line = _keepalive(device)
    if line is None:
        return
    found = keepalive_of(line)
    vrf, address = found.get("vrf", "management"), found.get("source", "")
    if vrf == "management" or not address:
        return
    inside = {
        str(at.ip) for name, at in device.addresses.items() if (device.port(name).value("vrf") or "default") == vrf
    }
    if address not in inside:
        message = f"{device.name} sends its keepalive from {address}, which no interface in vrf {vrf} has"
        yield Flaw(message, device.name, line, f"interface <name>\n  vrf member {vrf}\n  ip address {address}/<length>")


SOURCES: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-sources-there",
        title="What a line sends from is there, with an address, in the VRF it is used in",
        why="A session, a keepalive or telemetry that starts from an interface without an address never starts.",
        fix="Remove lines of loopbacks and other sources from fabric.extra, or name an interface that is there.",
        reference=_UCAST,
        severity="high",
        judge=sources,
    ),
)
"""The rule about interfaces that other lines name."""
