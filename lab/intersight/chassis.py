"""Chassis profiles: which policies they take, and which chassis they are for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from podwright.lab.intersight import errors
from podwright.lab.intersight.schema import ObjectType
from podwright.lab.intersight.store import Mo, Reference, Store, ref

PROFILE = "chassis.Profile"
TAKING = (PROFILE, "chassis.ProfileTemplate")
TAKEN = ("access.Policy", "power.Policy", "snmp.Policy", "thermal.Policy")
"""Cisco, "Intersight policies" solution overview, chassis policies; vesposito/easyucs maps the same four."""


class ChassisProfiles:
    """Hook of the service that refuses, and what happens to profiles when a chassis is found."""

    def __init__(self, store: Store, assigned: Callable[[Mo], None]) -> None:
        """`assigned` is told of a profile that was bound to its chassis."""
        self._store = store
        self._assigned = assigned

    def before(self, mo: Mo | None, kind: ObjectType, values: dict[str, Any]) -> None:
        """Refuse policies of other machines, from the profile's side or the policy's; bind by serial number."""
        if kind.name in TAKING:
            self._check_taken(r["ObjectType"] for r in values.get("PolicyBucket") or ())
            self._check_assignment(mo, values)
        elif any(r["ObjectType"] in TAKING for r in values.get("Profiles") or ()):
            self._check_taken((kind.name,))

    def _check_taken(self, types: Iterable[str]) -> None:
        for name in types:
            if name not in TAKEN:
                text = f"A policy of type '{name}' cannot be attached to a chassis profile."
                raise errors.invalid("lab_policy_of_other_platform", text, name)

    def _check_assignment(self, mo: Mo | None, values: dict[str, Any]) -> None:
        serial = values.get("ChassisPreAssignBySerial")
        if serial and not values.get("AssignedChassis"):
            found = [each for each in self._store.of("equipment.Chassis") if each["Serial"] == serial]
            if found:
                values["AssignedChassis"] = ref(found[0])
        reference: Reference | None = values.get("AssignedChassis")
        other = self._holder(reference) if reference else None
        if other is not None and other is not mo:
            text = f"The chassis is already assigned to the profile '{other['Name']}'."
            raise errors.invalid("lab_chassis_already_assigned", text, other["Name"])

    def _holder(self, chassis: Mapping[str, Any]) -> Mo | None:
        return next((each for each in self._store.of(PROFILE) if each.get("AssignedChassis") == chassis), None)

    def found(self, chassis: Mo) -> None:
        """Bind the profile that waited for this chassis by its serial number."""
        for profile in self._store.of(PROFILE):
            if profile.get("ChassisPreAssignBySerial") == chassis["Serial"] and not profile.get("AssignedChassis"):
                self._store.update(profile, {"AssignedChassis": ref(chassis)})
                self._assigned(profile)
