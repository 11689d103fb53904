"""Resource groups: which hardware an organization sees, and so may assign its profiles to.

A group's members are what its selectors find; with a device comes what it told of itself, as its servers. The
organizations of a group and the groups of an organization are one fact, seen and written from both. What hardware
shows of a write comes with it, or some time later (variant `membership`).
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any

from podwright.lab.intersight import errors, query
from podwright.lab.intersight.clock import Clock
from podwright.lab.intersight.schema import ObjectType
from podwright.lab.intersight.store import Mo, Reference, Store, ref

GROUP, ORGANIZATION = "resource.Group", "organization.Organization"
HARDWARE = ("asset.DeviceRegistration", "compute.Blade", "compute.PhysicalSummary", "compute.RackUnit")
"""Types of which the lab tells the organizations that see them."""
SELECTORS, ALL_OF_IT = "Allow-Selectors", "Allow-All"
ROOT = "/api/v1/"
ALL = ROOT + "asset/DeviceRegistrations"
LATER_SECONDS = 0.6
"""Until hardware shows what a group's write changed, in the variant `membership=later`."""
Test = Callable[[Mo], bool]
Shown = tuple[Mapping[str, Any], list[Reference]]
"""What counts of a group: its qualifier and selectors, and its organizations."""


class Groups:
    """Hooks and overlays of the service."""

    def __init__(self, store: Store, variant: str) -> None:
        self._store = store
        self._later = variant == "later"
        self._shown: list[Shown] = []
        self.clock: Clock | None = None
        self._tests: dict[str, tuple[str, Test]] = {}
        for kind in HARDWARE:
            store.overlays.setdefault(kind, []).append(self.seen)
        store.overlays.setdefault(ORGANIZATION, []).append(self.of_organization)

    def default(self, organizations: list[Reference]) -> None:
        """The group that an account has from its beginning: every device."""
        selector = {"ClassId": "resource.Selector", "ObjectType": "resource.Selector", "Selector": ALL}
        self._store.create(
            GROUP, {"Name": "default", "Type": "rbac", "Selectors": [selector], "Organizations": organizations}
        )
        self._show()

    def seen(self, mo: Mo) -> Mapping[str, Any]:
        """Overlay: organizations that see a piece of hardware."""
        counted = self._shown if self._later else self._facts()
        found = [each for group, organizations in counted if self._holds(group, mo) for each in organizations]
        return {"PermissionResources": [each for at, each in enumerate(found) if each not in found[:at]]}

    def of_organization(self, mo: Mo) -> Mapping[str, Any]:
        """Overlay: the groups of an organization."""
        return {"ResourceGroups": [ref(each) for each in self._store.of(GROUP) if ref(mo) in each["Organizations"]]}

    def _facts(self) -> list[Shown]:
        return [
            ({"Qualifier": each["Qualifier"], "Selectors": each["Selectors"]}, list(each["Organizations"]))
            for each in self._store.of(GROUP)
        ]

    def _show(self) -> None:
        self._shown = self._facts()

    def changed(self, mo: Mo) -> None:
        """A group was written or deleted: what hardware shows follows."""
        if self._later and self.clock and mo["ObjectType"] in (GROUP, ORGANIZATION):
            self.clock.after(LATER_SECONDS, self._show)

    def _holds(self, group: Mapping[str, Any], mo: Mo) -> bool:
        if group["Qualifier"] == ALL_OF_IT:
            return True
        tells: list[Mo] = [mo]
        # A blade is a device below its domain's.
        above = self._store.target(mo.get("RegisteredDevice") or mo.get("ParentConnection"))
        while above is not None and above not in tells:
            tells.append(above)
            above = self._store.target(above.get("ParentConnection"))
        return any(self._selects(each["Selector"], one) for each in group["Selectors"] for one in tells)

    def _selects(self, selector: str, mo: Mo | None) -> bool:
        if mo is None or not selector:
            return False
        if selector not in self._tests:
            self._tests[selector] = self._test(selector)
        kind, holds = self._tests[selector]
        # A server's summary has its Moid and stands for it.
        unit = self._store.objects.get(mo["Moid"], mo)
        return unit["ObjectType"] == kind and holds(unit)

    def _test(self, selector: str) -> tuple[str, Test]:
        path, _, options = selector.partition("?")
        kind = self._store.schema.by_path.get(path.removeprefix(ROOT))
        if kind is None or not path.startswith(ROOT):
            raise errors.bad_value("resource.Selector.Selector", f"'{path}' is no collection of this API.")
        given = dict(urllib.parse.parse_qsl(options, keep_blank_values=True))
        if set(given) - {"$filter"}:
            raise errors.bad_value("resource.Selector.Selector", "A selector takes $filter alone.")
        return kind.name, query.predicate(given["$filter"], self._store.value) if "$filter" in given else lambda _: True

    def before(self, mo: Mo | None, kind: ObjectType, values: dict[str, Any]) -> None:
        """Refuse selectors of what is no collection, groups of both qualifiers in one account, and a server that the
        organization of its profile does not see."""
        for each in values.get("Selectors") or () if kind.name == GROUP else ():
            if each.get("Selector"):
                self._test(each["Selector"])
        if kind.name == GROUP:
            self._one_qualifier(mo, str(values.get("Qualifier") or (mo or {}).get("Qualifier") or SELECTORS))
        if kind.name == "server.Profile" and values.get("AssignedServer"):
            organization = values.get("Organization") or (mo or {}).get("Organization")
            server = self._store.target(values["AssignedServer"]) or {}
            if server and organization not in self.seen(server)["PermissionResources"]:
                name = str((self._store.target(organization) or {}).get("Name"))
                text = f"The server '{server['Serial']}' is in no resource group of the organization '{name}'."
                raise errors.invalid("lab_server_not_in_organization", text, str(server["Serial"]), name, status=403)

    def _one_qualifier(self, mo: Mo | None, qualifier: str) -> None:
        others = [each for each in self._store.of(GROUP) if mo is None or each["Moid"] != mo["Moid"]]
        if other := next((each for each in others if ALL_OF_IT in (qualifier, each["Qualifier"])), None):
            text = f"The account has the resource group '{other['Name']}' of the qualifier {other['Qualifier']}."
            raise errors.invalid("lab_resource_group_qualifier", text, str(other["Name"]), str(other["Qualifier"]))

    def deleting(self, mo: Mo) -> None:
        """Refuse the deletion of a group that organizations have."""
        users = len(mo["Organizations"]) if mo["ObjectType"] == GROUP else 0
        if users:
            text = f"Resource group cannot be deleted. It's in use by {users} organizations."
            raise errors.ApiError(400, "InternalServerError", "grimoire_resourcegroup_in_use", text, str(users))

    def after(self, mo: Mo, values: Mapping[str, Any]) -> None:
        """Turn written `ResourceGroups` of an organization into writes of groups."""
        self.changed(mo)
        if mo["ObjectType"] != ORGANIZATION or "ResourceGroups" not in values:
            return
        mo["ResourceGroups"] = []
        for group in self._store.of(GROUP):
            others = [each for each in group["Organizations"] if each != ref(mo)]
            wanted = [*others, ref(mo)] if ref(group) in values["ResourceGroups"] else others
            self._store.update(group, {"Organizations": wanted})
