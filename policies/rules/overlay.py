"""VXLAN with EVPN: a tenant's VNI is one chain, and each link of it is a line somewhere else."""

from collections.abc import Iterator, Mapping, Sequence

from .nexus.device import Device
from .nexus.lines import Line
from .nexus.spelling import numbers
from .rule import Flaw, NexusRule, apart, spoken

_VXLAN = "https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/104x/configuration/vxlan/cisco-nexus-9000-series-nx-os-vxlan-configuration-guide-release-104x.html"
_MOST = 4096
"""VNIs that one range may name; more is a slip of the pen."""


def whole(devices: Sequence[Device]) -> Iterator[Flaw]:
    """A VRF's VNI has its VLAN, the VLAN's routing interface in that VRF, and its place on the tunnel interface."""
    yield from spoken(apart(map(_looked_at, devices)), "no VRF is carried by VXLAN")


def _looked_at(device: Device) -> Iterator[Flaw | None]:
    yield from apart((apart(_tenant(device, block) for block in _contexts(device)), _carried(device)))


def _tenant(device: Device, block: Line) -> Iterator[Flaw | None]:
    for vrf, vni, line in _of_context(block):
        yield None
        what = _missing(device, vrf, vni, line)
        if what is not None:
            yield Flaw(f"{device.name} vrf {vrf}: {what[0]}", device.name, what[1] or line, what[2])


def _carried(device: Device) -> Iterator[Flaw | None]:
    members = _members(device)
    if members:
        yield None
        yield from apart((_behind(device, members), _of_nobody(device, members)))


def _of_nobody(device: Device, members: Mapping[str, Line]) -> Iterator[Flaw]:
    known = {vni for block in _contexts(device) for _, vni, _ in _of_context(block)}
    for vni, line in members.items():
        if vni not in known:
            yield Flaw(
                f"{device.name} nve1 carries VNI {vni} for a VRF, and no VRF has it",
                device.name,
                line,
                f"vrf context <tenant>\n  vni {vni}",
            )


def _behind(device: Device, members: Mapping[str, Line]) -> Iterator[Flaw]:
    """What leaves a planned tunnel is classified again; by the policies of ports it is not (VXLAN guide, QoS)."""
    tunnel = device.ports.get("nve1")
    if device.planned and device.lossless is not None and members and tunnel is not None and not tunnel.value("qos"):
        yield Flaw(
            f"{device.name} nve1 classifies nothing: RoCE packets leave the tunnel in the default class",
            device.name,
            tunnel.line,
            "interface nve1\n  service-policy type qos input QOS_CLASSIFICATION",
        )


def _contexts(device: Device) -> Iterator[Line]:
    return (block for block in device.lines if block.words[:2] == ("vrf", "context"))


def _of_context(block: Line) -> Iterator[tuple[str, str, Line]]:
    """VRF, VNI and line of a tenant."""
    for line in block.children:
        if line.words[:1] == ("vni",) and len(line.words) > 1:
            yield block.words[-1], line.words[1], line


def _members(device: Device) -> dict[str, Line]:
    """VNIs that the tunnel carries for a VRF, by number; it may be opened more than once."""
    tunnels = (block for block in device.lines if block.command.startswith("interface nve"))
    lines = [line for block in tunnels for line in block.children if line.words[:2] == ("member", "vni")]
    return {vni: line for line in lines if "associate-vrf" in line.words for vni in listed(line.words[2])}


def listed(text: str) -> Iterator[str]:
    """The VNIs of a list such as `50001,50003-50004`."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first.isdigit() and (last or first).isdigit():
            yield from map(str, range(int(first), min(int(last or first), int(first) + _MOST) + 1))


def _missing(device: Device, vrf: str, vni: str, member: Line) -> tuple[str, Line | None, str] | None:
    """What the chain lacks, where, and the lines that mend it; a VNI with `l3` needs no VLAN."""
    if device.part or (device.top("interface", "nve1") is None and not device.planned):
        return None
    if vni not in _members(device):
        return f"nve1 does not carry its VNI {vni}", device.top("interface", "nve1"), f"member vni {vni} associate-vrf"
    if "l3" in member.words:
        return None
    vlan, line = next(_segments(device, vni), (0, None))
    if not vlan:
        return f"no VLAN stands for its VNI {vni}", None, f"vlan <id>\n  vn-segment {vni}"
    svi = device.port(f"Vlan{vlan}")
    if svi.value("vrf") != vrf:
        return f"VLAN {vlan} of its VNI has no interface in it", line, f"interface Vlan{vlan}\n  vrf member {vrf}"
    if not svi.up:
        return f"{svi.name} of its VNI is down", svi.line, f"interface {svi.name}\n  no shutdown"
    largest = max((port.mtu for port in device.lossless.ports), default=svi.mtu) if device.lossless else svi.mtu
    if svi.mtu < largest:
        words = f"{svi.name} of its VNI has mtu {svi.mtu}, the switch's ports have mtu {largest}"
        return words, svi.at("mtu"), f"interface {svi.name}\n  mtu {largest}"
    return None


def _segments(device: Device, vni: str) -> Iterator[tuple[int, Line]]:
    """The VLAN that stands for a VNI, and its line."""
    for block in device.lines:
        for line in block.children if block.words[:1] == ("vlan",) else ():
            if line.words == ("vn-segment", vni):
                yield from ((vlan, line) for vlan in sorted(numbers(block.words[-1])))


OVERLAY: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-tenant-vni-whole",
        title="A tenant's VNI has its VLAN, its interface and its place in the tunnel",
        why="Where one link of the chain is missing, the tenant's routes are there and its packets are dropped.",
        fix="Leave VNIs to fabric.tenancy and remove lines in fabric.extra that change them.",
        reference=_VXLAN,
        severity="high",
        judge=whole,
    ),
)
"""The rule about the chain behind a VNI."""
