"""VLANs: that they are there, that ports are in the one they are meant for, and that each has its gateway."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from .nexus.device import Device
from .nexus.port import Port
from .nexus.spelling import numbers
from .rule import Flaw, NotApplicable, apart, known, perhaps

_UNTAGGED = "1"
"""The VLAN of a port that says none."""


def there(devices: Sequence[Device]) -> Iterator[Flaw]:
    """A port whose access VLAN is not created is shut down by the switch; an SVI without its VLAN stays down."""
    meant = [device for device in devices if device.planned or _lists(device)]
    if not any(perhaps(lambda device: any(True for _ in _used(device)), each) for each in meant):
        raise NotApplicable("no port and no gateway uses a VLAN")
    yield from apart(map(_created, meant))


def _created(device: Device) -> Iterator[Flaw]:
    for port, slot, vlan in _used(device):
        if vlan not in device.vlans:
            yield Flaw(
                f"{device.name} {port.name} uses VLAN {vlan}, which is not created on {device.name}",
                device.name,
                port.at(slot) if slot else port.line,
                f"vlan {vlan}",
            )


def _lists(device: Device) -> bool:
    """A running configuration lists its VLANs, `vlan 1` at least, unless VTP brings them; a cutting need not."""
    listed = any(line.words[:1] == ("vlan",) and "".join(line.words[1:])[:1].isdigit() for line in device.lines)
    return listed and not device.part and device.top("feature", "vtp") is None


def _used(device: Device) -> Iterator[tuple[Port, str, int]]:
    """Ports with the slot that names a VLAN they need; of found trunks none, since their lists run ahead of VLANs."""
    yield from apart(_needs(device, port) for port in device.ports.values())


def _needs(device: Device, port: Port) -> Iterator[tuple[Port, str, int]]:
    number = gateway(port)
    if number is not None and port.up:
        yield port, "", number
    elif not port.down and port.bundle is None and not _asleep(device, port):
        if access(port) and port.value("access"):
            yield port, "access", int(port.value("access"))
        elif device.planned and port.value("mode") == "trunk":
            yield from ((port, slot, vlan) for slot in ("native", "allowed") for vlan in numbers(port.value(slot)))


def _asleep(device: Device, port: Port) -> bool:
    """Shut down by the switch's own default."""
    return not port.up and device.top("system", "default", "switchport", "shutdown") is not None


def access(port: Port) -> bool:
    """Whether a port is in one VLAN, untagged."""
    return not port.routed and port.value("mode") in ("", "access")


def gateway(port: Port) -> int | None:
    """The VLAN of an SVI; None for any other interface, a subinterface such as Vlan1.1 too."""
    number = port.name.removeprefix("Vlan")
    return int(number) if number.isdecimal() else None


def hosts(devices: Sequence[Device]) -> Iterator[Flaw]:
    """A rail is one VLAN on its leaf, with a gateway that is up; a bonded host has the VLANs that its trunk names."""
    if not any(perhaps(_hosts, device) for device in devices):
        raise NotApplicable("no host hangs on a VLAN")
    for device in devices:
        asked = (_rails_apart, _trunks_apart, _gateways) if device.planned else (_sleeping,)
        yield from apart(ask(device) for ask in asked)


def _hosts(device: Device) -> bool:
    """Whether a plan has hosts behind VLANs, or a found switch something that is wrong with them."""
    found = (_rails(device), any(True for _ in _trunks(device))) if device.planned else (*_sleeping(device),)
    return any(found)


def _rails_apart(device: Device) -> Iterator[Flaw]:
    yield from _mixed(device, _rails(device))


def _trunks_apart(device: Device) -> Iterator[Flaw]:
    yield from apart(_trunk(device, port) for port in _trunks(device))


def _behind(device: Device) -> Iterator[int]:
    """VLANs of hosts."""
    yield from apart((_of_rails(device), _of_trunks(device)))


def _of_rails(device: Device) -> Iterator[int]:
    for ports in _rails(device).values():
        yield from map(int, map(vlan_of, ports))


def _of_trunks(device: Device) -> Iterator[int]:
    for port in _trunks(device):
        yield from numbers(port.value("allowed"))


def vlan_of(port: Port) -> str:
    """The VLAN of an access port."""
    return port.value("access") or _UNTAGGED


def _rails(device: Device) -> Mapping[str, Sequence[Port]]:
    """Layer-2 ports of the servers' rails, by rail."""
    found: dict[str, list[Port]] = {}
    for name, end in device.links.items():
        if end.role == "host" and end.port.startswith("rail") and not device.port(name).routed:
            found.setdefault(end.port, []).append(device.port(name))
    return found


def _mixed(device: Device, rails: Mapping[str, Sequence[Port]]) -> Iterator[Flaw]:
    """Ports in another VLAN than most of their rail, and a rail in the VLAN of another one."""
    owner: dict[str, str] = {}
    for rail in sorted(rails):  # a plan's maps have no order of their own
        ports = rails[rail]
        usual = Counter(map(vlan_of, ports)).most_common()[0][0]
        for port in ports:
            if not access(port):
                message = f"{device.name} {port.name} ({rail}) is a trunk, its rail is VLAN {usual}"
                instead = f"interface {port.name}\n  switchport mode access\n  switchport access vlan {usual}"
                yield Flaw(message, device.name, port.at("mode"), instead)
            elif vlan_of(port) != usual:
                yield Flaw(
                    f"{device.name} {port.name} ({rail}) is in VLAN {vlan_of(port)}, its rail is VLAN {usual}",
                    device.name,
                    port.at("access"),
                    f"interface {port.name}\n  switchport access vlan {usual}",
                )
        if owner.setdefault(usual, rail) != rail:
            yield Flaw(
                f"{device.name} has {owner[usual]} and {rail} in one VLAN, {usual}", device.name, ports[0].at("access")
            )


def _trunks(device: Device) -> Iterator[Port]:
    """Port-channels to hosts."""
    hosts = {device.port(name).value("bundle") for name, end in device.links.items() if end.role == "host"}
    for port in device.ports.values():
        if port.name.removeprefix("port-channel") in hosts:
            yield port


def _trunk(device: Device, port: Port) -> Iterator[Flaw]:
    """What the host sends without a tag must be among what the trunk carries: it boots so."""
    allowed, native = port.value("allowed"), port.value("native") or _UNTAGGED
    if port.value("mode") != "trunk":
        what = "is no trunk, its host tags"
    elif not allowed:
        what = "carries every VLAN of the switch to its host"
    elif int(native) not in numbers(allowed):
        what = f"drops what its host sends without a tag: native VLAN {native} is not among {allowed}"
    else:
        return
    yield Flaw(
        f"{device.name} {port.name} {what}",
        device.name,
        port.at("mode" if "no trunk" in what else "allowed"),
        f"interface {port.name}\n  switchport mode trunk\n  switchport trunk native vlan <vlan>\n"
        "  switchport trunk allowed vlan <vlans>",
    )


def _gateways(device: Device) -> Iterator[Flaw]:
    vlans, unknown = known(_behind(device))
    yield from apart(_routed(device, vlan) for vlan in sorted({*vlans}))
    if unknown is not None:
        raise unknown


def _routed(device: Device, vlan: int) -> Iterator[Flaw]:
    svi = device.port(f"Vlan{vlan}")
    if not svi.value("address") or not svi.up:
        what = "has no gateway" if not svi.value("address") else "has a gateway that is down"
        yield Flaw(
            f"{device.name} VLAN {vlan} of its hosts {what}",
            device.name,
            svi.line,
            f"interface Vlan{vlan}\n  no shutdown\n  ip address <address>",
        )


def _sleeping(device: Device) -> Iterator[Flaw]:
    """A found gateway of a lossless VLAN that nobody configured to be up, on a switch whose others are."""
    svis = {number: port for port in device.ports.values() if (number := gateway(port)) and port.value("address")}
    if device.part or device.lossless is None or not any(port.up for port in svis.values()):
        return
    used = {int(vlan_of(port)) for port in device.lossless.ports if access(port)}
    for vlan, svi in svis.items():
        if vlan in used and not svi.up and not svi.down:
            yield Flaw(
                f"{device.name} {svi.name} is down, the default of an SVI; ports of its VLAN carry RoCE",
                device.name,
                svi.line,
                f"interface {svi.name}\n  no shutdown",
            )
