"""Ways out that a plan writes by hand: static routes whose next hop is there, VRFs that a fabric is in as a whole."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address

from .cables import cables
from .nexus.device import Device
from .nexus.lines import Line
from .nexus.port import Port
from .nexus.statics import Static, statics
from .rule import Flaw, NexusRule, NotApplicable, apart, nothing, perhaps

_UCAST = "https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/104x/unicast-routing-configuration/cisco-nexus-9000-series-nx-os-unicast-routing-configuration-guide-release-104x.html"


def exits(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Next hops are at the other end of something, uplinks are used, and nothing of a fabric is in another VRF."""
    if not any(perhaps(lambda device: device.addresses, each) for each in devices):
        raise NotApplicable("no interface has an address")
    yield from apart((apart(map(_own, devices)), apart(_ends(*each) for each in cables(devices))))


def _own(device: Device) -> Iterator[Flaw]:
    yield from apart(ask(device) for ask in (_hops, _processes, _uplinks, _astray))


def _hops(device: Device) -> Iterator[Flaw]:
    yield from apart(_hop(device, route, route.hop) for route in statics(device) if route.hop is not None)


def _ends(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    one, other = near.value("vrf"), far.value("vrf")
    if device.planned and one != other and near.value("address") and far.value("address"):
        yield Flaw(
            f"{device.name} {near.name} is in vrf {one or 'default'}, the other end of its cable, {peer.name} "
            f"{far.name}, in vrf {other or 'default'}",
            device.name,
            near.at("vrf"),
            "the same vrf member at both ends",
            ((peer.name, far.at("vrf")),),
        )


def _hop(device: Device, route: Static, hop: IPv4Address) -> Iterator[Flaw]:
    near = (at for name, at in device.addresses.items() if hop in at.network and not device.ports[name].value("vrf"))
    if next(near, None) is None:
        what = "in no subnet of its own" if device.planned else ""
    else:
        what = "its own address" if str(hop) in device.own_addresses else ""
    if what:
        message = f"{device.name} routes {route.network} to {hop}, which is {what}"
        yield Flaw(message, device.name, route.line, f"ip route {route.network} <address of the other end>")


def _processes(device: Device) -> Iterator[Flaw]:
    """A process that is configured for VRFs only: its interfaces are in one of them."""
    for block in device.lines if not device.part else ():
        if block.words[:2] not in (("router", "ospf"), ("router", "eigrp")) or len(block.words) < 3:
            continue
        vrfs = sorted(line.words[1] for line in block.children if line.words[:1] == ("vrf",) and len(line.words) > 1)
        if not vrfs or len(vrfs) < len(block.children):
            continue
        yield from apart(_astray_port(device, block, vrfs, port) for port in device.ports.values())


def _astray_port(device: Device, block: Line, vrfs: Sequence[str], port: Port) -> Iterator[Flaw]:
    setting, vrf = port.own.get(block.words[1]), port.value("vrf") or "default"
    if setting is not None and setting.value == block.words[2] and vrf not in vrfs:
        yield Flaw(
            f"{device.name} {port.name} is in vrf {vrf}, and its {block.command} is configured for vrf "
            f"{', '.join(vrfs)} only",
            device.name,
            setting.line,
            f"interface {port.name}\n  vrf member {vrfs[0]}",
            ((device.name, block),),
        )


def _uplinks(device: Device) -> Iterator[Flaw]:
    """An uplink of a plan that no route and no session uses carries nothing out."""
    if device.planned:
        yield from apart(_uplink(device, name) for name in device.links)


def _uplink(device: Device, name: str) -> Iterator[Flaw]:
    end, at = device.links[name], device.addresses.get(name)
    if end.role != "uplink" or at is None or any(route.hop in at.network for route in statics(device) if route.hop):
        return
    if not device.ports[name].value("ospf") and name not in {port.name for _, port in device.reached}:
        message = f"{device.name} {name} (to {end.device}) has {at}, and no route leads over it"
        yield Flaw(message, device.name, device.ports[name].line, f"ip route 0.0.0.0/0 <address of {end.device}>")


def _astray(device: Device) -> Iterator[Flaw]:
    """A fabric whose links are all in one VRF has its loopbacks and gateways there too."""
    if not device.planned:
        return
    cabled = {
        device.port(name).value("vrf")
        for name, end in device.links.items()
        if end.role == "fabric" and device.port(name).value("address")
    }
    vrf = next(iter(cabled), "")
    for name in device.addresses if len(cabled) == 1 and vrf else ():
        if name.startswith(("Vlan", "loopback")) and not device.ports[name].value("vrf"):
            message = f"{device.name} {name} is in vrf default, its links to other switches are in vrf {vrf}"
            yield Flaw(message, device.name, device.ports[name].line, f"interface {name}\n  vrf member {vrf}")


EXITS: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-ways-used",
        title="Next hops are there, uplinks are used, a fabric is in one VRF",
        why="A route to an address that nobody has is not installed, and an interface in another VRF is not reached.",
        fix="Remove ip route and vrf member lines from fabric.extra; give uplinks their gateway in the stack file.",
        reference=_UCAST,
        severity="high",
        judge=exits,
        alone=False,
        excused_by=nothing,
    ),
)
"""The rule about ways out."""
