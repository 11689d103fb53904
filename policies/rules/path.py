"""What the whole path must agree on: MTU at both ends, one lossless class, equal paths."""

from collections import Counter
from collections.abc import Iterator, Sequence

from .cables import cables
from .lossless import carriers
from .nexus.bgp import Bgp, Neighbor, paths_of
from .nexus.device import Device, Lossless
from .nexus.port import DEFAULT_MTU, Port
from .nexus.spelling import numbers
from .rule import Flaw, NotApplicable, apart, perhaps

OSPF_PATHS = 8
"""Equal-cost paths that OSPF installs where `maximum-paths` is not configured (Nexus 9000 unicast routing guide)."""


def mtu(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Both ends of a cable, a port and its port-channel, the class and its ports take packets of one size."""
    if not perhaps(lambda every: any(True for _ in cables(every)), devices) and not any(map(_sized, devices)):
        raise NotApplicable("no switch carries a lossless class")
    yield from apart((apart(_ends(*each) for each in cables(devices)), apart(map(_in_one, devices))))


def _sized(device: Device) -> bool:
    """Whether a switch carries a lossless class or has port-channels, or may have."""
    return perhaps(lambda each: each.lossless or _bundled(each), device)


def _in_one(device: Device) -> Iterator[Flaw]:
    yield from apart((_inside(device), _trunked(device), _hop(device)))


def _hop(device: Device) -> Iterator[Flaw]:
    if (lossless := device.lossless) is not None:
        yield from apart(ask(device, lossless) for ask in (_class, _odd, _gateways))


def _bundled(device: Device) -> bool:
    return any(port.bundle is not None for port in device.ports.values())


def _ends(device: Device, port: Port, peer: Device, other: Port) -> Iterator[Flaw]:
    if port.mtu == other.mtu or port.down or other.down:
        return
    (low_at, low), (high_at, high) = sorted(((device, port), (peer, other)), key=lambda each: each[1].mtu)
    yield Flaw(
        f"{device.name} {port.name} has mtu {port.mtu}, {peer.name} {other.name} has mtu {other.mtu}",
        low_at.name,
        low.at("mtu"),
        f"interface {low.name}\n  mtu {high.mtu}",
        ((high_at.name, high.at("mtu")),),
    )


def _inside(device: Device) -> Iterator[Flaw]:
    yield from apart(_member(device, port) for port in device.ports.values() if port.physical)


def _member(device: Device, port: Port) -> Iterator[Flaw]:
    """A member that says another MTU than its port-channel."""
    own, above = port.own.get("mtu"), port.bundle
    if own is not None and own.value and above is not None and above.mtu != port.mtu:
        yield Flaw(
            f"{device.name} {port.name} has mtu {port.mtu}, its {above.name} has mtu {above.mtu}",
            device.name,
            min((port, above), key=lambda each: each.mtu).at("mtu"),
            f"interface {above.name}\n  mtu {max(port.mtu, above.mtu)}",
            ((device.name, own.line),),
        )


def _class(device: Device, lossless: Lossless) -> Iterator[Flaw]:
    """Where there is a network-qos policy of one's own, its classes must take what the ports take."""
    policy = device.network
    largest = max((port.mtu for port in lossless.ports), default=DEFAULT_MTU)
    if policy is None:
        return
    for group in (lossless.group, 0):
        each = device.qos.for_group(policy, group)
        size = (each.number("mtu") if each is not None else None) or DEFAULT_MTU
        if size < largest:
            name = each.name if each is not None else f"c-8q-nq{group}" if group else "c-8q-nq-default"
            action = each.action("mtu") if each is not None else None
            yield Flaw(
                f"{device.name} policy-map type network-qos {policy.name} has mtu {size} in {name}, "
                f"its ports have mtu {largest}",
                device.name,
                action or (each.line if each is not None else policy.line),
                f"policy-map type network-qos {policy.name}\n  class type network-qos {name}\n    mtu {largest}",
            )


def _odd(device: Device, lossless: Lossless) -> Iterator[Flaw]:
    """A port below the size that the class promises, while most ports take it; a found one also at the default.

    A plan is checked against the NICs' own MTU instead: 1500 may be what it means.
    """
    policy = device.network
    each = device.qos.for_group(policy, lossless.group) if policy is not None else None
    promised = (each.number("mtu") if each is not None else None) or 0
    sizes = Counter(port.mtu for port in lossless.ports)
    for port in lossless.ports:
        forgotten = port.mtu == DEFAULT_MTU and not device.planned
        if port.mtu < promised and (forgotten or 2 * sizes[port.mtu] < len(lossless.ports)):
            yield Flaw(
                f"{device.name} {port.name} has mtu {port.mtu}, its lossless class has mtu {promised}",
                device.name,
                port.at("mtu"),
                f"interface {port.name}\n  mtu {promised}",
            )


def _trunked(device: Device) -> Iterator[Flaw]:
    """The SVI of a planned VLAN takes what the trunks to its hosts and the peer link take, lossless or not."""
    if not device.planned:
        return
    ends = sorted((end.role == "host", device.port(name).value("bundle")) for name, end in device.links.items()
                  if end.role in ("host", "peer"))  # fmt: skip
    trunks = [device.port(f"port-channel{number}") for _, number in ends if number]
    sizes = {vlan: port for port in trunks for vlan in numbers(port.value("allowed")) or device.vlans}
    for vlan, port in sorted(sizes.items()):
        svi = device.port(f"Vlan{vlan}")
        if svi.value("address") and svi.mtu != port.mtu:
            yield Flaw(
                f"{device.name} {svi.name} has mtu {svi.mtu}, {port.name} of its VLAN has mtu {port.mtu}",
                device.name,
                svi.at("mtu"),
                f"interface {svi.name}\n  mtu {port.mtu}",
            )


def _gateways(device: Device, lossless: Lossless) -> Iterator[Flaw]:
    """The SVI of an access VLAN is a hop of the path."""
    smallest: dict[str, int] = {}
    for port in lossless.ports:
        vlan = port.value("access")
        if not port.routed and port.value("mode") in ("", "access"):
            smallest[vlan] = min(port.mtu, smallest.get(vlan, port.mtu))
    for vlan, size in smallest.items():
        svi = device.ports.get(f"Vlan{vlan}")
        # A larger one sends frames that the ports drop; found SVIs often are, and no host sends so much.
        unlike = svi is not None and (svi.mtu < size or (device.planned and svi.mtu != size))
        if svi is not None and svi.value("address") and unlike:
            yield Flaw(
                f"{device.name} {svi.name} has mtu {svi.mtu}, the ports of its VLAN have mtu {size}",
                device.name,
                svi.at("mtu"),
                f"interface {svi.name}\n  mtu {size}",
            )


def equal_paths(devices: Sequence[Device]) -> Iterator[Flaw]:
    """As many equal-cost paths as there are neighbours of one autonomous system: a leaf's spines, a pair's links."""
    for device, _ in carriers(devices):
        yield from apart(ask(device) for ask in (_bgp_paths, _vrf_paths, _ospf_paths))


def _bgp_paths(device: Device) -> Iterator[Flaw]:
    bgp = device.bgp
    if bgp is not None and bgp.paths < (wanted := _most(bgp)):
        yield Flaw(
            f"{device.name} router bgp {bgp.asn} installs {bgp.paths} path{'s' * (bgp.paths > 1)}, "
            f"{wanted} neighbours of one autonomous system offer the same routes",
            device.name,
            bgp.paths_line,
            f"router bgp {bgp.asn}\n  address-family ipv4 unicast\n    maximum-paths 64",
        )


def _vrf_paths(device: Device) -> Iterator[Flaw]:
    """The same of each VRF with neighbours of its own."""
    process = device.bgp
    if process is None:
        return
    for scope in process.line.children:
        if scope.words[:1] != ("vrf",):
            continue
        family = next((line for line in scope.children if line.words == ("address-family", "ipv4", "unicast")), scope)
        paths, at = paths_of(family)
        outside = Counter(each.asn for each in process.neighbors if each.vrf == scope.words[-1])
        wanted = max((number for asn, number in outside.items() if asn and asn != process.asn), default=paths)
        if paths < wanted:
            yield Flaw(
                f"{device.name} router bgp {process.asn} installs {paths} path{'s' * (paths > 1)} in {scope.command}, "
                f"{wanted} neighbours of one autonomous system offer the same routes",
                device.name,
                at,
                f"{scope.command}\n  address-family ipv4 unicast\n    maximum-paths 64",
            )


def _ospf_paths(device: Device) -> Iterator[Flaw]:
    """As many paths as a leaf has OSPF links to its spines, as a spine has to one leaf."""
    for block in device.lines:
        if block.words[:2] != ("router", "ospf") or len(block.words) != 3:
            continue
        process = block.words[2]
        ports = [port for port in device.ports.values() if _forwards(port, process)]
        cabled = [device.links[port.name].device for port in ports if port.name in device.links]
        at = next((line for line in block.children if line.words[:1] == ("maximum-paths",)), None)
        paths = int(at.words[-1]) if at is not None and at.words[-1].isdigit() else OSPF_PATHS
        whole = len(cabled) == len(ports) and _is_leaf(device)
        wanted = len(cabled) if whole else max(Counter(cabled).values(), default=paths)
        if paths < wanted:
            yield Flaw(
                f"{device.name} router ospf {process} installs {paths} path{'s' * (paths > 1)}, {wanted} links offer "
                "the same routes",
                device.name,
                at or block,
                f"router ospf {process}\n  maximum-paths 64",
            )


def _forwards(port: Port, process: str) -> bool:
    return port.physical and not port.down and port.value("ospf") == process and not port.value("vrf")


def _is_leaf(device: Device) -> bool:
    """By its role; where it has none, by ports of the lossless class that face no switch."""
    if device.role or device.lossless is None:
        return device.role.endswith("leaf")
    return any(port.physical and not port.down and port.name not in device.links for port in device.lossless.ports)


def _most(bgp: Bgp) -> int:
    outside = Counter(each.asn for each in bgp.neighbors if _fabric(each) and each.asn != bgp.asn)
    return max(outside.values(), default=bgp.paths)


def _fabric(neighbor: Neighbor) -> bool:
    families = not neighbor.families or any(each.endswith("unicast") for each in neighbor.families)
    return not neighbor.vrf and bool(neighbor.asn) and families
