"""The lossless classes: numbers that agree with each other, with NICs and with what the switches take."""

from collections.abc import Iterator

from podwright.components.model.catalogue import WATCHDOG
from podwright.components.model.coherence.references import pairs
from podwright.components.model.lossless import Ecn, Lossless
from podwright.components.model.network import FabricArgs
from podwright.components.model.problems import Loc, Problem

LONG_M = 100
"""Cables up to this length need no headroom of their own (Cisco Nexus 9000 QoS guide, priority flow control)."""


def classes(args: FabricArgs) -> dict[Loc, Lossless]:
    """Every lossless class of the file by its path."""
    found: dict[Loc, Lossless] = {("fabric", "lossless"): args.fabric.lossless}
    for loc, pair in pairs(args).items():
        if pair.lossless is not None:
            found[(*loc, "lossless")] = pair.lossless
    return found


def _marks(args: FabricArgs) -> Iterator[Problem]:
    for loc, defined in classes(args).items():
        yield from _priorities(loc, defined)
        if defined.host_mtu >= defined.mtu:
            message = f"host MTU {defined.host_mtu} leaves no room for headers in the switches' {defined.mtu}"
            hint = "write less than the switches' mtu; 9000 under 9216 is usual"
            yield Problem((*loc, "host_mtu"), message, hint)
        marks: dict[Loc, Ecn] = {(*loc, "ecn_by_speed", speed): each for speed, each in defined.ecn_by_speed.items()}
        if defined.ecn is not None:
            marks[(*loc, "ecn")] = defined.ecn
        for place, mark in marks.items():
            if mark.min_kbytes >= mark.max_kbytes:
                message = f"{mark.min_kbytes} is not below max_kbytes {mark.max_kbytes}"
                yield Problem((*place, "min_kbytes"), message, "marking begins at min and is certain at max")


def _priorities(loc: Loc, qos: Lossless) -> Iterator[Problem]:
    if qos.priority in (0, 7):
        meaning = "the default class" if qos.priority == 0 else "the strict-priority queue of CNPs"
        yield Problem((*loc, "priority"), f"priority {qos.priority} is {meaning}", "write 3, or another from 1 to 6")
    if qos.dscp >> 3 != qos.priority:
        low = qos.priority << 3
        message = f"NICs map DSCP {qos.dscp} to priority {qos.dscp >> 3}, not to {qos.priority}"
        yield Problem((*loc, "dscp"), message, f"take a DSCP from {low} to {low + 7}, or priority {qos.dscp >> 3}")
    if qos.cnp_dscp == qos.dscp:
        hint = "CNPs ride another queue than the traffic they slow: 48 is usual"
        yield Problem((*loc, "cnp_dscp"), f"is the DSCP of RoCE itself, {qos.dscp}", hint)


def _headroom(args: FabricArgs) -> Iterator[Problem]:
    for loc, defined in classes(args).items():
        room = defined.headroom
        if room is None:
            if defined.longest_cable_m > LONG_M:
                message = f"cables of {defined.longest_cable_m} m need ingress buffers of their own; none are defined"
                hint = f"add `headroom:` with buffer_bytes, pause_bytes and resume_bytes, or stay within {LONG_M} m"
                yield Problem((*loc, "longest_cable_m"), message, hint)
            continue
        if room.pause_bytes >= room.buffer_bytes:
            message = (
                f"a pause at {room.pause_bytes} leaves nothing of the {room.buffer_bytes} bytes for what still arrives"
            )
            yield Problem((*loc, "headroom", "pause_bytes"), message, "write less than buffer_bytes")
        if room.resume_bytes > room.pause_bytes:
            message = f"{room.resume_bytes} is above pause_bytes {room.pause_bytes}"
            yield Problem((*loc, "headroom", "resume_bytes"), message, "a sender goes on when the queue has drained")


def _watchdog(args: FabricArgs) -> Iterator[Problem]:
    for loc, defined in classes(args).items():
        timers = defined.watchdog_timers
        for name, known in WATCHDOG.items():
            value = getattr(timers, name)
            if value is None:
                continue
            place = (*loc, "watchdog_timers", name)
            if defined.watchdog == "off":
                yield Problem(place, "is defined, and the watchdog is off", 'write watchdog: "on", or delete this line')
            elif not known.low <= value <= known.high and not timers.beyond_known_ranges:
                hint = "if your release takes it, add beyond_known_ranges: true; the switch then decides"
                yield Problem(place, f"{value} is outside the known range {known.low} to {known.high}", hint)


FABRIC = (_marks, _headroom, _watchdog)
