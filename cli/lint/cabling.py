"""Which port faces which: from LLDP where somebody saved it, from descriptions where both ends allow it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from podwright.policies.rules.nexus.device import Device, End
from podwright.policies.rules.nexus.port import Port
from podwright.policies.rules.nexus.roce import shared
from podwright.policies.rules.nexus.spelling import interface

_LLDP: Final = re.compile(
    r"^(?P<device>\S+)\s+(?P<local>(?:Eth|mgmt)[\d/]+)\s+\d+\s+(?:[A-Za-z](?:,? ?[A-Za-z])*\s+)?(?P<port>\S+)\s*$"
)
"""A row of `show lldp neighbors`: Device ID, Local Intf, Hold-time, Capability, Port ID."""
_PORT: Final = re.compile(r"(?<![A-Za-z])(?:ethernet|eth|et|e)[ _-]?(\d+(?:/\d+)+)", re.IGNORECASE)

Cable = tuple[str, str]


def neighbours(answers: Sequence[tuple[str, Sequence[str]]]) -> dict[str, Cable]:
    """Local port to device and port, from the output of `show lldp neighbors`, with or without `detail`."""
    found: dict[str, Cable] = {}
    for command, lines in answers:
        if "lldp" in command:
            detailed = any("Local Port id" in line or "l_port_id" in line for line in lines)
            for local, device, port in _detailed("\n".join(lines)) if detailed else _table(lines):
                if interface(local).startswith("Ethernet"):
                    found[interface(local)] = (device.partition(".")[0], interface(port) or port)
    return found


def _table(lines: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    for line in lines:
        row = _LLDP.match(line.strip())
        if row is not None:
            yield row["local"], row["device"], row["port"]


def _detailed(text: str) -> Iterator[tuple[str, str, str]]:
    """The same captures that `verify cabling` reads."""
    from podwright.components.providers.status import neighbors  # noqa: PLC0415 - brings SSH, which no other file must pay for

    try:
        heard = neighbors.parse(text)
    except neighbors.CaptureError:
        return
    for each in heard:
        yield each.port, each.name, each.far_port


def join(devices: Sequence[Device], seen: Mapping[str, Mapping[str, Cable]]) -> None:
    """Give each switch its links to the others, and the lossless class to ports that face a port which has it."""
    by_name = {device.name.lower(): device for device in devices}
    # The longest name first, so that leaf-1 is not found in leaf-10.
    anyone = "|".join(map(re.escape, sorted(by_name, key=len, reverse=True)))
    names = re.compile(rf"(?<![A-Za-z0-9])({anyone})(?![A-Za-z0-9])", re.IGNORECASE)
    for device in devices:
        links: dict[str, End] = {}
        for port in device.ports.values():
            if port.physical:
                end = seen.get(device.name, {}).get(port.name) or _described(port, device, names, by_name)
                other = by_name.get(end[0].lower()) if end else None
                if end and other is not None and other is not device:
                    links[port.name] = End(other.name, end[1], "fabric")
        device.links = links
    for device in devices:
        device.links = dict(_mutual(device, by_name))
    _spread(devices, by_name)


def _described(port: Port, device: Device, names: re.Pattern[str], known: Mapping[str, Device]) -> Cable | None:
    """The one other switch and the one port that a description names."""
    text = port.own["description"].value if "description" in port.own else ""
    others = {found[1].lower() for found in names.finditer(text)} - {device.name.lower()}
    ports = {found[1] for found in _PORT.finditer(names.sub(" ", text))}
    if len(others) != 1 or len(ports) != 1:
        return None
    return known[others.pop()].name, f"Ethernet{ports.pop()}"


def _mutual(device: Device, known: Mapping[str, Device]) -> Iterator[tuple[str, End]]:
    """Links that the other end does not contradict, and whose far port is there."""
    for name, end in device.links.items():
        other = known[end.device.lower()]
        back = other.links.get(end.port)
        if end.port in other.ports and (back is None or (back.device, back.port) == (device.name, name)):
            yield name, end


def _spread(devices: Sequence[Device], known: Mapping[str, Device]) -> None:
    """A cable is lossless at both ends or at none: what one end carries the other end must carry too."""
    for device in devices:
        for port in list(device.lossless.ports) if device.lossless else ():
            end = device.links.get(port.name)
            other = known[end.device.lower()] if end else None
            if end is None or other is None or device.lossless is None:
                continue
            far = other.port(end.port)
            lossless = other.lossless or shared(device.lossless)
            if not far.down and all(each.name != far.name for each in lossless.ports):
                other.lossless = replace(lossless, ports=(*lossless.ports, far))
