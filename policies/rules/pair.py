"""Rules of vPC: where a pair belongs, how its peers stay in touch."""

from collections.abc import Iterator, Sequence

from .lossless import facing, of_ports
from .nexus.device import Device
from .nexus.lines import Line
from .nexus.port import Port
from .nexus.spelling import numbers
from .rule import Flaw, NotApplicable, anything, apart, nothing, perhaps

_BACKEND = ("leaf", "spine")


def paired(devices: Sequence[Device]) -> Iterator[tuple[Device, Line]]:
    """Switches with their vPC domain. Raises NotApplicable where none has one."""
    if not any(perhaps(lambda device: device.vpc, device) for device in devices):
        raise NotApplicable("no switch has a vPC domain")
    return apart(map(_with_domain, devices))


def _with_domain(device: Device) -> Iterator[tuple[Device, Line]]:
    if (line := device.vpc) is not None:
        yield device, line


def backend(devices: Sequence[Device]) -> Iterator[Flaw]:
    """No vPC and no bundle where GPUs talk to GPUs: a rail is one link, and spines are not joined."""
    meant = [device for device in devices if device.role in _BACKEND or (not device.role and _is_backend(device))]
    if not meant:
        raise NotApplicable("no switch of a backend")
    for device in meant:
        yield from apart((_domain(device), _bundles(device)))


def _domain(device: Device) -> Iterator[Flaw]:
    if device.vpc is not None:
        yield Flaw(
            f"{device.name} is a backend {device.role or 'switch'} and has a vPC domain",
            device.name,
            device.vpc,
            f"no {device.vpc.command}",
        )


def _bundles(device: Device) -> Iterator[Flaw]:
    if device.lossless is not None:
        yield from of_ports(_bundled, device, device.lossless)


def _bundled(device: Device, port: Port) -> Iterator[Flaw]:
    bundle = port.get("bundle")
    if bundle is not None:
        yield Flaw(
            f"{device.name} {port.name}{facing(device, port)} is bundled in port-channel{bundle.value}",
            device.name,
            bundle.line,
            f"interface {port.name}\n  no channel-group",
        )


def _is_backend(device: Device) -> bool:
    """A found switch whose lossless ports are all routed or in one VLAN, none of them bundled."""
    lossless = device.lossless
    if lossless is None or not lossless.ports:
        return False
    single = all(port.routed or port.value("access") for port in lossless.ports)
    return single and not any(port.get("bundle") for port in lossless.ports)


def keepalive(devices: Sequence[Device]) -> Iterator[Flaw]:
    """The keepalive must not depend on what it watches: between the two mgmt0, or a VRF and link of its own."""
    yield from apart(_keepalive(device, domain, devices) for device, domain in paired(devices))


def _keepalive(device: Device, domain: Line, devices: Sequence[Device]) -> Iterator[Flaw]:
    line = next((each for each in reversed(domain.children) if each.words[:1] == ("peer-keepalive",)), None)
    if line is None:
        yield Flaw(
            f"{device.name} {domain.command} has no peer-keepalive: the vPC never comes up",
            device.name,
            domain,
            f"{domain.command}\n  peer-keepalive destination <mgmt0 of the peer> source <own mgmt0> vrf management",
        )
        return
    found = keepalive_of(line)
    vrf, own, far = found.get("vrf", "management"), found.get("source", ""), found.get("destination", "")
    what, excused_by = "", nothing
    if vrf != "management":
        if device.planned or _over_vlan(device, own):
            carried = "" if device.planned else ", through a VLAN that the peer link carries"
            what = f"in vrf {vrf}{carried}"
    elif (mine := management(device)) and own and own != mine:
        what = f"from {own}, its mgmt0 is {mine}"
    elif mine and far in (mine, own):
        message = f"{device.name} sends its keepalive to itself ({far})"
        yield Flaw(message, device.name, line, f"  {_mended(device, found)}", excused_by=nothing)
    elif device.planned and (managed := {*map(management, devices)} - {""}) and far not in managed:
        what, excused_by = f"to {far}, which is mgmt0 of no switch of this stack", anything
    if what:
        message, instead = f"{device.name} sends its keepalive {what}", f"{domain.command}\n  {_mended(device, found)}"
        yield Flaw(message, device.name, line, instead, excused_by=excused_by)


def keepalive_of(line: Line) -> dict[str, str]:
    """What a peer-keepalive line says, by keyword."""
    return {key: value for key, value in zip(line.words[1::2], line.words[2::2], strict=False)}


def _mended(device: Device, found: dict[str, str]) -> str:
    far = found.get("destination") or "<mgmt0 of the peer>"
    return f"peer-keepalive destination {far} source {management(device) or '<own mgmt0>'} vrf management"


def management(device: Device) -> str:
    """Address of mgmt0; empty where it is not known."""
    return device.management or device.port("mgmt0").value("address").partition("/")[0].partition(" ")[0]


def allowed(port: Port) -> frozenset[int]:
    """VLANs that a trunk carries; none for any other port."""
    return numbers(port.value("allowed") or "1-4094") if port.value("mode") == "trunk" else frozenset()


def _over_vlan(device: Device, source: str) -> bool:
    """Whether the source address is that of an SVI whose VLAN the peer link carries."""
    owners = [port for port in device.ports.values() if source and port.value("address").partition("/")[0] == source]
    vlans = {int(port.name.removeprefix("Vlan")) for port in owners if port.name.startswith("Vlan")}
    joined = [port for port in device.ports.values() if port.value("vpc") == "peer-link"]
    return any(vlans & allowed(port) for port in joined)


def standby(device: Device, name: str) -> Iterator[tuple[str, Line]]:
    """HSRP groups of an SVI: group and line; `10` and `10 ipv6` are two groups, `10 ipv4` is the first."""
    for block in device.beginning("interface", name):
        for line in block.children:
            if line.words[:1] == ("hsrp",) and "".join(line.words[1:2]).isdigit():
                yield " ".join(line.words[1:]).removesuffix(" ipv4"), line
