"""BFD: who asks for a session, and whether both ends of it mean the same."""

from collections.abc import Iterator, Mapping, Sequence

from .nexus.bgp import Neighbor
from .nexus.device import Device
from .nexus.lines import Line
from .nexus.port import Port
from .rule import Flaw, NotApplicable

_DEFAULT = "50 min_rx 50 multiplier 3"
"""What NX-OS runs where no interval is configured (interfaces guide, BFD default settings)."""


def bound(devices: Sequence[Device]) -> Iterator[Flaw]:
    """A BFD interval does nothing until a protocol asks for the session; a plan says the interval of each session."""
    spoken = False
    for device in devices:
        timed = [port for port in device.ports.values() if port.value("bfd")]
        wanting = list(_untimed(device)) if device.planned else []
        spoken = spoken or bool(timed or wanting)
        if timed and not _asked(device):
            yield Flaw(
                f"{device.name} {timed[0].name} has a bfd interval, and no protocol of the switch uses BFD",
                device.name,
                timed[0].at("bfd"),
                "router bgp <asn>\n  neighbor <address>\n    bfd",
                tuple((device.name, port.at("bfd")) for port in timed[1:]),
            )
        elif timed:
            yield from _unasked(device, timed)
        for port in wanting:
            yield Flaw(
                f"{device.name} {port.name} runs BFD with NX-OS's own bfd interval {_DEFAULT}, which nobody chose",
                device.name,
                port.line,
                f"interface {port.name}\n  bfd interval <tx> min_rx <rx> multiplier <n>",
            )
    if not spoken:
        raise NotApplicable("no switch sets a bfd interval")


def _untimed(device: Device) -> Iterator[Port]:
    """Ports with a session and no interval of their own or of the whole switch."""
    if device.top("bfd", "interval") is None:
        yield from (port for port in _sessions(device) if not port.value("bfd"))


def _sessions(device: Device) -> Iterator[Port]:
    """Routed ports on which BGP or OSPF asks for BFD; OSPF has no neighbour on a passive one."""
    asked = {port.name for neighbor, port in device.reached if neighbor.bfd is not None}
    for port in device.ports.values():
        process = port.value("ospf")
        block = device.top("router", "ospf", process) if process else None
        by_ospf = block is not None and any(line.words == ("bfd",) for line in block.children)
        by_ospf = by_ospf and not port.value("ospf-passive")
        if port.routed and not port.down and (by_ospf or port.name in asked):
            yield port


def _asked(device: Device) -> bool:
    """Whether anything but the timers themselves mentions BFD."""
    for block in device.lines:
        for line in block.walk():
            words = line.words
            if "bfd" in words and words[0] not in ("bfd", "description", "no") and words != ("feature", "bfd"):
                return True
            if words == ("bfd",):
                return True
    return False


def _unasked(device: Device, timed: Sequence[Port]) -> Iterator[Flaw]:
    """Ports whose own BGP neighbour does not ask for BFD, where others do."""
    bgp = device.bgp
    if bgp is None or not any(each.bfd for each in bgp.neighbors):
        return
    meant = {port.name for port in timed if port.get("bfd-user") is None}
    for each, port in device.reached:
        if each.bfd is None and port.name in meant:
            yield Flaw(
                f"{device.name} neighbor {each.name} does not use the bfd interval of {port.name}",
                device.name,
                each.line,
                f"router bgp {bgp.asn}\n  neighbor {each.name}\n    bfd",
                ((device.name, port.at("bfd")),),
            )


def both_ends(devices: Sequence[Device]) -> Iterator[Flaw]:
    """A session comes up where both ends ask for it, and ends after the time that the slower one says."""
    named = {device.name: device for device in devices}
    spoken = False
    for device in devices:
        alone = list(_unwatched(device)) if device.planned else []
        spoken = spoken or bool(alone)
        yield from alone
        for name, end in device.links.items():
            port, other = device.port(name), named.get(end.device)
            if other is None or (device.name, name) > (end.device, end.port):
                continue
            far = other.port(end.port)
            if (port.value("bfd") or far.value("bfd")) and port.routed and far.routed:
                spoken = True
                yield from _timers(device, port, other, far)
    owners = _owners(devices)
    asked = {device.name: {each.name: each for each in device.bgp.neighbors} for device in devices if device.bgp}
    for device in devices:
        for near, port in device.reached:
            who, name = _opposite(device, near, port, owners)
            back = asked.get(who, {}).get(name) if who != device.name else None
            spoken = spoken or (back is not None and near.bfd is not None)
            if back is not None and near.bfd is not None and back.bfd is None:
                yield _one_sided(device, near, near.bfd, who, back)
    if not spoken:
        raise NotApplicable("no two switches have a BFD session with each other")


def _unwatched(device: Device) -> Iterator[Flaw]:
    """Cables between leaf and spine, as planned, without a session."""
    watched = {port.name for port in _sessions(device)}
    for name, end in device.links.items():
        if end.role == "fabric" and name not in watched:
            yield Flaw(
                f"{device.name} {name} (to {end.device}) has no BFD session: routes outlive the link",
                device.name,
                device.port(name).line,
                f"interface {name}\n  ip address <address>\nrouter bgp <asn>\n  neighbor <address>\n    bfd",
            )


def _interval(device: Device, port: Port) -> tuple[str, Line]:
    """The timers in force, and the line that says them or the port that says none."""
    setting = port.get("bfd")
    whole = device.top("bfd", "interval")
    if setting is not None:
        return setting.value, setting.line
    return (" ".join(whole.words[2:]), whole) if whole is not None else (_DEFAULT, port.line)


def _timers(device: Device, port: Port, other: Device, far: Port) -> Iterator[Flaw]:
    (own, line), (theirs, there) = _interval(device, port), _interval(other, far)
    if own != theirs and not port.down and not far.down:
        yield Flaw(
            f"{device.name} {port.name} has bfd interval {own}, {other.name} {far.name} has {theirs}",
            device.name,
            line,
            f"bfd interval {own} on both ends",
            ((other.name, there),),
        )


def _owners(devices: Sequence[Device]) -> dict[str, str]:
    """Which switch has an address; addresses that two have are nobody's."""
    found: dict[str, list[str]] = {}
    for device in devices:
        for port in device.ports.values():
            if not port.down:
                found.setdefault(_address(port), []).append(device.name)
    return {address: names[0] for address, names in found.items() if len(names) == 1}


def _address(port: Port) -> str:
    return port.value("address").partition("/")[0].partition(" ")[0]


def _opposite(device: Device, near: Neighbor, port: Port, owners: Mapping[str, str]) -> tuple[str, str]:
    """The switch that a neighbour is, and by what name that one knows us: our address, or its own port."""
    if near.name == port.name:
        end = device.links.get(port.name)
        return (end.device, end.port) if end is not None else ("", "")
    return owners.get(near.name, ""), _address(port)


def _one_sided(device: Device, near: Neighbor, asks: Line, other: str, far: Neighbor) -> Flaw:
    return Flaw(
        f"{device.name} neighbor {near.name} asks for BFD, {other} neighbor {far.name} does not",
        other,
        far.line,
        f"neighbor {far.name}\n  bfd",
        ((device.name, asks),),
    )
