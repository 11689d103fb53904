"""OSPF: both ends of a link speak it alike, a process of that name runs, and what others must reach is in it."""

from collections.abc import Iterator, Sequence

from .cables import cables
from .nexus.device import Device
from .nexus.port import Port
from .rule import Flaw, NexusRule, NotApplicable, apart, nothing, perhaps

_OSPF = "https://www.rfc-editor.org/rfc/rfc2328#section-9.1"
"""Interface states and types: the ends of a link describe it alike in their link states, or no route uses it."""


def alike(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Network type and passive interfaces at both ends; processes that run; loopbacks that others must reach."""
    if not any(perhaps(_speaks, device) for device in devices):
        raise NotApplicable("no interface is in OSPF")
    own = apart(_own(device) for device in devices if not device.part)
    yield from apart((apart(_ends(*each) for each in cables(devices)), own))


def _speaks(device: Device) -> bool:
    return any(port.value("ospf") for port in device.ports.values())


def _ends(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    if near.value("ospf") and far.value("ospf") and not near.down and not far.down:
        yield from _types(device, near, peer, far)
        yield from (*_passive(device, near, peer, far), *_passive(peer, far, device, near))
        yield from _pim(device, near, peer, far)


def _own(device: Device) -> Iterator[Flaw]:
    if perhaps(_speaks, device):
        yield from apart(ask(device) for ask in (_processes, _lonely, _reached))


def _types(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    one, other = (port.value("ospf-type") or "broadcast" for port in (near, far))
    if one != other:
        low, port, high, end = (peer, far, device, near) if other == "broadcast" else (device, near, peer, far)
        yield Flaw(
            f"{low.name} {port.name} is in an OSPF network of type {port.value('ospf-type') or 'broadcast'}, the other "
            f"end of its cable, {high.name} {end.name}, of type {end.value('ospf-type')}",
            low.name,
            port.at("ospf-type"),
            f"interface {port.name}\n  ip ospf network {end.value('ospf-type')}",
            ((high.name, end.at("ospf-type")),),
        )


def _passive(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    if near.value("ospf-passive"):
        yield Flaw(
            f"{device.name} {near.name} is passive in OSPF: {peer.name} {far.name} at its other end hears nothing",
            device.name,
            near.at("ospf-passive"),
            f"interface {near.name}\n  no ip ospf passive-interface",
            ((peer.name, far.at("ospf")),),
        )


def _pim(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    """Multicast of the overlay crosses a link of the underlay only if both ends speak PIM."""
    if bool(near.value("pim")) != bool(far.value("pim")):
        lack, port, have, end = (peer, far, device, near) if near.value("pim") else (device, near, peer, far)
        yield Flaw(
            f"{lack.name} {port.name} does not speak PIM, the other end of its cable, {have.name} {end.name}, does",
            lack.name,
            port.line,
            f"interface {port.name}\n  ip pim sparse-mode",
            ((have.name, end.at("pim")),),
        )


def _processes(device: Device) -> Iterator[Flaw]:
    """An interface names the process by its tag; one that is not configured does not run."""
    running = {line.words[2] for line in device.lines if line.words[:2] == ("router", "ospf") and len(line.words) > 2}
    yield from apart(_process(device, port, running) for port in device.ports.values())


def _process(device: Device, port: Port, running: set[str]) -> Iterator[Flaw]:
    if port.value("ospf") and port.value("ospf") not in running:
        yield Flaw(
            f"{device.name} {port.name} is in OSPF {port.value('ospf')}, and no router ospf of that name runs",
            device.name,
            port.at("ospf"),
            f"interface {port.name}\n  ip router ospf {next(iter(sorted(running)), '<process>')} area 0.0.0.0",
        )


def _lonely(device: Device) -> Iterator[Flaw]:
    """A process on loopbacks alone has nobody to tell them to."""
    users: dict[str, list[Port]] = {}
    for port in device.ports.values():
        if (own := port.own.get("ospf")) is not None:
            users.setdefault(own.value, []).append(port)
    running = {line.words[2] for line in device.lines if line.words[:2] == ("router", "ospf") and len(line.words) > 2}
    for tag, found in users.items():
        if tag in running and all(port.name.startswith("loopback") or port.down for port in found):
            ports = sorted(found, key=lambda port: port.name)  # whatever the order of blocks, one sentence
            names = ", ".join(port.name for port in ports)
            message = f"{device.name} runs OSPF {tag} on {names} only: nothing that is up leads to a neighbour"
            interface = f"interface <port>\n  ip router ospf {tag} area 0.0.0.0\n  no shutdown"
            yield Flaw(message, device.name, ports[0].at("ospf"), interface)


def _reached(device: Device) -> Iterator[Flaw]:
    """Loopbacks of sessions and tunnels; in a plan every one, and gateways where no BGP runs that could tell them."""
    tag = next((port.value("ospf") for port in _cabled(device) if port.value("ospf")), "")
    if tag:
        yield from apart((apart(_outside(device, name, tag) for name in device.ports), _known_by(device, tag)))


def _cabled(device: Device) -> Iterator[Port]:
    return (port for name, port in device.ports.items() if name in device.links)


def _outside(device: Device, name: str, tag: str) -> Iterator[Flaw]:
    port = device.ports[name]
    if port.value("ospf") or port.value("vrf") or port.down or not port.value("address"):
        return
    own = device.planned and name.startswith("loopback")
    if not own and not _is_gateway(device, name) and name not in _needed(device):
        return
    yield Flaw(
        f"{device.name} {name} has {port.value('address')} and is not in OSPF {tag}: nobody has a way to it",
        device.name,
        port.at("address"),
        f"interface {name}\n  ip router ospf {tag} area 0.0.0.0",
    )


def _is_gateway(device: Device, name: str) -> bool:
    """Whether a plan has hosts behind an interface, of which BGP does not tell."""
    if not device.planned:
        return False
    host = name in device.links and device.links[name].role == "host"
    return (name.startswith("Vlan") or host) and not _by_bgp(device)


def _by_bgp(device: Device) -> bool:
    process = device.bgp
    return process is not None and any("ipv4 unicast" in each.families for each in process.neighbors if not each.vrf)


def _known_by(device: Device, tag: str) -> Iterator[Flaw]:
    if device.planned and not device.addresses.get("loopback0"):
        message = f"{device.name} is in OSPF {tag} and has no loopback0 with an address, which others know it by"
        yield Flaw(
            message, device.name, device.port("loopback0").line, "interface loopback0\n  ip address <address>/32"
        )


def _needed(device: Device) -> set[str]:
    """Loopbacks that sessions and the tunnel start from, unless BGP may tell them."""
    process = device.bgp
    if _by_bgp(device):
        return set()
    nve = device.port("nve1").line.children
    tunnels = {line.words[1] for line in nve if line.words[:1] == ("source-interface",) and len(line.words) > 1}
    return tunnels | ({each.source for each in process.neighbors} if process is not None else set()) - {""}


OSPF: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-ospf-ends-alike",
        title="OSPF is set alike at both ends, and reaches the loopbacks",
        why="Ends of two network types become neighbours and install no route, a passive one is no neighbour at all; "
        "without its loopback a switch has no sessions and no tunnels.",
        fix="Remove ip ospf, ip router ospf and router ospf lines from fabric.extra: the plan gives both ends theirs.",
        reference=_OSPF,
        severity="high",
        judge=alike,
        alone=False,
        excused_by=nothing,
    ),
)
"""The rule about OSPF."""
