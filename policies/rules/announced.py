"""What a switch announces into BGP: maps and lists that are there, and in a plan the networks that neighbours need."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import pairwise

from .nexus.device import Device
from .nexus.lines import Line
from .nexus.statics import statics
from .rule import Flaw, NexusRule, apart, spoken

_BGP = "https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/104x/unicast-routing-configuration/cisco-nexus-9000-series-nx-os-unicast-routing-configuration-guide-release-104x.html"
_MEANT = {True: "ways out", False: "loopbacks and gateways"}
"""What a peer of a pair announces to the other, and what a leaf or spine announces."""
_DEFAULT = IPv4Network("0.0.0.0/0")


@dataclass(frozen=True)
class Family:
    """The IPv4 routes of one VRF: the address family, and the lines that bring routes into it."""

    vrf: str
    line: Line
    sources: tuple[Line, ...]


def announced(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Names of maps and lists exist, a map lets something through, and a plan announces its networks and no links."""
    yield from spoken(apart(map(_looked_at, devices)), "no BGP process announces IPv4 routes")


def _looked_at(device: Device) -> Iterator[Flaw | None]:
    for family in _families(device):
        yield None
        yield from apart((_named(device, family), _tags(device, family), _of_plan(device, family)))


def _named(device: Device, family: Family) -> Iterator[Flaw]:
    if not device.part:
        yield from _names(device, family)


def _of_plan(device: Device, family: Family) -> Iterator[Flaw]:
    """What a plan announces, where all that it names is there."""
    if device.planned and not any(True for _ in _names(device, family)):
        yield from _networks(device, family)


def _families(device: Device) -> Iterator[Family]:
    process = device.bgp
    scopes = [("", process.line), *_vrfs(process.line)] if process is not None else []
    for vrf, scope in scopes:
        wanted = ("address-family", "ipv4", "unicast")
        block = next((line for line in scope.children if line.words == wanted), None)
        if block is not None:
            sources = tuple(line for line in block.children if line.words[:1] in (("redistribute",), ("network",)))
            yield Family(vrf, block, sources)
        elif device.planned and _announcing(device, vrf):
            yield Family(vrf, scope, ())


def _vrfs(process: Line) -> Iterator[tuple[str, Line]]:
    return ((line.words[1], line) for line in process.children if line.words[:1] == ("vrf",) and len(line.words) > 1)


def _announcing(device: Device, vrf: str) -> bool:
    """Whether neighbours of this VRF get IPv4 routes."""
    assert device.bgp is not None
    return any(each.vrf == vrf and "ipv4 unicast" in each.families for each in device.bgp.neighbors)


def _map(line: Line) -> str:
    return line.words[line.words.index("route-map") + 1] if "route-map" in line.words[:-1] else ""


def _names(device: Device, family: Family) -> Iterator[Flaw]:
    """Route-maps that redistribution names, and prefix-lists that these name; a map without a permit passes nothing."""
    yield from apart(_by_map(device, line, _map(line)) for line in family.sources if _map(line))


def _by_map(device: Device, line: Line, name: str) -> Iterator[Flaw]:
    entries = device.route_maps.get(name)
    if entries is None:
        message = f"{device.name} announces by route-map {name}, which is not there: nothing passes it"
        yield Flaw(message, device.name, line, f"route-map {name} permit 10")
        return
    if all("deny" in each.words for each in entries):
        message = f"{device.name} announces by route-map {name}, which permits nothing"
        yield Flaw(message, device.name, entries[0], f"route-map {name} permit 10")
    yield from apart(_lists(device, entry) for entry in entries)


def _lists(device: Device, entry: Line) -> Iterator[Flaw]:
    for match in entry.children:
        for name in match.words[4:] if match.words[:4] == ("match", "ip", "address", "prefix-list") else ():
            if name not in device.prefix_lists:
                message = f"{device.name} {entry.command} matches prefix-list {name}, which is not there"
                yield Flaw(message, device.name, match, f"ip prefix-list {name} seq 5 permit <prefix>")


def _tags(device: Device, family: Family) -> Iterator[Flaw]:
    """A tag is written for a route-map to match: one that none of a VRF's maps lets through was meant otherwise."""
    maps = [_map(line) for line in family.sources if line.words[:2] == ("redistribute", "direct")]
    entries = [entry for name in maps for entry in device.route_maps.get(name, ())]
    wanted = {tag for entry in entries for tag in _matched_tags(entry)}
    if not wanted:
        yield from _untold(device, family, entries)
        return
    if not all(_matched_tags(entry) for entry in entries if "deny" not in entry.words):
        return  # an entry that asks for no tag may let any through
    for name in device.addresses:
        port = device.ports[name]
        if port.value("vrf") == family.vrf and port.tag not in wanted | {"0"}:
            message = f"{device.name} {name} has tag {port.tag}, which no route-map that announces its VRF lets through"
            yield Flaw(message, device.name, port.at("address"), f"ip address <address> tag {min(wanted)}")


def _untold(device: Device, family: Family, entries: Sequence[Line]) -> Iterator[Flaw]:
    """Addresses with a tag that nothing matches, and a map that lets everything through: it lost its condition."""
    matched = {tag for every in device.route_maps.values() for entry in every for tag in _matched_tags(entry)}
    inside = [device.ports[name] for name in device.addresses if device.ports[name].value("vrf") == family.vrf]
    idle = sorted({port.tag for port in inside} - matched - {"0"})
    through = [entry for entry in entries if "deny" not in entry.words and not _conditions(entry)]
    if idle and through:
        message = (
            f"{device.name} {through[0].command} lets every network through, and no route-map matches tag {idle[0]}"
        )
        yield Flaw(message, device.name, through[0], f"{through[0].command}\n  match tag {idle[0]}")


def _matched_tags(entry: Line) -> list[str]:
    return [tag for line in entry.children if line.words[:2] == ("match", "tag") for tag in line.words[2:]]


def _conditions(entry: Line) -> bool:
    return any(line.words[:1] == ("match",) for line in entry.children)


def _networks(device: Device, family: Family) -> Iterator[Flaw]:
    """Loopbacks and gateways of a leaf or spine are announced, links are not; a peer of a pair announces its exits."""
    pair = device.vpc is not None or "-" in device.role
    ports = apart(_network_of(device, family, name, pair=pair) for name in device.ports)
    yield from apart((ports, _loopback(device, family, pair=pair), _routes(device, family, pair=pair)))


def _network_of(device: Device, family: Family, name: str, *, pair: bool) -> Iterator[Flaw]:
    at = device.addresses.get(name)
    if at is None or device.ports[name].value("vrf") != family.vrf:
        return
    announces = _announced(device, family, at.network, name)
    # A server's routed port is its gateway; the ends of a link between switches are nobody's destination.
    link = name in device.links and device.links[name].role != "host"
    if pair and link and device.links[name].role == "uplink" and not announces:
        yield _silent(device, family, f"{at.network} of {name}, which its peer has no other way to")
    elif not pair and not link and not announces and not _of_the_underlay(device, family, name):
        yield _silent(device, family, f"{at.network} of {name}")
    elif announces and (link if not pair else name.startswith("Vlan")):
        yield Flaw(
            f"{device.name} announces {at.network} of {name}: only {_MEANT[pair]} are meant",
            device.name,
            family.line,
            f"match ip address prefix-list <{_MEANT[pair]}>",
        )


def _loopback(device: Device, family: Family, *, pair: bool) -> Iterator[Flaw]:
    if not pair and _announcing(device, family.vrf) and not device.addresses.get("loopback0"):
        message = f"{device.name} has no loopback0 with an address: nothing of its own is announced"
        loopback = "interface loopback0\n  ip address <address>/32"
        yield Flaw(message, device.name, device.port("loopback0").line, loopback)


def _routes(device: Device, family: Family, *, pair: bool) -> Iterator[Flaw]:
    for route in statics(device) if pair and not family.vrf else ():
        prefix = _network(route.network)
        if prefix is not None and not _announced(device, family, prefix, "static"):
            yield _silent(device, family, f"its static route to {prefix}, which its peer has no other way to")


def _of_the_underlay(device: Device, family: Family, name: str) -> bool:
    """Loopbacks that OSPF carries, where the process has no IPv4 neighbour of its own."""
    return device.ports[name].value("ospf") != "" and not _announcing(device, family.vrf)


def _silent(device: Device, family: Family, what: str) -> Flaw:
    where = f" in vrf {family.vrf}" if family.vrf else ""
    message = f"{device.name} does not announce {what}{where}"
    return Flaw(message, device.name, family.line, "redistribute direct route-map <loopbacks and gateways>")


def _announced(device: Device, family: Family, prefix: IPv4Network, interface: str) -> bool:
    if prefix == _DEFAULT and not any(line.words == ("default-information", "originate") for line in _all(family)):
        return False
    for line in family.sources:
        kind = "static" if interface == "static" else "direct"
        if _network("".join(line.words[1:2])) == prefix:
            return True
        if line.words[:2] == ("redistribute", kind) and _passes(device, _map(line), prefix, interface):
            return True
    return False


def _all(family: Family) -> Sequence[Line]:
    return family.line.children


def _passes(device: Device, name: str, prefix: IPv4Network, interface: str) -> bool:
    """The first entry that matches decides; conditions other than lists, tags and interfaces are taken to hold."""
    for entry in device.route_maps.get(name, ()):
        if all(_matches(device, match, prefix, interface) for match in entry.children):
            return "deny" not in entry.words
    return not name


def _matches(device: Device, match: Line, prefix: IPv4Network, interface: str) -> bool:
    if match.words[:4] == ("match", "ip", "address", "prefix-list"):
        return any(_listed(device.prefix_lists, name, prefix) for name in match.words[4:])
    if match.words[:2] == ("match", "tag"):
        return device.port(interface).tag in match.words[2:]
    return True


def _listed(lists: Mapping[str, Sequence[Line]], name: str, prefix: IPv4Network) -> bool:
    for line in lists.get(name, ()):
        words = line.words[3:]
        base = next((found for word in words if (found := _network(word)) is not None), None)
        if base is None or not prefix.subnet_of(base):
            continue
        bounds = {key: int(value) for key, value in pairwise(words) if value.isdigit()}
        low = bounds.get("eq", bounds.get("ge", base.prefixlen))
        high = bounds.get("eq", bounds.get("le", base.max_prefixlen if "ge" in bounds else base.prefixlen))
        if low <= prefix.prefixlen <= high:
            return "permit" in words
    return False


def _network(text: str) -> IPv4Network | None:
    with suppress(ValueError):
        return IPv4Network(text, strict=False)
    return None


ANNOUNCED: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-networks-announced",
        title="BGP announces loopbacks and gateways, by maps and lists that are there",
        why="A route-map or prefix-list that is missing or lets nothing through leaves the others without a route.",
        fix="Remove lines of router bgp, route-map and ip prefix-list from fabric.extra: the plan has its own.",
        reference=_BGP,
        severity="high",
        judge=announced,
    ),
)
"""The rule about what BGP announces."""
