"""BGP sessions between switches: both ends name each other, with the AS, the address and the families of the other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from ipaddress import IPv4Network

from .nexus.bgp import Neighbor
from .nexus.device import Device
from .nexus.lines import Line
from .nexus.port import Port
from .rule import Flaw, NexusRule, apart, nothing, spoken

_BGP = "https://www.rfc-editor.org/rfc/rfc4271#section-6.2"
"""OPEN message error handling: a peer AS that is not expected is refused."""


@dataclass(frozen=True)
class Owner:
    """The interface that an address stands on."""

    device: Device
    port: Port


class _Owners:
    """Who has an address: the far end of the cable that a neighbour is behind, else whoever it is that has it."""

    def __init__(self, devices: Sequence[Device]) -> None:
        self._devices, self._named = devices, {device.name: device for device in devices}

    @cached_property
    def by_address(self) -> Mapping[tuple[str, str], Owner]:
        """Interfaces by VRF and address."""
        return _owners(self._devices)

    def at_end(self, device: Device, neighbor: Neighbor, behind: Port | None) -> Owner | None:
        """The far end of the cable that a neighbour is behind, where it has the neighbour's address."""
        owner = self.across(device, behind.name) if behind is not None else None
        if owner is None or behind is None or owner.port.value("vrf") != neighbor.vrf:
            return None
        far, own = owner.device.addresses.get(owner.port.name), device.addresses.get(behind.name)
        return owner if far is not None and str(far.ip) == neighbor.name and own != far else None

    def across(self, device: Device, port: str) -> Owner | None:
        """The far end of the cable in a port."""
        end = device.links.get(port)
        if end is None or end.device not in self._named:
            return None
        return Owner(self._named[end.device], self._named[end.device].port(end.port))


def sessions(devices: Sequence[Device]) -> Iterator[Flaw]:
    """A BGP neighbour that is one of the switches given: it runs BGP in that AS, and calls back."""
    owners = _Owners(devices)
    looked = apart(part for device in devices for part in (_lost(device, owners), _called(device, owners)))
    yield from spoken(looked, "no switch has a BGP neighbour among the switches given")


def _lost(device: Device, owners: _Owners) -> Iterator[Flaw]:
    """Sessions of a plan that nothing carries: no process, no interface towards the neighbour, an SVI that is shut."""
    feature = device.top("feature", "bgp")
    if device.planned and feature is not None and device.bgp is None:
        message = f"{device.name} has feature bgp and no router bgp: the sessions that it was planned for are missing"
        yield Flaw(message, device.name, feature, "router bgp <asn>", excused_by=nothing)
    if not device.planned or device.bgp is None:
        return
    behind = {neighbor.name: port for neighbor, port in device.reached}
    for each in device.bgp.neighbors:
        port = behind.get(each.name)
        if port is None and _numbered(each) and (each.vrf, each.name) not in owners.by_address:
            message = f"{device.name} has neighbor {each.name}, and no interface with an address in its subnet"
            yield Flaw(message, device.name, each.line, "interface <name>\n  ip address <address in its subnet>")
        if port is not None and port.name.startswith("Vlan") and not port.up:
            message = f"{device.name} has neighbor {each.name} behind {port.name}, which is shut"
            instead = f"interface {port.name}\n  no shutdown"
            yield Flaw(message, device.name, port.line, instead, excused_by=nothing)


def _called(device: Device, owners: _Owners) -> Iterator[Flaw | None]:
    """What is wrong with each session, and None for each that there is."""
    behind = {(each.vrf, each.name): port for each, port in device.reached}
    yield from apart(
        _looked_at(device, each, owners, behind) for each in (device.bgp.neighbors if device.bgp is not None else ())
    )


def _looked_at(
    device: Device, neighbor: Neighbor, owners: _Owners, behind: Mapping[tuple[str, str], Port]
) -> Iterator[Flaw | None]:
    at_end = owners.at_end(device, neighbor, behind.get((neighbor.vrf, neighbor.name)))
    owner = at_end or owners.by_address.get((neighbor.vrf, neighbor.name)) or owners.across(device, neighbor.name)
    if owner is None or (not device.planned and _shut(neighbor)):
        return
    yield None
    for flaw in _session(device, neighbor, owner, behind):
        yield replace(flaw, excused_by=nothing) if at_end is not None else flaw


def _session(
    device: Device, neighbor: Neighbor, owner: Owner, behind: Mapping[tuple[str, str], Port]
) -> Iterator[Flaw]:
    peer, at = owner.device, owner.device.bgp
    assert device.bgp is not None
    if peer is device:
        message = f"{device.name} has neighbor {neighbor.name}, which is its own address on {owner.port.name}"
        yield Flaw(message, device.name, neighbor.line, f"neighbor <address of the other end>\n  {_remote(neighbor)}")
        return
    if at is None:
        if not peer.part:
            message = f"{device.name} has neighbor {neighbor.name}, which is {peer.name}, where no BGP runs"
            yield Flaw(message, device.name, neighbor.line, f"no neighbor {neighbor.name}")
        return
    if not neighbor.asn and not any(line.words[:1] == ("inherit",) for line in neighbor.line.children):
        message = f"{device.name} has neighbor {neighbor.name} ({peer.name}) without its AS"
        yield Flaw(message, device.name, neighbor.line, f"neighbor {neighbor.name}\n  remote-as {at.asn}")
    if neighbor.asn.replace(".", "").isdigit() and neighbor.asn != at.asn and not _local_as(at.neighbors, device):
        yield Flaw(
            f"{device.name} expects {peer.name} ({neighbor.name}) in AS {neighbor.asn}, which runs AS {at.asn}",
            device.name,
            neighbor.line,
            f"neighbor {neighbor.name}\n  remote-as {at.asn}",
            ((peer.name, at.line),),
        )
    source = _source(device, neighbor, behind.get((neighbor.vrf, neighbor.name)))
    back = _back(device, neighbor, owner, source)
    if back is not None:
        yield from _agreed(device, neighbor, owner, back, source)
    elif not peer.part:
        yield Flaw(
            f"{device.name} has neighbor {neighbor.name}, which is {peer.name}: no neighbor there is {device.name}",
            device.name,
            neighbor.line,
            f"neighbor <address of {device.name}>\n  remote-as {device.bgp.asn}",
            ((peer.name, at.line),),
        )


def _meets(neighbor: Neighbor, device: Device, owner: Owner) -> bool:
    """Whether a neighbour of the owner is this switch."""
    if neighbor.name in owner.device.ports and owner.port.name in owner.device.links:
        return neighbor.name == owner.port.name
    return _calls(neighbor, device)


def _back(device: Device, neighbor: Neighbor, owner: Owner, source: str) -> Neighbor | None:
    """The owner's neighbour for this switch: the one with the address it is called from, else any that is meant."""
    assert owner.device.bgp is not None
    exact = owner.device.bgp.by_name.get((neighbor.vrf, source))
    if exact is not None:
        return exact
    inside = (each for each in owner.device.bgp.neighbors if each.vrf == neighbor.vrf)
    return next((each for each in inside if _meets(each, device, owner)), None)


def _agreed(device: Device, neighbor: Neighbor, owner: Owner, back: Neighbor, source: str) -> Iterator[Flaw]:
    """Two neighbours that name each other still need a family in common, and the address that the other expects."""
    peer = owner.device
    if _shut(neighbor):
        message = f"{device.name} has neighbor {neighbor.name} ({peer.name}) shut down"
        yield Flaw(message, device.name, neighbor.line, f"neighbor {neighbor.name}\n  no shutdown")
    yield from _guard(device, neighbor, peer, back)
    inherits = any(line.words[:1] == ("inherit",) for each in (neighbor, back) for line in each.line.children)
    spoken = neighbor.families | back.families
    if not inherits and _first(device, peer) and spoken and not neighbor.families & back.families:
        words = [" and ".join(sorted(each.families)) or "none" for each in (neighbor, back)]
        yield Flaw(
            f"{device.name} and its neighbor {neighbor.name} ({peer.name}) share no address family: {words[0]}; "
            f"{peer.name} has {words[1]}",
            device.name,
            neighbor.line,
            f"neighbor {neighbor.name}\n  address-family {next(iter(sorted(back.families)), 'ipv4 unicast')}",
            ((peer.name, back.line),),
        )
    if _numbered(back) and source != back.name and (source or owner.port.name.startswith("loopback")):
        yield Flaw(
            f"{device.name} calls {peer.name} ({neighbor.name}) from "
            f"{source or 'the address of the port towards it'}, where it is expected from {back.name}",
            device.name,
            neighbor.line,
            f"neighbor {neighbor.name}\n  update-source <interface with {back.name}>",
            ((peer.name, back.line),),
        )


def _guard(device: Device, neighbor: Neighbor, peer: Device, back: Neighbor) -> Iterator[Flaw]:
    """TTL security or a password at one end alone: an end that has it drops what the other one sends."""
    # Which port of a cable an unnumbered neighbour, or which address one of a prefix is by, is not asked here.
    if peer.part or back.name not in device.own_addresses:
        return
    for word, article in (("ttl-security", ""), ("password", "a ")):
        own, far = (_line(each, word) for each in (neighbor, back))
        if own is None or (far is not None and not (_first(device, peer) and _other_secret(own, far))):
            continue
        what = "another one" if far is not None else "none"
        yield Flaw(
            f"{device.name} has {article}{word} for {peer.name} ({neighbor.name}), which has {what} for it: no session "
            "comes up",
            device.name,
            own,
            f"neighbor {back.name}\n  {own.command}",
            ((peer.name, far or back.line),),
        )


def _other_secret(own: Line, far: Line) -> bool:
    """Whether two passwords differ for certain: plans name secrets, and what two switches show need not be alike."""
    return own.words != far.words and all("{{secret:" in each.command for each in (own, far))


def _first(device: Device, peer: Device) -> bool:
    """Whether this switch is the one of the two that says what they have otherwise."""
    return min(device.name, peer.name) == device.name


def _line(neighbor: Neighbor, word: str) -> Line | None:
    return next((line for line in neighbor.line.children if line.words[:1] == (word,)), None)


def _source(device: Device, neighbor: Neighbor, behind: Port | None) -> str:
    """The address that a session comes from; empty where it depends on the way."""
    name = neighbor.source or (behind.name if behind is not None else "")
    found = device.addresses.get(name)
    return str(found.ip) if found is not None else ""


def _remote(neighbor: Neighbor) -> str:
    return f"remote-as {neighbor.asn}" if neighbor.asn else "inherit peer <template>"


def _shut(neighbor: Neighbor) -> bool:
    return any(line.words == ("shutdown",) for line in neighbor.line.children)


def _local_as(neighbors: Sequence[Neighbor], device: Device) -> bool:
    """Whether the peer shows this switch another AS than its own."""
    called = (line for each in neighbors if _calls(each, device) for line in each.line.children)
    return any(line.words[:1] == ("local-as",) for line in called)


def _numbered(neighbor: Neighbor) -> bool:
    """Whether a neighbour is named by one address of IPv4: not by a prefix, a port, or an address of IPv6."""
    return neighbor.name.replace(".", "").isdigit()


def _calls(neighbor: Neighbor, device: Device) -> bool:
    """Whether a neighbour is this switch: by address, by a prefix that holds one of its addresses, or by a port."""
    try:
        meant = IPv4Network(neighbor.name)
    except ValueError:
        return True  # unnumbered: whoever is at the other end of the port; addresses of IPv6 are not read
    return any(address.ip in meant for address in device.addresses.values())


def _owners(devices: Sequence[Device]) -> Mapping[tuple[str, str], Owner]:
    """Interfaces by VRF and address; an address on several switches (anycast) belongs to none."""
    found: dict[tuple[str, str], Owner] = {}
    shared: set[tuple[str, str]] = set()
    for device in devices:
        for name, address in device.addresses.items():
            port = device.ports[name]
            key = (port.value("vrf"), str(address.ip))
            shared |= {key} & found.keys()
            found[key] = Owner(device, port)
    return {key: owner for key, owner in found.items() if key not in shared}


SESSIONS: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-sessions-both-ends",
        title="Both ends of a BGP session name each other, with the AS that runs there",
        why="A session that one end expects from another AS, or does not expect at all, never comes up.",
        fix="Remove neighbours from fabric.extra: the plan gives each link its session, with both AS numbers.",
        reference=_BGP,
        severity="high",
        judge=sessions,
        alone=False,
    ),
)
"""Rules of BGP sessions."""
