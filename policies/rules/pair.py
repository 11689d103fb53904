"""Rules of vPC: where a pair belongs, how its peers stay in touch, what both must have alike."""

from collections.abc import Iterator, Sequence

from .lossless import facing
from .nexus.device import Device
from .nexus.lines import Line
from .nexus.port import Port
from .nexus.spelling import numbers
from .rule import Flaw, NotApplicable

_BACKEND = ("leaf", "spine")
_ALIKE = (("mtu", "mtu"), ("mode", "switchport mode"), ("native", "native vlan"))
"""Settings of a vPC port-channel that both peers must have alike (type 1 consistency parameters)."""


def _paired(devices: Sequence[Device]) -> Iterator[tuple[Device, Line]]:
    found = [(device, device.vpc) for device in devices]
    if not any(line for _, line in found):
        raise NotApplicable("no switch has a vPC domain")
    return ((device, line) for device, line in found if line is not None)


def backend(devices: Sequence[Device]) -> Iterator[Flaw]:
    """No vPC and no bundle where GPUs talk to GPUs: a rail is one link, and spines are not joined."""
    meant = [device for device in devices if device.role in _BACKEND or (not device.role and _is_backend(device))]
    if not meant:
        raise NotApplicable("no switch of a backend")
    for device in meant:
        if device.vpc is not None:
            yield Flaw(
                f"{device.name} is a backend {device.role or 'switch'} and has a vPC domain",
                device.name,
                device.vpc,
                f"no {device.vpc.command}",
            )
        for port in device.lossless.ports if device.lossless else ():
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
    managed = {_management(device): device.name for device in devices if _management(device)}
    for device, domain in _paired(devices):
        line = next((each for each in reversed(domain.children) if each.words[:1] == ("peer-keepalive",)), None)
        if line is None:
            yield Flaw(
                f"{device.name} {domain.command} has no peer-keepalive: the vPC never comes up",
                device.name,
                domain,
                f"{domain.command}\n  peer-keepalive destination <mgmt0 of the peer> source <own mgmt0> vrf management",
            )
            continue
        said = _said(line)
        vrf, instead = said.get("vrf", "management"), f"  {_mended(device, said)}"
        own, far = said.get("source", ""), said.get("destination", "")
        mine = _management(device)
        if vrf != "management":
            if device.planned or _over_vlan(device, own):
                yield Flaw(
                    f"{device.name} sends its keepalive in vrf {vrf}"
                    + ("" if device.planned else ", through a VLAN that the peer link carries"),
                    device.name,
                    line,
                    f"{domain.command}\n{instead}",
                )
        elif mine and own and own != mine:
            yield Flaw(
                f"{device.name} sends its keepalive from {own}, its mgmt0 is {mine}",
                device.name,
                line,
                f"{domain.command}\n{instead}",
            )
        elif mine and far in (mine, own):
            yield Flaw(f"{device.name} sends its keepalive to itself ({far})", device.name, line, instead)
        elif device.planned and managed and far not in managed:
            yield Flaw(
                f"{device.name} sends its keepalive to {far}, which is mgmt0 of no switch of this stack",
                device.name,
                line,
                f"{domain.command}\n{instead}",
            )


def _said(line: Line) -> dict[str, str]:
    return {key: value for key, value in zip(line.words[1::2], line.words[2::2], strict=False)}


def _mended(device: Device, said: dict[str, str]) -> str:
    far = said.get("destination") or "<mgmt0 of the peer>"
    return f"peer-keepalive destination {far} source {_management(device) or '<own mgmt0>'} vrf management"


def _management(device: Device) -> str:
    return device.management or device.port("mgmt0").value("address").partition("/")[0].partition(" ")[0]


def _over_vlan(device: Device, source: str) -> bool:
    """Whether the source address is that of an SVI whose VLAN the peer link carries."""
    owners = [port for port in device.ports.values() if source and port.value("address").partition("/")[0] == source]
    vlans = {int(port.name.removeprefix("Vlan")) for port in owners if port.name.startswith("Vlan")}
    joined = [port for port in device.ports.values() if port.value("vpc") == "peer-link"]
    return any(vlans & _allowed(port) for port in joined)


def peers(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Both peers of a domain have the same vPCs, set alike."""
    pairs: dict[str, list[Device]] = {}
    for device, domain in _paired(devices):
        pairs.setdefault(domain.words[-1], []).append(device)
    both = [pair for pair in pairs.values() if len(pair) == 2 and _together(*pair)]
    if not both:
        raise NotApplicable("the two peers of a vPC domain are not both here")
    for one, two in both:
        ours, theirs = _channels(one), _channels(two)
        for number in sorted(set(ours) ^ set(theirs)):
            device, port = (one, ours[number]) if number in ours else (two, theirs[number])
            other = two if device is one else one
            yield Flaw(
                f"{device.name} {port.name} is vpc {number}, which {other.name} does not have",
                device.name,
                port.at("vpc"),
                f"on {other.name}: interface port-channel<n>\n  vpc {number}",
            )
        for number in sorted(set(ours) & set(theirs)):
            yield from _unlike(one, ours[number], two, theirs[number])
        yield from _gateways(one, two)


def _together(one: Device, two: Device) -> bool:
    """Two switches with one domain number are peers unless their keepalives point elsewhere."""
    for device, other in ((one, two), (two, one)):
        lines = device.vpc.children if device.vpc is not None else ()
        far = next((_said(each).get("destination") for each in lines if each.words[:1] == ("peer-keepalive",)), None)
        addresses = {port.value("address").partition("/")[0] for port in other.ports.values()} | {other.management}
        if far and _management(other) and far not in addresses:
            return False
    return True


def _channels(device: Device) -> dict[str, Port]:
    found = {port.value("vpc"): port for port in device.ports.values() if port.value("vpc")}
    return {number: port for number, port in found.items() if not port.down}


def _unlike(one: Device, ours: Port, two: Device, theirs: Port) -> Iterator[Flaw]:
    for slot, words in _ALIKE:
        first, second = _value(ours, slot), _value(theirs, slot)
        if first != second:
            yield Flaw(
                f"{one.name} {ours.name} has {words} {first}, its peer {two.name} has {second}",
                one.name,
                ours.at(slot),
                f"the same {words} on both peers",
                ((two.name, theirs.at(slot)),),
            )
    odd = ",".join(map(str, sorted(_allowed(ours) ^ _allowed(theirs))))
    if odd:
        yield Flaw(
            f"{one.name} {ours.name} and its peer {two.name} do not carry the same VLANs: {odd} on one of them only",
            one.name,
            ours.at("allowed"),
            "the same switchport trunk allowed vlan on both peers",
            ((two.name, theirs.at("allowed")),),
        )


def _value(port: Port, slot: str) -> str:
    return str(port.mtu) if slot == "mtu" else port.value(slot) or {"mode": "access", "native": "1"}[slot]


def _allowed(port: Port) -> frozenset[int]:
    return numbers(port.value("allowed") or "1-4094") if port.value("mode") == "trunk" else frozenset()


def _gateways(one: Device, two: Device) -> Iterator[Flaw]:
    """The SVI of a VLAN that both peers route."""
    for name, ours in one.ports.items():
        theirs = two.ports.get(name)
        if theirs is None or not name.startswith("Vlan") or ours.mtu == theirs.mtu or ours.down or theirs.down:
            continue
        if ours.value("address") and theirs.value("address"):
            low, port = (one, ours) if ours.mtu < theirs.mtu else (two, theirs)
            yield Flaw(
                f"{one.name} {name} has mtu {ours.mtu}, its peer {two.name} has mtu {theirs.mtu}",
                low.name,
                port.at("mtu"),
                f"interface {name}\n  mtu {max(ours.mtu, theirs.mtu)}",
            )
