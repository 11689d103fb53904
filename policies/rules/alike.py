"""What switches of one site have alike: of three or more that agree, one that does not was meant to."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .addresses import sites_of
from .nexus.device import Device
from .nexus.lines import Line
from .rule import Flaw, NexusRule, NotApplicable

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
    sites = sites_of(devices)
    traits: dict[tuple[str, str], list[Trait]] = defaultdict(list)
    for device in devices:
        if not device.part:
            for trait in (*_gateways(device), *_vrfs(device), *_loopbacks(device), *_maps(device)):
                traits[sites[device.name], trait.what].append(trait)
    if not traits:
        raise NotApplicable("no switch has an anycast gateway, a VRF of the overlay, a loopback or a route-map")
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
    yield from _macs(devices)


def _gateways(device: Device) -> Iterator[Trait]:
    for name, port in device.ports.items():
        if port.value("anycast"):
            state = "up" if port.up else "not up"
            where = f"in vrf {port.value('vrf') or 'default'} with {port.value('address') or 'no address'}"
            yield Trait(device, name, f"is a gateway {where}, {state}", port.line)


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


def _loopbacks(device: Device) -> Iterator[Trait]:
    for name, address in device.addresses.items():
        port = device.ports[name]
        if name.startswith("loopback"):
            words = f"is a /{address.network.prefixlen} in vrf {port.value('vrf') or 'default'}"
            yield Trait(device, name, f"{words}, {'in' if port.value('ospf') else 'not in'} OSPF", port.line)


def _maps(device: Device) -> Iterator[Trait]:
    for name, entries in device.route_maps.items():
        lines = [" ".join((*entry.words[2:], *(each.command for each in entry.children))) for entry in entries]
        yield Trait(device, f"route-map {name}", f"says {'; '.join(lines)}", entries[0])


def _macs(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Anycast gateways have one MAC address on all switches, which a line gives them."""
    for device in devices:
        anycast = next((port for port in device.ports.values() if port.value("anycast")), None)
        given = device.top("fabric", "forwarding", "anycast-gateway-mac")
        if anycast is not None and given is None and not device.part:
            message = f"{device.name} {anycast.name} is an anycast gateway, and no line gives gateways a MAC address"
            yield Flaw(
                message, device.name, anycast.line, "fabric forwarding anycast-gateway-mac <the others' address>"
            )


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
