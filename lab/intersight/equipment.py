"""Machines behind interconnects as equipment: what stands in a slot, taken out of service, replaced and removed.

`compute.BladeIdentity` and `compute.RackUnitIdentity` say of each what its life is; their `AdminAction` changes it. A
machine that was pulled stays listed as Replaced until somebody removes it, and the one in its place waits for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from podwright.lab.intersight import errors
from podwright.lab.intersight.clock import Clock
from podwright.lab.intersight.inventory import VENDOR, Inventory
from podwright.lab.intersight.schema import ObjectType
from podwright.lab.intersight.store import Mo, Store, ref
from podwright.lab.world.inventory import Server

BLADE, RACK = "compute.BladeIdentity", "compute.RackUnitIdentity"
KINDS = (BLADE, RACK)
PRESENT = {"Active", "DiscoveryFailed", "OperationFailed"}
"""Lives of a machine that is there and in service."""
LEFT = {"Replaced", "Removed", "Decommissioned", "DecommissionedForRemove"}
"""Lives in which a machine can be removed."""
MAY: Mapping[str, set[str]] = {
    "Decommission": PRESENT | {"Replaced", "Removed"},
    "DecommissionAndRemove": PRESENT,
    "Recommission": {"Decommissioned", "DecommissionedForRemove"},
    "Reack": PRESENT | {"Replaced", "Removed"},
    "Remove": LEFT,
}
"""Actions, and the lives that they start from."""


class Equipment:
    """Hooks of the service, and listener of the world. `found` lists a machine that is discovered in a place of its
    own; `gone` hears that one left."""

    def __init__(self, store: Store, clock: Clock, inventory: Inventory) -> None:
        self._store = store
        self._clock = clock
        self._inventory = inventory
        self.seconds = 0.2
        self.found: Callable[[str], None] = lambda _server: None
        self.gone: Callable[[], None] = lambda: None
        for kind in KINDS:
            store.overlays[kind] = [self._life]

    def listed(self, unit: Mo, server: Server, manager: Mo, waiting: Mo | None = None) -> Mo:
        """The identity of a machine that was found; `manager` is its domain's device. `waiting` is the one that it had
        while it waited for its place."""
        blade = unit["ObjectType"] == "compute.Blade"
        values = {
            "Name": unit["Name"],
            "Serial": server.serial,
            "Model": server.model,
            "Vendor": VENDOR,
            "RegisteredDevice": ref(manager),
            "PhysicalDeviceRegistration": unit["RegisteredDevice"],
            "LastDiscoveryTriggered": "Deep",
            **(_place(unit) | {"Presence": "Equipped"} if blade else {"Identifier": unit.get("ServerId")}),
        }
        if waiting is not None:
            self._store.update(waiting, values | {"Lifecycle": "DiscoveryInProgress"})
            return waiting
        return self._inventory.new(BLADE if blade else RACK, values)

    def identity(self, unit: Mo) -> Mo | None:
        """The identity of a listed machine."""
        device = unit["RegisteredDevice"]
        return next((mo for k in KINDS for mo in self._store.of(k) if mo["PhysicalDeviceRegistration"] == device), None)

    def _life(self, identity: Mo) -> Mapping[str, Any]:
        """Overlay: the life of a machine that is listed, where nothing is done to the equipment itself."""
        unit = self._unit(identity)
        return (
            {"Lifecycle": unit["Lifecycle"]} if unit is not None and identity["AdminActionState"] != "Applying" else {}
        )

    def _unit(self, identity: Mo) -> Mo | None:
        device = identity.get("PhysicalDeviceRegistration")
        units = [u for kind in ("compute.Blade", "compute.RackUnit") for u in self._store.of(kind)]
        return next((u for u in units if device and u["RegisteredDevice"] == device), None)

    # --- another machine ----------------------------------------------------------------------------------------

    def swapped(self, name: str, old: Server) -> None:
        """The world has another machine in a place: the listed one is silent, and known to have been replaced."""
        unit = self._inventory.units.get(name)
        if unit is None:
            return
        self._inventory.silent(unit, old)
        identity = self.identity(unit)
        if identity is None:
            return  # stands alone: the account hears of the new one when somebody claims it
        announced = unit["Lifecycle"] == "DecommissionedForRemove"
        self._inventory.life(unit, "Replaced" if identity["ObjectType"] == BLADE else "Removed")
        manager = self._store.target(identity["RegisteredDevice"])
        if identity["ObjectType"] == RACK:
            self.found(name)  # on its ports another one is found, next to the one that does not answer
        elif manager is not None:
            place = {key: identity[key] for key in ("ChassisId", "SlotId")}
            new = self._inventory.new(
                BLADE,
                place
                | {
                    "Lifecycle": "ReplacementPendingUserAction",
                    "Presence": "EquippedMismatch",
                    "RegisteredDevice": ref(manager),
                    "DiscoveredBladeIdInCurrLocation": [ref(identity)],
                    "Serial": self._inventory.present(name).serial,
                    "Model": old.model,
                    "Vendor": VENDOR,
                },
            )
            self._store.update(identity, {"Presence": "Missing", "NewBladeIdInDiscoveredLocation": [ref(new)]})
            if announced:
                self._remove(identity, unit)

    # --- actions ------------------------------------------------------------------------------------------------

    def before(self, mo: Mo | None, kind: ObjectType, values: dict[str, Any]) -> None:
        """Refuse what the equipment's life does not admit."""
        action = values.get("AdminAction", "None")
        if kind.name not in KINDS or mo is None or action == "None":
            return
        life = self._store.view(mo)["Lifecycle"]
        if mo["AdminActionState"] == "Applying" or life not in MAY.get(action, ()):
            text = f"The action '{action}' is not possible on a server whose lifecycle is '{life}'."
            raise errors.invalid("lab_equipment_action_not_allowed", text, action, life)

    def after(self, mo: Mo, values: Mapping[str, Any]) -> None:
        """Begin what was ordered; it is through some moments later."""
        action = values.get("AdminAction", "None")
        if mo["ObjectType"] not in KINDS or action == "None":
            return
        before = self._store.view(mo)["Lifecycle"]
        under_way = f"{action}InProgress"
        self._store.update(mo, {"AdminAction": "None", "AdminActionState": "Applying", "Lifecycle": under_way})
        self._clock.after(self.seconds, lambda: self._done(mo, action, before))

    def _done(self, mo: Mo, action: str, before: str) -> None:
        if mo["Moid"] not in self._store.objects:
            return
        unit = self._unit(mo)
        self._store.update(mo, {"AdminActionState": "Applied"})
        if action == "Remove" or (action == "Reack" and before in LEFT):
            self._remove(mo, unit)
        elif unit is not None:
            life = {"Decommission": "Decommissioned", "DecommissionAndRemove": "DecommissionedForRemove"}
            self._inventory.life(unit, life.get(action, "Active"))

    def _remove(self, mo: Mo, unit: Mo | None) -> None:
        """The machine is no part of the account any more, and what stands in its place is discovered."""
        device = self._store.target(mo.get("PhysicalDeviceRegistration"))
        waiting = [each for each in map(self._store.target, mo.get("NewBladeIdInDiscoveredLocation") or []) if each]
        name = self._inventory.name_of(unit) if unit is not None else ""
        for each in waiting:
            self._store.update(each, {"DiscoveredBladeIdInCurrLocation": []})
        if device is not None:
            self._inventory.forget(device)
        if mo["Moid"] in self._store.objects:
            self._store.remove(mo)
        self.gone()
        if waiting and name:
            self.found(name)

    def pending(self, server: Server) -> Mo | None:
        """The identity of a machine that waits for its place."""
        return next((mo for mo in self._store.of(BLADE) if mo["Serial"] == server.serial), None)


def _place(unit: Mo) -> dict[str, Any]:
    return {"ChassisId": int(unit["ChassisId"]), "SlotId": unit["SlotId"]}
