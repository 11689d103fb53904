"""Cables: pluggables that fit both ports and speak with each other, within the length of every run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from podwright.components.model.cables import Ends as Products
from podwright.components.model.catalogue import SERVERS, SWITCHES, cage_number, pairing
from podwright.components.model.catalogue.optics import FixedCable
from podwright.components.model.catalogue.pairing import Ends
from podwright.components.model.catalogue.ports import PortGroup
from podwright.components.model.coherence.references import pairs
from podwright.components.model.network import FabricArgs
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.switch import Switch

_LOC = ("fabric", "cables")
_ROLES = ("host", "fabric", "peer")


@dataclass(frozen=True)
class Wire:
    """All links of one kind between two devices."""

    role: str
    near: str
    far: str
    ends: Ends
    metres: float | None
    length_loc: Loc
    """Where its length is written."""


def wires(args: FabricArgs) -> Iterator[Wire]:
    """Links whose two ports the catalogue knows; those of other speeds at both ends are another check's."""
    yield from _host_wires(args)
    fabric = args.fabric
    for name, leaf in fabric.leaves.items():
        model = SWITCHES.get(leaf.model)
        for far, spine in fabric.spines.items():
            other = SWITCHES.get(spine.model)
            if model and other:
                up, down = model.groups[-1], other.groups[0]
                yield from _wire(args, "fabric", (name, leaf.rack), (far, spine.rack), up, down)
    for pair in pairs(args).values():
        (name, one), (far, two) = pair.leaves.items()
        for port in pair.vpc.peer_link:
            groups = [box.group(cage_number(port)) for each in (one, two) if (box := SWITCHES.get(each.model))]
            if len(groups) == 2 and groups[0] and groups[1]:
                yield from _wire(args, "peer", (name, one.rack), (far, two.rack), groups[0], groups[1])


def _host_wires(args: FabricArgs) -> Iterator[Wire]:
    for name, leaf in args.fabric.leaves.items():
        model = SWITCHES.get(leaf.model)
        for far, server in args.hosts.items():
            box = SERVERS.get(server.model)
            if model and box and box.rails and server.group == leaf.group:
                nic = box.rails[0]
                end = PortGroup(1, 1, args.fabric.host_gbps or nic.gbps, nic.cage)
                yield from _wire(args, "host", (name, leaf.rack), (far, server.rack), model.groups[0], end)


def _wire(
    args: FabricArgs, role: str, near: tuple[str, str], far: tuple[str, str], one: PortGroup, two: PortGroup
) -> Iterator[Wire]:
    parts = one.parts(two.gbps) if role == "host" else int(one.gbps == two.gbps)
    if parts:
        metres, loc = _length(args, near[1], far[1])
        yield Wire(role, near[0], far[0], Ends(one.cage, two.cage, two.gbps, parts), metres, loc)


def _length(args: FabricArgs, one: str, other: str) -> tuple[float | None, Loc]:
    cables = args.fabric.cables
    if cables is None:
        return None, _LOC
    if one == other:
        return cables.same_rack_m, (*_LOC, "same_rack_m")
    for first, second in ((one, other), (other, one)):
        if second in cables.runs.get(first, {}):
            return cables.runs[first][second], (*_LOC, "runs", first, second)
    return cables.other_rack_m, (*_LOC, "other_rack_m")


def _defined(args: FabricArgs) -> Iterator[tuple[str, Products]]:
    for role in _ROLES if args.fabric.cables is not None else ():
        products: Products | None = getattr(args.fabric.cables, role)
        if products is not None:
            yield role, products


def _products(args: FabricArgs) -> Iterator[Problem]:
    for role, products in _defined(args):
        for field, name in (("near", products.near), ("far", products.far)):
            if name is None or pairing.product(name):
                continue
            close = pairing.nearest(name)
            hint = f"did you mean {' or '.join(close)}?" if close else "docs/reference/hardware.md lists them"
            yield Problem((*_LOC, role, field), f"{name} is not in the catalogue of transceivers and cables", hint)


def _chosen(args: FabricArgs) -> Iterator[tuple[str, pairing.Choice, Products]]:
    for role, products in _defined(args):
        near, far = pairing.product(products.near), pairing.product(products.far or products.near)
        if near and far:
            yield role, pairing.Choice(near, far), products


def _fit(args: FabricArgs) -> Iterator[Problem]:
    """Each end works in its port, and the two ends with each other."""
    for role, choice, products in _chosen(args):
        loc: Loc = (*_LOC, role)
        far_field = "far" if products.far else "near"
        reported: set[str] = set()
        for wire in (each for each in wires(args) if each.role == role):
            findings = (
                (pairing.seated(choice.near, wire.ends.near, wire.ends.gbps, wire.ends.parts), "near", wire.near),
                (pairing.landed(choice.far, wire.ends), far_field, wire.far),
                (pairing.paired(choice.near, choice.far, wire.ends.parts), far_field, wire.far),
            )
            for why, field, device in findings:
                if why and why not in reported:
                    reported.add(why)
                    hint = pairing.would_do(wire.ends, wire.metres)
                    yield Problem((*loc, field), f"{why} (at {device})", hint)


def _reach(args: FabricArgs) -> Iterator[Problem]:
    """Every run is within what was written for it, or within something the catalogue has."""
    chosen = {role: choice for role, choice, _ in _chosen(args)}
    unsaid = {role for role in _ROLES if args.fabric.cables and getattr(args.fabric.cables, role) is None}
    reported: set[tuple[str, Loc]] = set()
    for wire in wires(args):
        reached = chosen[wire.role].reach_m if wire.role in chosen else None
        if wire.metres is None or (wire.role, wire.length_loc) in reported:
            continue
        hint = pairing.would_do(wire.ends, wire.metres)
        between = f"{wire.metres:g} m from {wire.near} to {wire.far}"
        if reached is not None and wire.metres > reached:
            reported.add((wire.role, wire.length_loc))
            what = chosen[wire.role].described()
            yield Problem((*_LOC, wire.role, "near"), f"{between} is beyond the reach of {what}", hint)
        elif wire.role in unsaid and any(pairing.choices(wire.ends)) and not pairing.choose(wire.ends, wire.metres):
            reported.add((wire.role, wire.length_loc))
            yield Problem(wire.length_loc, f"{between} is beyond every {wire.ends.gbps}G cable", hint)


def _buffers(args: FabricArgs) -> Iterator[Problem]:
    """The class reckons its buffers for its longest cable: none is longer."""
    classes = {name: pair.lossless for pair in pairs(args).values() for name in pair.leaves}
    reported: set[Loc] = set()
    for wire in wires(args):
        lossless = classes.get(wire.near) if wire.role == "peer" else args.fabric.lossless
        if lossless is None or wire.metres is None or wire.length_loc in reported:
            continue
        if wire.metres > lossless.longest_cable_m:
            reported.add(wire.length_loc)
            message = (
                f"{wire.metres:g} m from {wire.near} to {wire.far} is longer than the {lossless.longest_cable_m} m "
                "that the lossless class is reckoned for"
            )
            yield Problem(wire.length_loc, message, "raise longest_cable_m of the class, or move the devices closer")


def _copper(args: FabricArgs) -> Iterator[Problem]:
    """400G copper came to each model with a release."""
    fabric = args.fabric
    peers: dict[str, Switch] = {name: leaf for pair in pairs(args).values() for name, leaf in pair.leaves.items()}
    for role, choice, _ in _chosen(args):
        if not isinstance(choice.near, FixedCable) or choice.near.kind != "DAC" or choice.near.gbps != 400:
            continue
        ends: dict[str, Switch] = dict(peers if role == "peer" else fabric.leaves)
        ends |= fabric.spines if role == "fabric" else {}
        devices = {name: switch.model for name, switch in ends.items()}
        for name, model in devices.items():
            since = SWITCHES[model].copper_400g if model in SWITCHES else None
            if since and _release(args.fabric.release) < _release(since):
                message = f"{name} ({model}) takes 400G copper from NX-OS {since}, it runs {args.fabric.release}"
                yield Problem((*_LOC, role, "near"), message, "take an active optical cable, or raise fabric.release")
                break


def _release(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", text)[:3])


def _runs(args: FabricArgs) -> Iterator[Problem]:
    """Lengths stand between racks that exist, once for each pair."""
    runs = args.fabric.cables.runs if args.fabric.cables else {}
    racks = args.site.racks
    for one, others in runs.items():
        for other in others:
            loc: Loc = (*_LOC, "runs", one, other)
            lacking = [each for each in (one, other) if each not in racks]
            if lacking:
                hint = f"racks of site.racks: {', '.join(racks)}"
                yield Problem(loc, f'there is no rack "{lacking[0]}"', hint, at_key=True)
            elif one == other:
                yield Problem(loc, f"{one} stands on both sides", "write same_rack_m instead", at_key=True)
            elif one in runs.get(other, {}) and one > other:
                hint = "keep one of the two"
                yield Problem(loc, f"the run between {other} and {one} is defined twice", hint, at_key=True)


FABRIC = (_products, _fit, _reach, _buffers, _copper, _runs)
