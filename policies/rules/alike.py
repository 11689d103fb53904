"""What switches of one site have alike: of three or more that agree, one that does not was meant to."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .addresses import sites_of
from .nexus.device import Device
from .nexus.lines import Line
from .nexus.port import Port
from .rule import Flaw, NexusRule, NotApplicable, apart, nothing, perhaps

_VXLAN = "https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/104x/configuration/vxlan/cisco-nexus-9000-series-nx-os-vxlan-configuration-guide-release-104x.html"
_FEW = 3
"""Below this many switches nobody can say which one stands out."""


@dataclass(frozen=True)
class Trait:
    """One thing that a switch has, as words that are equal where it is had alike."""

    device: Device
    what: str
    """What it is, equal on all switches that have it."""
    value: str
    line: Line


def alike(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Anycast gateways, VRFs of the overlay, loopbacks and route-maps are on each switch as on the others."""
    whole = [device for device in devices if not device.part]
    names = list(dict.fromkeys(what for device in whole for what in _names(device)))
    if not any(
        perhaps(lambda what: any(True for device in whole for _ in _traits(device, what)), each) for each in names
    ):
        raise NotApplicable("no switch has an anycast gateway, a VRF of the overlay, a loopback or a route-map")
    yield from apart((apart(_odd(whole, what) for what in names), apart(map(_mac, whole))))


def _names(device: Device) -> Iterator[str]:
    """What a switch may have a trait of: a port, the VRFs of its BGP process, a route-map."""
    yield from (name for name in device.ports if name.startswith("Vlan"))
    yield "router bgp"
    yield from (name for name in device.ports if name.startswith("loopback"))
    yield from (f"route-map {name}" for name in device.route_maps)


def _traits(device: Device, what: str) -> Iterator[Trait]:
    port = device.ports.get(what)
    if port is not None:
        yield from (*_gateway(device, port), *_loopback(device, port))
    elif what == "router bgp":
        yield from _vrfs(device)
    elif (entries := device.route_maps.get(what.removeprefix("route-map "))) is not None:
        lines = [" ".join((*entry.words[2:], *(each.command for each in entry.children))) for entry in entries]
        yield Trait(device, what, f"says {'; '.join(lines)}", entries[0])


def _odd(devices: Sequence[Device], what: str) -> Iterator[Flaw]:
    """Of three or more switches of one site that have a trait the one that has it otherwise."""
    sites = sites_of(devices)
    traits: dict[tuple[str, str], list[Trait]] = defaultdict(list)
    for device in devices:
        for trait in _traits(device, what):
            traits[sites[device.name], trait.what].append(trait)
    for found in traits.values():
        usual, number = Counter(trait.value for trait in found).most_common()[0]
        for trait in found if len(found) >= _FEW and number == len(found) - 1 else ():
            if trait.value != usual:
                other = next(each for each in found if each.value == usual)
                yield Flaw(
                    f"{trait.device.name} {trait.what} {trait.value}, on {number} other switches it {usual}",
                    trait.device.name,
                    trait.line,
                    "",
                    ((other.device.name, other.line),),
                )


def _gateway(device: Device, port: Port) -> Iterator[Trait]:
    if port.value("anycast"):
        state = "up" if port.up else "not up"
        where = f"in vrf {port.value('vrf') or 'default'} with {port.value('address') or 'no address'}"
        yield Trait(device, port.name, f"is a gateway {where}, {state}", port.line)


def _loopback(device: Device, port: Port) -> Iterator[Trait]:
    if port.name.startswith("loopback") and (address := device.addresses.get(port.name)) is not None:
        words = f"is a /{address.network.prefixlen} in vrf {port.value('vrf') or 'default'}"
        yield Trait(device, port.name, f"{words}, {'in' if port.value('ospf') else 'not in'} OSPF", port.line)


def _vrfs(device: Device) -> Iterator[Trait]:
    process = device.bgp
    for scope in process.line.children if process is not None else ():
        if scope.words[:1] == ("vrf",) and len(scope.words) > 1:
            lines = [line for family in scope.children for line in family.children if "ipv4" in family.words]
            told = any(line.words[:2] == ("advertise", "l2vpn") for line in lines)
            direct = any(line.words[:2] == ("redistribute", "direct") for line in lines)
            words = (
                f"{'tells' if told else 'does not tell'} the overlay, {'with' if direct else 'without'} its networks"
            )
            yield Trait(device, f"vrf {scope.words[1]} of router bgp", words, scope)


def _mac(device: Device) -> Iterator[Flaw]:
    """Anycast gateways have one MAC address on all switches, which a line gives them."""
    if device.top("fabric", "forwarding", "anycast-gateway-mac") is not None:
        return
    anycast = next(apart(_anycast(port) for port in device.ports.values()), None)
    if anycast is not None:
        message = f"{device.name} {anycast.name} is an anycast gateway, and no line gives gateways a MAC address"
        instead = "fabric forwarding anycast-gateway-mac <the others' address>"
        yield Flaw(message, device.name, anycast.line, instead, excused_by=nothing)


def _anycast(port: Port) -> Iterator[Port]:
    if port.value("anycast"):
        yield port


ALIKE: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-switches-alike",
        title="Gateways, VRFs, loopbacks and route-maps are on each switch as on the others",
        why="A host that moves finds another gateway, and a switch that tells less than the others is not reached.",
        fix="Remove the lines in fabric.extra that set this one switch apart.",
        reference=_VXLAN,
        severity="medium",
        judge=alike,
        alone=False,
    ),
)
"""The rule about what switches have alike."""
