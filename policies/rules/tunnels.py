"""VXLAN tunnels of one switch: where they start, the VNIs they carry, the VRFs behind them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .nexus.device import Device
from .nexus.lines import Line
from .nexus.port import Port
from .nexus.spelling import interface, numbers
from .overlay import listed
from .rule import Flaw, NexusRule, apart, spoken

_VXLAN = "https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/104x/configuration/vxlan/cisco-nexus-9000-series-nx-os-vxlan-configuration-guide-release-104x.html"
_HOST = 32
_NVE = "interface nve1"


@dataclass(frozen=True)
class Tunnel:
    """The tunnel interface of one switch."""

    device: Device
    line: Line
    lines: tuple[Line, ...]
    members: Mapping[str, Line]
    """The line of each VNI."""

    def find(self, *words: str) -> Line | None:
        """The line that begins with these words."""
        return next((line for line in self.lines if line.words[: len(words)] == words), None)


def tunnel_of(device: Device) -> Tunnel | None:
    """The tunnel interface, opened once or more often; None where there is none."""
    blocks = [block for block in device.lines if block.command == "interface nve1"]
    if not blocks:
        return None
    lines = tuple(line for block in blocks for line in block.children)
    carried = [line for line in lines if line.words[:2] == ("member", "vni") and len(line.words) > 2]
    members = {vni: line for line in carried for vni in listed(line.words[2])}
    return Tunnel(device, blocks[-1], lines, members)


def tunnels(devices: Sequence[Device]) -> Iterator[Flaw]:
    """A tunnel is up, learns by BGP and starts at a loopback; each VNI has one VLAN or VRF, and each VLAN its VNI."""
    yield from spoken(apart(map(_looked_at, devices)), "no switch has a tunnel interface")


def _looked_at(device: Device) -> Iterator[Flaw | None]:
    if device.top("interface", "nve1") is None:
        if _overlaid(device) and tenants(device):
            yield Flaw(f"{device.name} has VRFs with a VNI and no interface nve1", device.name, None, "interface nve1")
    elif not device.part:
        yield None
        yield from apart(ask(device) for ask in (_itself, _segments, _anycast, _tenant_vrfs))


def _itself(device: Device) -> Iterator[Flaw]:
    tunnel = tunnel_of(device)
    if tunnel is not None and tunnel.members and (device.planned or _meant(tunnel)):
        yield from apart((_complete(tunnel), _source(tunnel)))


def _overlaid(device: Device) -> bool:
    """A plan with tenants is one of an overlay, and a whole found configuration that has its feature on."""
    return device.planned or device.top("feature", "nv", "overlay") is not None


def tenants(device: Device) -> list[tuple[str, str, Line]]:
    """VRF, VNI and block of each VRF with a VNI."""
    return [
        (block.words[-1], line.words[1], block)
        for block in device.lines
        if block.words[:2] == ("vrf", "context")
        for line in block.children
        if line.words[:1] == ("vni",) and len(line.words) > 1
    ]


def _meant(tunnel: Tunnel) -> bool:
    """A found tunnel that lacks one of three lines was meant to work; one that lacks more may be a leftover."""
    settings = (("no", "shutdown"), ("host-reachability",), ("source-interface",))
    return sum(tunnel.find(*words) is not None for words in settings) > 1


def _complete(tunnel: Tunnel) -> Iterator[Flaw]:
    yield from apart(ask(tunnel) for ask in (_up, _learning, _flooding))


def _up(tunnel: Tunnel) -> Iterator[Flaw]:
    device = tunnel.device
    up = [line.words for line in tunnel.lines if line.words[-1:] == ("shutdown",)]
    if not up or up[-1] != ("no", "shutdown"):
        yield Flaw(
            f"{device.name} nve1 is shut, the default of a tunnel", device.name, tunnel.line, f"{_NVE}\n  no shut"
        )


def _learning(tunnel: Tunnel) -> Iterator[Flaw]:
    device = tunnel.device
    if tunnel.find("host-reachability", "protocol", "bgp") is None and (device.planned or _speaks_evpn(device)):
        message = f"{device.name} nve1 does not learn hosts by BGP: EVPN routes lead nowhere"
        yield Flaw(message, device.name, tunnel.line, f"{_NVE}\n  host-reachability protocol bgp")


def _speaks_evpn(device: Device) -> bool:
    return device.bgp is not None and any("l2vpn evpn" in each.families for each in device.bgp.neighbors)


def _flooding(tunnel: Tunnel) -> Iterator[Flaw]:
    device = tunnel.device
    for vni, line in tunnel.members.items():
        bare = "associate-vrf" not in line.words and not line.children
        if bare and tunnel.find("global") is None:
            message = f"{device.name} nve1 carries VNI {vni} and floods it neither by BGP nor by a multicast group"
            yield Flaw(message, device.name, line, f"member vni {vni}\n  ingress-replication protocol bgp")


def _source(tunnel: Tunnel) -> Iterator[Flaw]:
    device = tunnel.device
    sources = [line for line in tunnel.lines if line.words[:1] == ("source-interface",) and len(line.words) > 1]
    line = next((each for each in sources if each.words[1] != "hold-down-time"), None)
    if line is None:
        yield Flaw(
            f"{device.name} nve1 has no source-interface: no tunnel starts or ends there",
            device.name,
            tunnel.line,
            "interface nve1\n  source-interface loopback1",
        )
        return
    name = interface("".join(line.words[1:])) or line.words[1]
    address, port = device.addresses.get(name), device.port(name)
    if not name.startswith("loopback"):
        what = "is no loopback"
    elif address is None:
        what = "has no address"
    elif port.down:
        what = "is shut"
    elif address.network.prefixlen != _HOST:
        what = f"has {address}, and a tunnel ends at one address, /32"
    elif port.value("vrf"):
        what = f"is in vrf {port.value('vrf')}, and tunnels start in the default one"
    else:
        return
    yield Flaw(
        f"{device.name} nve1 starts at {name}, which {what}",
        device.name,
        line if address is None else port.at("address"),
        f"interface {name}\n  ip address <address>/32",
    )


def segments(device: Device) -> Mapping[int, Line]:
    """The line that gives a VLAN its VNI, by VLAN."""
    return {
        vlan: line
        for block in device.lines
        if block.words[:1] == ("vlan",)
        for line in block.children
        if line.words[:1] == ("vn-segment",) and len(line.words) > 1
        for vlan in numbers(block.words[-1])
    }


def _segments(device: Device) -> Iterator[Flaw]:
    """Each VNI of the tunnel is that of one VLAN, and each VLAN's is on the tunnel."""
    vlans: dict[str, list[tuple[int, Line]]] = defaultdict(list)
    for vlan, line in segments(device).items():
        vlans[line.words[1]].append((vlan, line))
    places = {vni: sorted(found, key=lambda each: each[0]) for vni, found in vlans.items()}
    yield from apart((_carried(device, places), _once(device, places)))


def _once(device: Device, places: Mapping[str, Sequence[tuple[int, Line]]]) -> Iterator[Flaw]:
    for vni, found in places.items():
        if len(found) > 1:
            names = ", ".join(str(vlan) for vlan, _ in found)
            yield Flaw(f"{device.name} has VNI {vni} in VLANs {names}: a VNI is one VLAN", device.name, found[1][1])


def _carried(device: Device, places: Mapping[str, Sequence[tuple[int, Line]]]) -> Iterator[Flaw]:
    tunnel = tunnel_of(device)
    for vni, line in tunnel.members.items() if tunnel is not None else ():
        if "associate-vrf" not in line.words and vni not in places:
            message = f"{device.name} nve1 carries VNI {vni}, which no VLAN has"
            yield Flaw(message, device.name, line, f"vlan <id>\n  vn-segment {vni}")
    for vni, ((vlan, line), *_) in places.items():
        if tunnel is not None and vni not in tunnel.members and vni not in {each for _, each, _ in tenants(device)}:
            message = f"{device.name} VLAN {vlan} has VNI {vni}, which nve1 does not carry"
            yield Flaw(message, device.name, line, f"interface nve1\n  member vni {vni}")


def _anycast(device: Device) -> Iterator[Flaw]:
    """A gateway that is on every switch needs the VNI that makes its VLAN one."""
    named = {f"Vlan{vlan}" for vlan in segments(device)}
    yield from apart(_bare(device, port) for name, port in device.ports.items() if named and name not in named)


def _bare(device: Device, port: Port) -> Iterator[Flaw]:
    if port.value("anycast"):
        vlan = port.name.removeprefix("Vlan")
        message = f"{device.name} {port.name} is an anycast gateway, and VLAN {vlan} has no VNI"
        yield Flaw(message, device.name, port.at("anycast"), f"vlan {vlan}\n  vn-segment <vni>")


def _tenant_vrfs(device: Device) -> Iterator[Flaw]:
    """What a VRF needs besides its VNI: an interface that forwards, route targets, BGP that announces."""
    for vrf, vni, block in tenants(device):
        yield from apart((_forwards(device, vrf, vni), _targets(device, vrf, block), _announces(device, vrf)))


def _announces(device: Device, vrf: str) -> Iterator[Flaw]:
    process = device.bgp
    if process is None:
        return
    scope = {line.words: line for line in process.line.children}.get(("vrf", vrf))
    family = _family(scope) if scope is not None else None
    announced = family is not None and any(line.words[:2] == ("advertise", "l2vpn") for line in family.children)
    if family is None and any(port.value("vrf") == vrf and port.value("address") for port in device.ports.values()):
        message = f"{device.name} vrf {vrf} has addresses and no IPv4 routes in router bgp {process.asn}"
        instead = f"router bgp {process.asn}\n  vrf {vrf}\n    address-family ipv4 unicast\n      advertise l2vpn evpn"
        yield Flaw(message, device.name, scope or process.line, instead)
    elif device.planned and family is not None and not announced:
        message = f"{device.name} vrf {vrf} does not advertise l2vpn evpn: other switches have no route to it"
        yield Flaw(message, device.name, family, "advertise l2vpn evpn")
    elif device.planned and family is not None and not _brings(family):
        message = f"{device.name} vrf {vrf} brings nothing into BGP: other switches have no route to it"
        yield Flaw(message, device.name, family, "redistribute direct route-map <gateways>")


def _brings(family: Line) -> bool:
    return any(line.words[:1] in (("redistribute",), ("network",)) for line in family.children)


def _family(scope: Line) -> Line | None:
    wanted = ("address-family", "ipv4", "unicast")
    return next((line for line in scope.children if line.words == wanted), None)


def _forwards(device: Device, vrf: str, vni: str) -> Iterator[Flaw]:
    """The interface that routes for the VNI: without an address of its own it forwards only with `ip forward`."""
    for vlan in sorted(vlan for vlan, line in segments(device).items() if line.words[1] == vni):
        svi = device.port(f"Vlan{vlan}")
        if svi.value("vrf") == vrf and not svi.value("forward") and not svi.value("address"):
            message = f"{device.name} {svi.name} of VNI {vni} does not forward: it has no ip forward"
            yield Flaw(message, device.name, svi.line, f"interface {svi.name}\n  ip forward")


def _targets(device: Device, vrf: str, block: Line) -> Iterator[Flaw]:
    """A route distinguisher, and route targets for EVPN both ways."""
    distinguished = any(line.words[:1] == ("rd",) for line in block.children)
    family = _family(block)
    ways = {
        way
        for line in (family or block).children
        for way in ("import", "export", "both")
        if line.words[:2] == ("route-target", way) and line.words[-1] == "evpn"
    }
    if not (device.planned or distinguished or ways):
        return  # by the forms of later releases, which derive both
    if not distinguished:
        message = f"{device.name} vrf {vrf} has no route distinguisher: nothing of it is advertised"
        yield Flaw(message, device.name, block, f"vrf context {vrf}\n  rd auto")
    lacking = [way for way in ("import", "export") if not ways & {way, "both"}]
    if lacking:
        what = " and ".join(f"{way}s nothing" for way in lacking)
        message = f"{device.name} vrf {vrf} {what}: it lacks route-target both auto evpn"
        instead = f"vrf context {vrf}\n  address-family ipv4 unicast\n    route-target both auto evpn"
        yield Flaw(message, device.name, family or block, instead)


TUNNELS: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-tunnel-complete",
        title="A tunnel interface has its source, its VNIs, and VRFs that are announced",
        why="A tunnel without a source, or a VRF without route targets, comes up nowhere and alarms nobody.",
        fix="Leave VNIs to fabric.tenancy and remove lines of nve1, vrf context and router bgp from fabric.extra.",
        reference=_VXLAN,
        severity="high",
        judge=tunnels,
        alone=True,
    ),
)
"""The rule about tunnel interfaces."""
