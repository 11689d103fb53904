"""What the server knows of a profile beyond its properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podwright.lab.intersight.store import Mo

PROFILE = "server.Profile"
ASSIGNED: Mapping[str, str] = {
    PROFILE: "AssignedServer",
    "fabric.SwitchProfile": "AssignedSwitch",
    "chassis.Profile": "AssignedChassis",
}
"""What can be deployed, and the property that names the hardware it is deployed to."""

RELEASED: Mapping[str, Mapping[str, str]] = {
    PROFILE: {"ServerPreAssignBySerial": "", "ServerAssignmentMode": "None", "DeployStatus": "None"},
    "chassis.Profile": {"ChassisPreAssignBySerial": "", "ChassisAssignmentMode": "None"},
}
"""What of a profile is emptied when it lets its hardware go, beside the reference to it."""


@dataclass
class Run:
    """Digests are by policy type (`effects.digests`).

    `deployed` is what was last brought to the machine (None: nothing yet), `seen` what was last compared with it.
    `needs_reboot`: deployed, but the machine must restart for it. `proceed`: the client approved that restart.
    `boot_order` is in force, `boot_order_staged` was deployed; they are copies, the policy may have changed since.
    """

    deployed: dict[str, str] | None = None
    seen: dict[str, str] = field(default_factory=dict)
    needs_reboot: bool = False
    proceed: bool = False
    workflow: Mo | None = None
    boot_order: Mo | None = None
    boot_order_staged: Mo | None = None

    def changed(self, now: dict[str, str]) -> set[str]:
        """Policy types that differ from what is deployed."""
        before = self.deployed or {}
        return {name for name in {*now, *before} if now.get(name) != before.get(name)}


class Runs:
    """One `Run` per profile."""

    def __init__(self) -> None:
        self._runs: dict[str, Run] = {}

    def of(self, profile: Mo) -> Run:
        """The profile's run, made on first use."""
        return self._runs.setdefault(profile["Moid"], Run())

    def forget(self, profile: Mo) -> Run:
        """Take the profile's run away and return it."""
        return self._runs.pop(profile["Moid"], Run())


def hardware(profile: Mo) -> Any:
    """The reference to the hardware that a profile is assigned to, None while it is not."""
    return profile.get(ASSIGNED[profile["ObjectType"]])


def what(profile: Mo) -> str:
    """How the names of workflows call a profile's hardware."""
    return {"fabric.SwitchProfile": "Domain", "chassis.Profile": "Chassis"}.get(profile["ObjectType"], "Server")
