"""The firmware bundle that a server runs, and where the account shows it (variant `bundle`)."""

from __future__ import annotations

import re

from podwright.lab.intersight.parts import is_blade
from podwright.lab.intersight.store import Mo, Store, ref
from podwright.lab.world.model import Server

FACTORY = {"blade": "5.2(0.230040)", "rack": "4.3(2.240009)"}
"""What servers are shipped with: bundles that release notes name, for X210c M7 and for C-Series."""


def factory(server: Server) -> str:
    """The bundle that a server came with."""
    return FACTORY["blade" if is_blade(server) else "rack"]


def show(store: Store, server: Server, unit: Mo, version: str, form: str) -> None:
    """Every view of a server whose components are those of bundle `version`. `form` is of the variant."""
    package = f"{version}{'B' if is_blade(server) else 'C'}"
    controller = version if form == "controller" else _older(version)
    summary = {"Firmware": controller, "PackageVersion": package if form == "summary" else ""}
    store.update(store.by_type["compute.PhysicalSummary"][unit["Moid"]], summary)
    for running in store.of("firmware.RunningFirmware"):
        if ref(unit) not in running["Ancestors"]:
            continue
        of_controller = {"Version": controller} if running["Type"] == "blade-controller" else {}
        store.update(running, of_controller | {"PackageVersion": "" if form == "controller" else package})


def _older(version: str) -> str:
    """A bundle may hold a controller that did not change since the one before: 4.2(3d) has that of 4.2(3c)."""
    if letter := re.fullmatch(r"(.*)([b-z])\)", version):
        return f"{letter.group(1)}{chr(ord(letter.group(2)) - 1)})"
    return re.sub(r"\d+\)$", lambda number: f"{int(number.group()[:-1]) - 1:0{len(number.group()) - 1}d})", version)
