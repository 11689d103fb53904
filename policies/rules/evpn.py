"""EVPN between switches: routes that reach every switch with their targets, VNIs that mean the same everywhere."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from .nexus.bgp import Neighbor
from .nexus.device import Device
from .nexus.lines import Line
from .rule import Flaw, NexusRule, NotApplicable, apart, nothing, perhaps
from .tunnels import segments, tenants, tunnel_of

_EVPN = "https://www.rfc-editor.org/rfc/rfc7432#section-7.10"
"""Route targets are extended communities: a route that has lost them is imported nowhere."""

_FEW = 3
"""Below this many switches nobody can say which one stands out."""

Place = tuple[Device, str, Line]
"""A switch, what it has there, and the line."""


def exchanged(devices: Sequence[Device]) -> Iterator[Flaw]:
    """EVPN routes keep their targets, and reflectors pass them to every client; VNIs mean the same everywhere."""
    if not any(perhaps(lambda device: any(True for _ in _evpn(device)), each) for each in devices):
        raise NotApplicable("no switch has an EVPN neighbour")
    yield from apart(
        (
            apart(map(_targets, devices)),
            _reflected(devices),
            _replicated(devices),
            _gateway_macs(devices),
            _alike("vrf", devices, tenants),
            _alike("VLAN", devices, _of_vlans),
            _placed(devices),
        )
    )


def _targets(device: Device) -> Iterator[Flaw]:
    for neighbor in _evpn(device):
        if not neighbor.evpn & {"send-community extended", "send-community both"}:
            yield Flaw(
                f"{device.name} sends {neighbor.name} no extended communities: EVPN routes lose their targets",
                device.name,
                neighbor.line,
                "address-family l2vpn evpn\n  send-community extended",
                excused_by=nothing,
            )


def _evpn(device: Device) -> Iterator[Neighbor]:
    process = device.bgp
    for each in process.neighbors if process is not None else ():
        if "l2vpn evpn" in each.families and not any(line.words[:1] == ("inherit",) for line in each.line.children):
            yield each


def _reflected(devices: Sequence[Device]) -> Iterator[Flaw]:
    """An internal neighbour that is no client of a reflector hears nothing of clients, unless it reflects itself."""
    owners = {address: device for device in devices for address in device.own_addresses}
    clients = {device.name: [each for each in _evpn(device) if "route-reflector-client" in each.evpn]
               for device in devices}  # fmt: skip
    for device in devices:
        asn = device.bgp.asn if device.bgp is not None else ""
        for each in _evpn(device) if clients[device.name] else ():
            far = owners.get(each.name)
            if far is None or clients[far.name] or each.asn != asn:
                continue
            if "route-reflector-client" not in each.evpn:
                yield Flaw(
                    f"{device.name} reflects routes to {len(clients[device.name])} neighbours, and {each.name} "
                    f"({far.name}) is not its client: it hears nothing of them",
                    device.name,
                    each.line,
                    "address-family l2vpn evpn\n  route-reflector-client",
                )


def _unlike(places: Sequence[Place]) -> Iterator[tuple[Place, Place]]:
    """Each place whose value is not the usual one, with the first that has the usual one."""
    usual = Counter(value for _, value, _ in places).most_common()[0][0]
    like = next(place for place in places if place[1] == usual)
    yield from ((place, like) for place in places if place[1] != usual)


def _replicated(devices: Sequence[Device]) -> Iterator[Flaw]:
    """VTEPs that flood a VNI in different ways do not hear each other's floods."""
    stated: dict[str, list[Place]] = defaultdict(list)
    for device in devices:
        tunnel = tunnel_of(device)
        for vni, line in tunnel.members.items() if tunnel is not None else ():
            how = next((each.command for each in line.children
                        if each.words[0] in ("mcast-group", "ingress-replication")), "")  # fmt: skip
            if how and "associate-vrf" not in line.words:
                stated[vni].append((device, how, line))
    for vni, places in stated.items():
        for (device, how, line), (like, usual, there) in _unlike(places):
            message = f"{device.name} floods VNI {vni} by {how}, {like.name} by {usual}"
            yield Flaw(message, device.name, line, f"member vni {vni}\n  {usual}", ((like.name, there),))


def _gateway_macs(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Hosts that move keep the MAC address of their gateway, which is therefore the same on all switches."""
    stated = [
        (device, line)
        for device in devices
        if (line := device.top("fabric", "forwarding", "anycast-gateway-mac")) is not None
        and any(port.value("anycast") for port in device.ports.values())
    ]
    usual = Counter(line.command for _, line in stated).most_common()[0][0] if stated else ""
    for device, line in stated:
        if line.command != usual:
            message = f"{device.name} has {line.words[-1]} as the gateways' MAC address, others {usual.split()[-1]}"
            yield Flaw(message, device.name, line, usual)


def _of_vlans(device: Device) -> Iterator[tuple[str, str, Line]]:
    if device.top("interface", "nve1") is None:
        return
    for block in device.lines:
        if block.words[:1] != ("vlan",):
            continue
        names = [line.words[1] for line in block.children if line.words[:1] == ("name",) and len(line.words) > 1]
        for line in block.children:
            if line.words[:1] == ("vn-segment",) and len(line.words) > 1 and names:
                yield f"{block.words[-1]} ({names[0]})", line.words[1], line


def _alike(
    what: str, devices: Sequence[Device], stated: Callable[[Device], Iterable[tuple[str, str, Line]]]
) -> Iterator[Flaw]:
    """One name stands for one VNI on all switches."""
    by_name: dict[str, list[Place]] = defaultdict(list)
    for device in devices:
        for name, vni, line in stated(device):
            by_name[name].append((device, vni, line))
    for name, places in by_name.items():
        for (device, vni, line), (like, usual, there) in _unlike(places):
            message = f"{device.name} {what} {name} is VNI {vni}, on {like.name} it is {usual}"
            yield Flaw(message, device.name, line, f"VNI {usual} on every switch", ((like.name, there),))


def _placed(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Of three or more switches one that has a VNI in another VLAN than all others."""
    stated: dict[str, list[Place]] = defaultdict(list)
    for device in devices:
        for number, line in segments(device).items():
            stated[line.words[1]].append((device, str(number), line))
    for vni, places in stated.items():
        odd = list(_unlike(places)) if len({device.name for device, _, _ in places}) >= _FEW else []
        for (device, vlan, line), (like, usual, there) in odd if len(odd) == 1 else ():
            message = f"{device.name} has VNI {vni} in VLAN {vlan}, {like.name} and all others in VLAN {usual}"
            yield Flaw(message, device.name, line, f"vlan {usual}\n  vn-segment {vni}", ((like.name, there),))


EVPN: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-evpn-reaches-all",
        title="EVPN routes reach every switch, and a VNI means the same everywhere",
        why="A route without its targets, or one that no reflector passes on, is missing on a switch that needs it.",
        fix="Remove neighbours and VNIs from fabric.extra: the plan makes spines reflectors and numbers tenants once.",
        reference=_EVPN,
        severity="high",
        judge=exchanged,
        alone=False,
    ),
)
"""The rule about EVPN between switches."""
