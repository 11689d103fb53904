"""BFD: who asks for a session, and whether both ends of it mean the same."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from .cables import cables_from
from .nexus.bgp import Neighbor
from .nexus.device import Device
from .nexus.lines import Line
from .nexus.port import Port
from .rule import Flaw, anything, apart, known, spoken

_DEFAULT = "50 min_rx 50 multiplier 3"
"""What NX-OS runs where no interval is configured (interfaces guide, BFD default settings)."""


def bound(devices: Sequence[Device]) -> Iterator[Flaw]:
    """A BFD interval does nothing until a protocol asks for the session; a plan says the interval of each session."""
    yield from spoken(apart(map(_timers_used, devices)), "no switch sets a bfd interval")


def _timers_used(device: Device) -> Iterator[Flaw | None]:
    yield from apart((_idle(device), _untimed(device)))


def _idle(device: Device) -> Iterator[Flaw | None]:
    timed, unknown = known(apart(_with_interval(port) for port in device.ports.values()))
    if timed:
        yield None
        yield from _unused(device, timed) if unknown is None else ()
    if unknown is not None:
        raise unknown


def _with_interval(port: Port) -> Iterator[Port]:
    if port.value("bfd"):
        yield port


def _unused(device: Device, timed: Sequence[Port]) -> Iterator[Flaw]:
    if _asked(device):
        yield from _unasked(device, timed)
        return
    yield Flaw(
        f"{device.name} {timed[0].name} has a bfd interval, and no protocol of the switch uses BFD",
        device.name,
        timed[0].at("bfd"),
        "router bgp <asn>\n  neighbor <address>\n    bfd",
        tuple((device.name, port.at("bfd")) for port in timed[1:]),
    )


def _untimed(device: Device) -> Iterator[Flaw]:
    """Ports of a plan with a session and no interval of their own or of the whole switch."""
    if device.planned and device.top("bfd", "interval") is None:
        yield from apart(_by_default(device, port) for port in device.ports.values())


def _by_default(device: Device, port: Port) -> Iterator[Flaw]:
    if not port.value("bfd") and _runs(device, port):
        yield Flaw(
            f"{device.name} {port.name} runs BFD with NX-OS's own bfd interval {_DEFAULT}, which nobody chose",
            device.name,
            port.line,
            f"interface {port.name}\n  bfd interval <tx> min_rx <rx> multiplier <n>",
        )


def _runs(device: Device, port: Port) -> bool:
    """Whether BGP or OSPF asks for BFD on a routed port; OSPF has no neighbour on a passive one."""
    if not port.routed or port.down:
        return False
    block = device.top("router", "ospf", port.value("ospf")) if not port.value("ospf-passive") else None
    if block is not None and any(line.words == ("bfd",) for line in block.children):
        return True
    return port.name in device.watched_by_bgp


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
    opposite = _Opposite(devices)
    named = {device.name: device for device in devices}
    own = apart(part for device in devices for part in (_unwatched(device), _timed_from(device, named)))
    asked = apart(_asking(device, opposite) for device in devices)
    yield from spoken(apart((own, asked)), "no two switches have a BFD session with each other")


def _timed_from(device: Device, named: Mapping[str, Device]) -> Iterator[Flaw | None]:
    yield from apart(_timed(*each) for each in cables_from(device, named))


def _timed(device: Device, port: Port, other: Device, far: Port) -> Iterator[Flaw | None]:
    if (port.value("bfd") or far.value("bfd")) and port.routed and far.routed:
        yield None
        yield from _timers(device, port, other, far)


def _asking(device: Device, opposite: "_Opposite") -> Iterator[Flaw | None]:
    """Sessions that a switch asks for, each with None, and with a flaw where the other end does not."""
    yield from apart(_asked_back(device, *each, opposite) for each in device.reached)


def _asked_back(device: Device, near: Neighbor, port: Port, opposite: "_Opposite") -> Iterator[Flaw | None]:
    if near.bfd is None:
        return
    who, name, sure = opposite.of(device, near, port)
    back = opposite.neighbor(who, name) if who != device.name else None
    if back is not None:
        yield None
        if back.bfd is None:
            flaw = _one_sided(device, near, near.bfd, who, back)
            yield flaw if sure else replace(flaw, excused_by=anything)


class _Opposite:
    """The other ends of sessions."""

    def __init__(self, devices: Sequence[Device]) -> None:
        self._devices, self._named = devices, {device.name: device for device in devices}
        self._asked: dict[str, dict[str, Neighbor]] = {}

    @cached_property
    def _owners(self) -> dict[str, str]:
        return _owners(self._devices)

    def of(self, device: Device, near: Neighbor, port: Port) -> tuple[str, str, bool]:
        """The switch that a neighbour is, by what name that one knows us (our address, or its own port), and whether a
        cable says so, whatever addresses others have."""
        end = device.links.get(port.name)
        if near.name == port.name:
            return (end.device, end.port, True) if end is not None else ("", "", True)
        if end is not None and end.device in self._named:
            far = self._named[end.device].port(end.port)
            if not far.down and _address(far) == near.name:
                return end.device, _address(port), True
        return self._owners.get(near.name, ""), _address(port), False

    def neighbor(self, who: str, name: str) -> Neighbor | None:
        """A neighbour of a switch by its name."""
        if who not in self._asked:
            process = self._named[who].bgp if who in self._named else None
            self._asked[who] = {each.name: each for each in process.neighbors} if process is not None else {}
        return self._asked[who].get(name)


def _unwatched(device: Device) -> Iterator[Flaw]:
    """Cables between leaf and spine, as planned, without a session."""
    if device.planned:
        yield from apart(_watched(device, name) for name in device.links)


def _watched(device: Device, name: str) -> Iterator[Flaw]:
    end, port = device.links[name], device.port(name)
    if end.role == "fabric" and not _runs(device, port):
        yield Flaw(
            f"{device.name} {name} (to {end.device}) has no BFD session: routes outlive the link",
            device.name,
            port.line,
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


def _one_sided(device: Device, near: Neighbor, asks: Line, other: str, far: Neighbor) -> Flaw:
    return Flaw(
        f"{device.name} neighbor {near.name} asks for BFD, {other} neighbor {far.name} does not",
        other,
        far.line,
        f"neighbor {far.name}\n  bfd",
        ((device.name, asks),),
    )
