"""Port-channels: members that fit their bundle and each other, and bundles that have any."""

from collections.abc import Iterator, Sequence

from .lossless import facing
from .nexus.device import Device
from .nexus.port import Port
from .nexus.spelling import numbers
from .rule import Flaw, NotApplicable, apart, perhaps

_EVERY = "1-4094"
_ALIKE = {
    "mode": ("switchport mode", "access"),
    "access": ("access VLAN", "1"),
    "native": ("native VLAN", "1"),
    "allowed": ("allowed VLANs", _EVERY),
}
"""Settings that a port must share with its port-channel to become its member, with their defaults."""


def hold(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Members say what their port-channel says, ends agree on LACP, and what is planned as a bundle is one."""
    if not any(perhaps(_bundles, device) for device in devices):
        raise NotApplicable("no switch has a port-channel")
    named = {device.name: device for device in devices}
    yield from apart(_in_one(device, named) for device in devices)


def _in_one(device: Device, named: dict[str, Device]) -> Iterator[Flaw]:
    physical = [port for port in device.ports.values() if port.physical]
    yield from apart((apart(_port(device, port, named) for port in physical), _mixed(device), _planned(device)))


def _port(device: Device, port: Port, named: dict[str, Device]) -> Iterator[Flaw]:
    if port.bundle is not None:
        yield from apart((_member(device, port, port.bundle), _far_end(device, port, named)))
    elif port.value("bundle") and not (device.part or device.planned):
        yield Flaw(
            f"{device.name} {port.name} is a member of port-channel{port.value('bundle')}, which is not there",
            device.name,
            port.at("bundle"),
            f"interface port-channel{port.value('bundle')}",
        )


def _bundles(device: Device) -> bool:
    """Whether a switch has port-channels, or is one of a pair, as only plans say, which cannot do without."""
    configured = any(port.bundle is not None or port.value("vpc") for port in device.ports.values())
    return configured or _of_pair(device)


def _of_pair(device: Device) -> bool:
    return any(end.role == "peer" for end in device.links.values())


def _member(device: Device, port: Port, bundle: Port) -> Iterator[Flaw]:
    """What a member says itself and its port-channel does not: the switch refuses or suspends it, or with `force`
    gives it the port-channel's.
    """
    if "force" in port.at("bundle").words:
        return
    for slot, (words, default) in _ALIKE.items():
        setting = port.own.get(slot)
        theirs = bundle.value(slot) or default
        if setting is not None and not _same(slot, setting.value or default, theirs):
            yield Flaw(
                f"{device.name} {port.name} has {words} {setting.value or default}, its {bundle.name} has {theirs}",
                device.name,
                setting.line,
                f"the same {words} on {port.name} and {bundle.name}",
                ((device.name, bundle.at(slot)),),
            )
    own, above = port.own.get("pfc"), bundle.own.get("pfc")
    if device.planned and (own.value if own else "") != (above.value if above else ""):
        yield Flaw(
            f"{device.name} {port.name} and its {bundle.name} do not have the same priority-flow-control mode",
            device.name,
            own.line if own else port.line,
            "the same priority-flow-control mode on both: a member does not take it from its port-channel",
        )


def _same(slot: str, one: str, two: str) -> bool:
    return numbers(one) == numbers(two) if slot == "allowed" else one == two


def protocol(port: Port) -> str:
    """How a member bundles: `active`, `passive`, or `on` without LACP."""
    words = port.at("bundle").words
    return words[-1] if words[-1:] in (("active",), ("passive",)) else "on"


def _static(port: Port) -> bool:
    return protocol(port) == "on"


def _far_end(device: Device, port: Port, named: dict[str, Device]) -> Iterator[Flaw]:
    """One end with LACP and one without never form a bundle; the first of two switches tells."""
    end = device.links.get(port.name)
    other = named.get(end.device) if end is not None else None
    far = other.ports.get(end.port) if other is not None and end is not None else None
    if far is None or other is None or far.bundle is None or (device.name, port.name) > (other.name, far.name):
        return
    if _static(port) != _static(far):
        message = (
            f"{device.name} {port.name} bundles in mode {protocol(port)}, {other.name} {far.name} in {protocol(far)}"
        )
        fix = "the same mode on both ends"
    elif protocol(port) == protocol(far) == "passive":
        message = f"{device.name} {port.name} and {other.name} {far.name} both bundle in mode passive: neither begins"
        fix = f"interface {port.name}\n  channel-group {port.value('bundle')} mode active"
    else:
        return
    yield Flaw(message, device.name, port.at("bundle"), fix, ((other.name, far.at("bundle")),))


def _mixed(device: Device) -> Iterator[Flaw]:
    """Members of one port-channel, some with LACP and some without."""
    members: dict[str, list[Port]] = {}
    for port in device.ports.values():
        if port.value("bundle"):
            members.setdefault(port.value("bundle"), []).append(port)
    for number, ports in members.items():
        static = [port for port in ports if _static(port)]
        if static and len(static) < len(ports):
            yield Flaw(
                f"{device.name} port-channel{number} has members with LACP and without ({static[0].name})",
                device.name,
                static[0].at("bundle"),
                f"interface {static[0].name}\n  channel-group {number} mode active",
            )


def _planned(device: Device) -> Iterator[Flaw]:
    """Cables that a plan bundles: to the peer by the peer link, to hosts by a vPC with LACP; no empty vPC."""
    if device.planned:
        yield from apart((_empty(device), _meant(device)))


def _empty(device: Device) -> Iterator[Flaw]:
    filled = {port.value("bundle") for port in device.ports.values()}
    for port in device.ports.values():
        if not port.physical and port.value("vpc") and port.name.removeprefix("port-channel") not in filled:
            yield Flaw(
                f"{device.name} {port.name} is vpc {port.value('vpc')} and has no member",
                device.name,
                port.line,
                f"interface <port>\n  channel-group {port.name.removeprefix('port-channel')} mode active",
            )


def _meant(device: Device) -> Iterator[Flaw]:
    if device.vpc is not None or _of_pair(device):
        yield from apart(_link(device, name) for name in device.links)


def _link(device: Device, name: str) -> Iterator[Flaw]:
    port, end = device.port(name), device.links[name]
    meant = {"peer": "the peer link", "host": "a vPC"}.get(end.role)
    if not meant:
        return
    vpc = port.bundle.value("vpc") if port.bundle is not None else ""
    if not vpc or (vpc == "peer-link") != (end.role == "peer"):
        what, fix = f"is no member of {meant}", "<n>"
    elif _static(port):
        what, fix = "bundles without LACP: a wrong cable goes unseen", port.value("bundle")
    else:
        return
    yield Flaw(
        f"{device.name} {name}{facing(device, port)} {what}",
        device.name,
        port.at("bundle"),
        f"interface {name}\n  channel-group {fix} mode active",
    )
