"""The machine that a spec's `serial` names: by its own serial number, or as a blade by where it sits.

A place is the serial number of a chassis and a slot, FOX22110001/3. Whatever blade is in it is the server; one that
was pulled counts as gone as soon as Intersight says so, and the blade that waits for its place is the one found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight import equipment
from podwright.components.providers.intersight.account import Account
from podwright.components.providers.protocol.kind import UNKNOWN, Failure, Values

CHASSIS, SUMMARY = "equipment.Chassis", "compute.PhysicalSummary"
BLADE = "blade"
PLACE = re.compile(r"^[A-Z0-9]+/[1-8]$")
SERIAL = "serial"
"""Output of a server profile that is bound to a place: the serial number of the blade that was found there."""


def is_place(serial: str) -> bool:
    """Whether a spec's `serial` is a place, and no serial number."""
    return "/" in serial


async def serial_of(api: Account, serial: str) -> str | None:
    """Serial number of the machine that a spec's `serial` names; None while a place has no blade."""
    if not is_place(serial):
        return serial
    chassis, _, slot = serial.partition("/")
    box = await api.only(CHASSIS, "Serial", chassis, f"the chassis {chassis}")
    blades = await api.where(SUMMARY, "EquipmentChassis.Moid", str(box["Moid"])) if box else []
    here = [each for each in blades if str(each.get("SlotId")) == slot]
    for each in here:
        if each.get("Lifecycle") not in equipment.LEFT:
            return str(each["Serial"])
    for each in here:
        if (waiting := await _next(api, str(each["Serial"]))) is not None:
            return waiting
    return None


async def _next(api: Account, pulled: str) -> str | None:
    """Serial number of the blade that waits for the place of one that was pulled."""
    old = await equipment.identity(api, pulled)
    for ref in (old or {}).get("NewBladeIdInDiscoveredLocation") or []:
        new = await api.by_moid(equipment.BLADE, str(ref["Moid"]))
        if new is not None and new.get("Serial"):
            return str(new["Serial"])
    return None


async def summary(api: Account, serial: str) -> dict[str, Any] | None:
    """The machine that a spec's `serial` names, as Intersight lists it; None for one that it does not list."""
    found = await serial_of(api, serial)
    return await api.only(SUMMARY, "Serial", found, f"the server {found}") if found else None


async def as_named(api: Account, serial: str, server: Mapping[str, Any] | None) -> str:
    """A spec's `serial` as it is live, where a profile is on `server`: the same place while no other blade is in it."""
    live = str((server or {}).get("Serial") or "")
    if live and is_place(serial) and await serial_of(api, serial) in (None, live):
        return serial
    return live


def outputs(spec: Mapping[str, Any], server: Mapping[str, Any] | None) -> dict[str, str]:
    """The serial number of the blade in a spec's place; nothing for a spec that has the number itself."""
    return {SERIAL: str((server or {}).get("Serial") or "")} if is_place(str(spec["serial"])) else {}


def preview(inputs: Values, known: Mapping[str, Any], bound: bool) -> dict[str, Any]:
    """The same before anybody looked: what is known of the place that the profile is bound to already."""
    return {SERIAL: known.get(SERIAL, UNKNOWN) if bound else UNKNOWN} if is_place(str(inputs["spec"]["serial"])) else {}


def judge(spec: Mapping[str, Any]) -> list[Failure]:
    """What is wrong with a spec's place: nothing but a blade has one."""
    serial = str(spec["serial"])
    if not is_place(serial):
        return []
    if spec["target_platform"] != "FIAttached":
        return [Failure(("spec", "serial"), f"{serial} is a place in a chassis, and only blades have one")]
    if not PLACE.match(serial):
        return [Failure(("spec", "serial"), f"{serial!r} is no chassis with its slot, FOX22110001/3")]
    return []


def words(serial: str) -> tuple[str, str]:
    """What kind of machine a spec's `serial` names, and which."""
    chassis, _, slot = serial.partition("/")
    return (BLADE, f"in slot {slot} of the chassis {chassis}") if slot else ("server", serial)
