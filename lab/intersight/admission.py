"""What a client may do with a server profile, given its state: refusals come before anything is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from podwright.lab.intersight import effects, errors
from podwright.lab.intersight.runs import ASSIGNED, PROFILE, Runs, hardware
from podwright.lab.intersight.schema import ObjectType
from podwright.lab.intersight.states import state_of
from podwright.lab.intersight.store import Mo, Store, ref
from podwright.lab.redfish.registry import OWN_TOKENS

ACTIONS = ("No-op", "Deploy", "Activate", "Unassign")
BUSY = frozenset({"Validating", "Configuring"})
# Platforms that no classic server policy configures [inf]: inventory and health only.
MONITORED_ONLY = ("UCSC-885A-M8",)


class Admission:
    """Hooks of the service that refuse."""

    def __init__(self, store: Store, runs: Runs, variants: Mapping[str, str]) -> None:
        self._store = store
        self._runs = runs
        self._c845a_checked = variants["c845a"] == "checked"
        self._needs_connection = ("Deploy", "Unassign") if variants["unassign"] == "connected" else ("Deploy",)

    def before(self, mo: Mo | None, kind: ObjectType, values: dict[str, Any]) -> None:
        """Refuse what the state does not admit; take actions out of the values."""
        if kind.name in ASSIGNED:
            self._before_profile(mo, kind, values)
        elif mo is not None:
            self._check_idle(self._affected(mo))
            if "Profiles" in values:
                self._check_idle(filter(None, map(self._store.target, values["Profiles"])))

    def _affected(self, mo: Mo) -> list[Mo]:
        """Deployable profiles that this object is part of."""
        touched: dict[str, bool] = {}
        out = []
        for profile in (p for kind in ASSIGNED for p in self._store.of(kind)):
            for policy in effects.policies(self._store, profile).values():
                moid = policy["Moid"]
                if moid not in touched:
                    touched[moid] = any(m["Moid"] == mo["Moid"] for m in effects.closure(self._store, policy))
                if touched[moid]:
                    out.append(profile)
                    break
        return out

    def _check_idle(self, profiles: Iterable[Mo]) -> None:
        for profile in profiles:
            if state_of(profile) in BUSY:
                text = f"The profile '{profile['Name']}' is being validated or configured; try again later."
                raise errors.invalid("lab_profile_busy", text, profile["Name"])

    def _before_profile(self, mo: Mo | None, kind: ObjectType, values: dict[str, Any]) -> None:
        action = action_in(values)
        if mo is not None and state_of(mo) in BUSY:
            if action is not None:
                raise errors.action_not_allowed(action)
            self._check_idle([mo])
        if kind.name == PROFILE:
            self._check_assignment(mo, values)
        if action is not None:
            self._check_action(action, mo, kind, values)

    def _check_assignment(self, mo: Mo | None, values: dict[str, Any]) -> None:
        serial = values.get("ServerPreAssignBySerial")
        if serial and not values.get("AssignedServer"):
            # Pre-assignment: bound as soon as a server of this serial number is claimed.
            found = [
                u for t in ("compute.RackUnit", "compute.Blade") for u in self._store.of(t) if u["Serial"] == serial
            ]
            if found:
                values["AssignedServer"] = ref(found[0])
        reference = values.get("AssignedServer")
        if not reference:
            self._check_release(mo, values)
            return
        for other in self._store.of(PROFILE):
            if other is not mo and other.get("AssignedServer") == reference:
                text = f"The server is already assigned to the profile '{other['Name']}'."
                raise errors.invalid("lab_server_already_assigned", text, other["Name"])
        server = self._store.target(reference) or {}
        if server.get("Model") in MONITORED_ONLY:
            raise errors.invalid(
                "lab_platform_takes_no_profile", f"A {server['Model']} takes no server profile.", server["Model"]
            )
        family = values.get("ServerFamily", (mo or {}).get("ServerFamily"))
        if self._c845a_checked and (server.get("Model") == OWN_TOKENS) != (family == effects.FAMILY):
            text = f"The server family '{family}' does not fit a {server.get('Model')}."
            raise errors.invalid("invalid_server_family_for_platform_type", text, str(family))
        platform = str(values.get("TargetPlatform", (mo or {}).get("TargetPlatform", "Standalone")))
        if (platform == "FIAttached") != (server.get("ManagementMode") == "Intersight"):
            text = f"The target platform '{platform}' does not fit the server's management mode."
            raise errors.invalid("invalid_server_family_for_platform_type", text, platform)

    def _check_release(self, mo: Mo | None, values: Mapping[str, Any]) -> None:
        if (
            mo is not None
            and "AssignedServer" in values
            and mo.get("AssignedServer")
            and self._runs.of(mo).deployed is not None
        ):
            raise errors.invalid("lab_profile_deployed", "Unassign a deployed profile by its action.", mo["Name"])

    def _check_action(self, action: str, mo: Mo | None, kind: ObjectType, values: Mapping[str, Any]) -> None:
        if action == "No-op":
            return
        machine = self._store.target(values.get(ASSIGNED[kind.name]) or (hardware(mo) if mo else None))
        staged = mo is not None and self._runs.of(mo).needs_reboot
        if action not in ACTIONS or machine is None or (action == "Activate" and not staged):
            raise errors.action_not_allowed(action)
        device = self._store.target(machine["RegisteredDevice"]) or {}
        if action in self._needs_connection and device.get("ConnectionStatus") != "Connected":
            name = str(machine.get("Name") or machine["Serial"])
            text = f"The server '{name}' is not connected."
            raise errors.invalid("gershwin_server_is_not_connected", text, name)

    def deleting(self, mo: Mo) -> None:
        """A profile with a server stays; what a busy profile is made of stays too."""
        if mo["ObjectType"] in ASSIGNED and hardware(mo):
            text = f"Cannot delete the server profile '{mo['Name']}': it is assigned to a server. Unassign it first."
            raise errors.invalid("gershwin_cannot_delete_server_profile", text, mo["Name"], status=403)
        if mo["ObjectType"] not in ASSIGNED:
            self._check_idle(self._affected(mo))


def action_in(values: Mapping[str, Any]) -> str | None:
    """The action that a body orders, by Action or by ScheduledActions alone (both forms are in use)."""
    action = values.get("Action")
    scheduled = [a.get("Action") for a in values.get("ScheduledActions") or []]
    if action in (None, "No-op") and scheduled:
        return "Deploy" if "Deploy" in scheduled else str(scheduled[0])
    return action
