"""Switched cables between switches: what an untagged frame means, which VLANs cross, who blocks."""

from collections.abc import Iterator, Sequence

from .cables import cables
from .nexus.device import Device
from .nexus.port import Port
from .pair import allowed
from .rule import Flaw, NexusRule, apart, nothing, spoken

_STP = "https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/104x/configuration/layer-2-switching/cisco-nexus-9000-series-nx-os-layer-2-switching-configuration-guide-release-104x.html"
_DEFAULT_VLAN = "1"
"""Access and native VLAN of a port that names none."""


def both_ends(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Layer, mode, native and allowed VLANs and the type of spanning tree's port are the same at both ends.

    A cable that is shut at one end carries nothing.
    """
    looked = apart(_ends(*each) for each in cables(devices))
    yield from spoken(looked, "no switched cable between the switches given is known")


def _ends(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw | None]:
    if near.down or far.down or (near.routed and far.routed):
        return
    yield None
    if not device.part and not peer.part:
        yield from _unlike(device, near, peer, far)


def _unlike(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    if near.routed != far.routed:
        routed, switched = sorted(((device, near), (peer, far)), key=lambda each: not each[1].routed)
        yield _flaw(routed, switched, "is routed", "is switched", "switchport", "switchport")
    elif _mode(near) != _mode(far):
        words = (f"is in mode {_mode(near)}", f"in mode {_mode(far)}")
        yield _flaw((device, near), (peer, far), *words, "mode", f"switchport mode {_mode(far)}")
    else:
        yield from _vlans(device, near, peer, far)
        yield from _spanning_tree(device, near, peer, far)


def _vlans(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    trunk = _mode(near) == "trunk"
    slot, words = ("native", "switchport trunk native vlan") if trunk else ("access", "switchport access vlan")
    one, other = (port.value(slot) or _DEFAULT_VLAN for port in (near, far))
    if one != other:
        clauses = (f"puts untagged frames into VLAN {one}", f"into VLAN {other}")
        yield _flaw((device, near), (peer, far), *clauses, slot, f"{words} {other}")
    for mine, port, theirs, end in ((device, near, peer, far), (peer, far, device, near)):
        # A VLAN that the far end does not have at all is another rule's.
        sent = (_allowed(port, mine) - _allowed(end, theirs)) & theirs.vlans if trunk else frozenset()
        if sent:
            listed = ", ".join(map(str, sorted(sent)))
            fix = f"switchport trunk allowed vlan add {listed}"
            yield _flaw((theirs, end), (mine, port), f"does not allow VLAN {listed}", "does", "allowed", fix)


def _spanning_tree(device: Device, near: Port, peer: Device, far: Port) -> Iterator[Flaw]:
    if (near.value("stp") == "network") != (far.value("stp") == "network"):
        have, lack = sorted(((device, near), (peer, far)), key=lambda each: each[1].value("stp") != "network")
        clauses = ("does not have spanning-tree port type network", "has it, and blocks for want of an answer")
        yield _flaw(lack, have, *clauses, "stp", "spanning-tree port type network")
        return
    for mine, port, theirs, end in ((device, near, peer, far), (peer, far, device, near)):
        if port.value("stp").startswith("edge"):
            clauses = ("is an edge port of spanning tree", "is a switch: a loop behind it is not seen at once")
            yield _flaw((mine, port), (theirs, end), *clauses, "stp", "no spanning-tree port type")


def _mode(port: Port) -> str:
    return port.value("mode") or "access"


def _allowed(port: Port, device: Device) -> frozenset[int]:
    """VLANs of the switch that cross a trunk."""
    return device.vlans & allowed(port)


def _flaw(one: tuple[Device, Port], other: tuple[Device, Port], this: str, that: str, slot: str, fix: str) -> Flaw:
    (device, port), (peer, far) = one, other
    return Flaw(
        f"{device.name} {port.name} {this}, the other end of its cable, {peer.name} {far.name}, {that}",
        device.name,
        port.at(slot),
        f"interface {port.bundle.name if port.bundle is not None else port.name}\n  {fix}",
        ((peer.name, far.at(slot)),),
    )


TRUNKS: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-trunks-both-ends",
        title="Both ends of a switched cable agree on mode, VLANs and spanning tree",
        why="A VLAN that one end does not allow stops there, untagged frames change their VLAN, and a network port "
        "without an answer blocks.",
        fix="Remove switchport and spanning-tree lines of cables between switches from fabric.extra.",
        reference=_STP,
        severity="high",
        judge=both_ends,
        alone=False,
        excused_by=nothing,
    ),
)
"""Rules of switched cables between switches."""
