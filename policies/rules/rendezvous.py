"""Rendezvous points of PIM: the address is on an interface that speaks PIM, and other switches have a way to it."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from .addresses import sites_of
from .nexus.device import Device
from .nexus.lines import Line
from .nexus.port import Port
from .rule import Flaw, NexusRule, NotApplicable, apart, nothing

_PIM = "https://www.rfc-editor.org/rfc/rfc4610#section-3"
"""Anycast RP: each member has the address on an interface, and tells it to the unicast routing."""


def reached(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Members of an anycast point have its address, who has it speaks PIM and tells it, and somebody has it."""
    named = [device for device in devices if device.rendezvous and not device.part]
    if not named:
        raise NotApplicable("no switch names a rendezvous point")
    yield from apart((apart(map(_members, named)), _on_switches(devices, named), _nowhere(devices, named)))


def _on_switches(devices: Sequence[Device], named: Sequence[Device]) -> Iterator[Flaw]:
    sites = sites_of(devices)
    points = {(sites[device.name], line.words[3]) for device in named for line in device.rendezvous if line.words[3:]}
    yield from apart(_own(device, sites[device.name], points) for device in devices if not device.part)
    yield from _masks(devices, points, sites)


def _own(device: Device, site: str, points: Collection[tuple[str, str]]) -> Iterator[Flaw]:
    for name, at in device.addresses.items():
        if (site, str(at.ip)) in points:
            yield from _told(device, device.ports[name])


def _members(device: Device) -> Iterator[Flaw]:
    """A member of an anycast rendezvous point has its address."""
    for line in device.rendezvous:
        words = line.words[line.words.index("anycast-rp") + 1 :] if "anycast-rp" in line.words else ()
        if len(words) > 1 and words[1] in device.own_addresses and words[0] not in device.own_addresses:
            message = f"{device.name} is a member of the rendezvous point {words[0]}, and no interface has the address"
            instead = f"interface loopback254\n  ip address {words[0]}/32"
            yield Flaw(message, device.name, line, instead, excused_by=nothing)


def _told(device: Device, port: Port) -> Iterator[Flaw]:
    """The interface of a rendezvous point is up, speaks PIM, and is in the OSPF that its other loopbacks are in."""
    process = next((each.value("ospf") for each in device.ports.values() if _tells(each, port)), "")
    if port.down:
        what, line = "is shut", "no shutdown"
    elif not port.value("pim"):
        what, line = "does not speak PIM", "ip pim sparse-mode"
    elif process and not port.value("ospf"):
        what, line = f"is not in OSPF {process}: nobody has a way to it", f"ip router ospf {process} area 0.0.0.0"
    else:
        return
    message = f"{device.name} {port.name} has the rendezvous point's address {port.value('address')} and {what}"
    yield Flaw(message, device.name, port.at("address"), f"interface {port.name}\n  {line}", excused_by=nothing)


def _masks(devices: Sequence[Device], points: Collection[tuple[str, str]], sites: Mapping[str, str]) -> Iterator[Flaw]:
    """Members of one anycast point have its address with one mask."""
    first: dict[tuple[str, str], tuple[Device, Port, str]] = {}
    for device in devices:
        for name, at in device.addresses.items():
            key = (sites[device.name], str(at.ip))
            if key in points:
                other, port, text = first.setdefault(key, (device, device.ports[name], str(at)))
                if text != str(at):
                    yield Flaw(
                        f"{device.name} {name} has the rendezvous point's address as {at}, {other.name} {port.name} as "
                        f"{text}",
                        device.name,
                        device.ports[name].at("address"),
                        f"interface {name}\n  ip address {at.ip}/32",
                        ((other.name, port.at("address")),),
                    )


def _tells(other: Port, port: Port) -> bool:
    """Whether a loopback of the same VRF is in OSPF."""
    return other.name.startswith("loopback") and bool(other.value("ospf")) and other.value("vrf") == port.value("vrf")


def _nowhere(devices: Sequence[Device], known: Sequence[Device]) -> Iterator[Flaw]:
    """An address that none of the switches has, where they speak PIM with nobody else: it can be nowhere."""
    sites = sites_of(devices)
    for site in sorted(set(sites.values())):
        members = [device for device in devices if sites[device.name] == site]
        if len(members) < 2 or not all(_closed(device, {each.name for each in members}) for device in members):
            continue
        owned = {address for device in members for address in device.own_addresses}
        told: set[str] = set()
        named = [(device, line) for device in known if device in members for line in _points(device)]
        for device, line in named:
            address = line.words[3]
            if address not in owned | told:
                told.add(address)
                message = f"{device.name} names the rendezvous point {address}, which no switch has"
                yield Flaw(message, device.name, line, f"interface loopback254\n  ip address {address}/32")


def _points(device: Device) -> Iterator[Line]:
    """Lines of points with an address."""
    for line in device.rendezvous:
        if "rp-address" in line.words and line.words[3:]:
            yield line


def _closed(device: Device, names: set[str]) -> bool:
    """Whether every port that speaks PIM leads to one of these switches, and no VLAN does."""
    if device.part:
        return False
    speaking = [port for port in device.ports.values() if port.value("pim") and not port.down]
    ends = [device.links.get(port.name) for port in speaking if not port.name.startswith("loopback")]
    return all(end is not None and end.device in names for end in ends)


RENDEZVOUS: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-rendezvous-reached",
        title="A rendezvous point's address is on a switch that speaks PIM there and tells it",
        why="Without a way to the rendezvous point no multicast tree is built, and what a VNI floods reaches nobody.",
        fix="Remove the lines of the rendezvous point's loopback and of ip pim from fabric.extra.",
        reference=_PIM,
        severity="high",
        judge=reached,
        alone=False,
    ),
)
"""The rule about rendezvous points."""
