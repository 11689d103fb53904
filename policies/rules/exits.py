"""Ways out that a plan writes by hand: static routes whose next hop is there, VRFs that a fabric is in as a whole."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address

from .cables import cables
from .nexus.device import Device
from .nexus.statics import Static, statics
from .rule import Flaw, NexusRule, NotApplicable

_UCAST = "https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/104x/unicast-routing-configuration/cisco-nexus-9000-series-nx-os-unicast-routing-configuration-guide-release-104x.html"


def exits(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Next hops are at the other end of something, uplinks are used, and nothing of a fabric is in another VRF."""
    if not any(device.addresses for device in devices):
        raise NotApplicable("no interface has an address")
    for device in devices:
        routes = [(each, each.hop) for each in statics(device)]
        for route, hop in routes:
            if hop is not None:
                yield from _hop(device, route, hop)
        yield from _processes(device) if not device.part else ()
        if device.planned:
            yield from _uplinks(device, [hop for _, hop in routes if hop is not None])
            yield from _apart(device)
    for device, near, peer, far in cables(devices):
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
    near = [at for name, at in device.addresses.items() if hop in at.network and not device.ports[name].value("vrf")]
    if str(hop) in device.own_addresses and near:
        what = "its own address"
    elif device.planned and not near:
        what = "in no subnet of its own"
    else:
        return
    message = f"{device.name} routes {route.network} to {hop}, which is {what}"
    yield Flaw(message, device.name, route.line, f"ip route {route.network} <address of the other end>")


def _processes(device: Device) -> Iterator[Flaw]:
    """A process that is configured for VRFs only: its interfaces are in one of them."""
    for block in device.lines:
        if block.words[:2] not in (("router", "ospf"), ("router", "eigrp")) or len(block.words) < 3:
            continue
        vrfs = sorted(line.words[1] for line in block.children if line.words[:1] == ("vrf",) and len(line.words) > 1)
        if not vrfs or len(vrfs) < len(block.children):
            continue
        for port in device.ports.values():
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


def _uplinks(device: Device, hops: Sequence[IPv4Address]) -> Iterator[Flaw]:
    """An uplink of a plan that no route and no session uses carries nothing out."""
    used = {port.name for _, port in device.reached}
    for name, end in device.links.items():
        at = device.addresses.get(name)
        if end.role != "uplink" or at is None or name in used or any(hop in at.network for hop in hops):
            continue
        if not device.ports[name].value("ospf"):
            message = f"{device.name} {name} (to {end.device}) has {at}, and no route leads over it"
            yield Flaw(message, device.name, device.ports[name].line, f"ip route 0.0.0.0/0 <address of {end.device}>")


def _apart(device: Device) -> Iterator[Flaw]:
    """A fabric whose links are all in one VRF has its loopbacks and gateways there too."""
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
    ),
)
"""The rule about ways out."""
