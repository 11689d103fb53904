"""Firmware and compatibility: upgrades ordered by firmware.Upgrade or by a profile's policy, versions, cond.HclStatus.

An upgrade downloads, writes and restarts the machine; meanwhile its Lifecycle says so and power orders are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.lab.intersight import effects, errors
from podwright.lab.intersight.clock import Clock
from podwright.lab.intersight.inventory import VENDOR, Inventory
from podwright.lab.intersight.runs import PROFILE
from podwright.lab.intersight.schema import ObjectType
from podwright.lab.intersight.settings import press
from podwright.lab.intersight.store import Mo, Store, ref
from podwright.lab.intersight.workflows import Workflows
from podwright.lab.world.model import Server, World

UPGRADE, STATUS = "firmware.Upgrade", "firmware.UpgradeStatus"
STEPS = ("downloading", "downloaded", "upgrading", "rebooting")
"""Values of UpgradeStatus.Overallstatus on the way, each a task of the workflow."""
VERSIONS = ("4.3(4.240152)", "4.3(5.250001)", "6.0(1.250131)")
"""Bundles in the repository of every account, oldest first."""
OS_TAG = "intersight.hcl.osName"
"""Set by the operating system's discovery tool; without an operating system nothing can be judged."""
REASONS: Mapping[str, str] = {"Validated": "Compatible", "Incomplete": "Missing-Os-Info"}
UNDER_WAY = "FirmwareUpgradeInProgress"


class Firmware:
    """Hooks of the service. `seconds` that each step of an upgrade takes; `fail_next` makes the next one fail so."""

    def __init__(self, store: Store, world: World, clock: Clock, inventory: Inventory, workflows: Workflows) -> None:
        self._store = store
        self._world = world
        self._clock = clock
        self._inventory = inventory
        self._workflows = workflows
        self.seconds = 0.1
        self.fail_next: str | None = None
        self.judged: dict[str, str] = {}
        """Server to the HCL status that the vendor's list has for it; Validated for those that are not here."""
        store.overlays["cond.HclStatus"] = [self._compatibility]
        models = dict.fromkeys(server.model for server in world.servers.values() if server.intersight)
        for model in models:
            for version in VERSIONS:
                self._bundle(model, version)

    def _bundle(self, model: str, version: str) -> None:
        values = {
            "Name": f"{model}-{version}.bin",
            "Version": version,
            "SupportedModels": [model],
            "ImageType": "huu",
            "Vendor": VENDOR,
            "Origin": "System",
            "ImportState": "Imported",
        }
        self._inventory.new("firmware.Distributable", values)

    # --- orders -------------------------------------------------------------------------------------------------

    def before(self, mo: Mo | None, kind: ObjectType, values: dict[str, Any]) -> None:
        """Refuse an upgrade of nothing, of a busy machine or with another model's bundle, and power meanwhile."""
        if kind.name == "compute.ServerSetting" and mo is not None:
            unit = self._store.target(mo["Server"])
            if (
                unit is not None
                and unit["Lifecycle"] == UNDER_WAY
                and values.get("AdminPowerState", "Policy") != "Policy"
            ):
                text = "The action is not allowed while a firmware upgrade is in progress."
                raise errors.invalid("action_not_allowed_firmware_upgrade_in_progress", text)
        if kind.name != UPGRADE or mo is not None:
            return
        unit = self._store.target(values.get("Server"))
        if unit is None:
            raise errors.required("firmware.Upgrade.Server")
        bundle = self._store.target(values.get("Distributable"))
        if bundle is None:
            raise errors.required("firmware.Upgrade.Distributable")
        if unit["Model"] not in bundle["SupportedModels"]:
            raise errors.bad_value("firmware.Upgrade.Distributable", f"The bundle is not for a {unit['Model']}.")
        if unit["Lifecycle"] == UNDER_WAY:
            raise errors.invalid("lab_upgrade_in_progress", "An upgrade of this server is in progress.", unit["Name"])

    def after(self, mo: Mo, values: Mapping[str, Any]) -> None:
        """Start what was ordered."""
        unit = self._store.target(mo.get("Server")) if mo["ObjectType"] == UPGRADE else None
        server = self._inventory.machine(unit)
        bundle = self._store.target(mo.get("Distributable"))
        if unit is None or server is None or bundle is None or mo["Status"] != "NONE" or not values.get("Server"):
            return
        workflow = self._workflows.start("Upgrade Firmware", mo, STEPS)
        status = self._store.create(
            STATUS, {"Upgrade": ref(mo), "Workflow": ref(workflow), "TargetFirmwareVersion": bundle["Version"]}
        )
        self._store.update(mo, {"Status": "IN_PROGRESS", "UpgradeStatus": ref(status), "ServerName": unit["Name"]})
        self._inventory.lifecycle(server.name, UNDER_WAY)
        self._step(_Run(mo, status, workflow, server, str(bundle["Version"])), 0)

    def _step(self, run: _Run, at: int) -> None:
        if at == len(STEPS):
            self.installed(run.server, run.version)
            self._end(run, "SUCCESSFUL", "success")
            return
        if self.fail_next is not None and STEPS[at] == "upgrading":
            reason, self.fail_next = self.fail_next, None
            self._store.update(run.status, {"OverallError": reason})
            self._end(run, "FAILED", "failed", reason)
            return
        self._workflows.reached(run.workflow, STEPS[at])
        progress = {"Overallstatus": STEPS[at], "OverallPercentage": 100 * at // len(STEPS)}
        self._store.update(run.status, progress)
        if STEPS[at] == "rebooting":
            on = self._world.host(run.server.name).power == "On"
            press(self._world, run.server.name, "ForceRestart" if on else "On")
        self._clock.after(self.seconds, lambda: self._step(run, at + 1))

    def _end(self, run: _Run, status: str, overall: str, failure: str | None = None) -> None:
        self._workflows.end(run.workflow, failure)
        self._store.update(run.status, {"Overallstatus": overall, "OverallPercentage": 100})
        self._store.update(run.upgrade, {"Status": status})
        self._inventory.lifecycle(run.server.name, "Active")

    def in_force(self, profile: Mo) -> None:
        """A profile's firmware policy is deployed, reboot and all: its version is what runs."""
        unit = self._store.target(profile.get("AssignedServer")) if profile["ObjectType"] == PROFILE else None
        server = self._inventory.machine(unit)
        policy = effects.policies(self._store, profile).get("firmware.Policy") if server is not None else None
        for each in (policy or {}).get("ModelBundleCombo") or []:
            if server is not None and server.model.startswith(_family(str(each.get("ModelFamily", "")))):
                self.installed(server, str(each["BundleVersion"]))

    def installed(self, server: Server, version: str) -> None:
        """This version runs on a server."""
        self._inventory.runs(server, version)

    # --- compatibility ------------------------------------------------------------------------------------------

    def _compatibility(self, mo: Mo) -> Mapping[str, Any]:
        """Overlay: what the compatibility list has of a server, once its operating system is known."""
        unit = self._store.target(mo["ManagedObject"])
        server = self._inventory.machine(unit)
        if unit is None or server is None:
            return {}
        tags = {tag["Key"]: tag.get("Value", "") for tag in unit.get("Tags") or []}
        status = self.judged.get(server.name, "Validated") if OS_TAG in tags else "Incomplete"
        reason = REASONS.get(status, "Incompatible-Components")
        summary = self._store.by_type["compute.PhysicalSummary"][unit["Moid"]]
        return {
            "Status": status,
            "Reason": reason,
            "ServerReason": "Missing-Os-Driver-Info" if status == "Incomplete" else reason,
            "HardwareStatus": status,
            "SoftwareStatus": status,
            "ComponentStatus": status,
            "ManagementMode": unit["ManagementMode"],
            "InvModel": unit["Model"],
            "InvFirmwareVersion": summary["Firmware"],
            "InvOsVendor": tags.get("intersight.hcl.osVendor", ""),
            "InvOsVersion": tags.get("intersight.hcl.osVersion", tags.get(OS_TAG, "")),
        }


class _Run:
    """One upgrade on its way."""

    def __init__(self, upgrade: Mo, status: Mo, workflow: Mo, server: Server, version: str) -> None:
        self.upgrade = upgrade
        self.status = status
        self.workflow = workflow
        self.server = server
        self.version = version


def _family(model_family: str) -> str:
    """How models of a family of firmware.Policy begin: UCSC-C225-M8 is that of a UCSC-C225-M8N."""
    return {"": "none", "CAI-845A-M8": "UCSC-845A-M8"}.get(model_family, model_family)
