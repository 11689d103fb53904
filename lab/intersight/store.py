"""The managed objects: kept by type and Moid, found by their natural key, read with what hangs on them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from podwright.lab.intersight import errors, query
from podwright.lab.intersight.schema import ObjectType, Schema

Mo = dict[str, Any]
Reference = dict[str, str]
Overlay = Callable[[Mo], Mapping[str, Any]]
"""Adds what is true at the moment of reading (power, counts, who uses a policy)."""

# Children seen from their parent: (parent type, property) → (child type, property that points back).
CHILDREN: Mapping[tuple[str, str], tuple[str, str]] = {
    ("vnic.LanConnectivityPolicy", "EthIfs"): ("vnic.EthIf", "LanConnectivityPolicy"),
    ("fabric.SwitchClusterProfile", "SwitchProfiles"): ("fabric.SwitchProfile", "SwitchClusterProfile"),
    ("fabric.SwitchClusterProfileTemplate", "SwitchProfileTemplates"): (
        "fabric.SwitchProfileTemplate",
        "SwitchClusterProfileTemplate",
    ),
    ("iam.EndPointUserPolicy", "EndPointUserRoles"): ("iam.EndPointUserRole", "EndPointUserPolicy"),
    ("storage.StoragePolicy", "DriveGroup"): ("storage.DriveGroup", "StoragePolicy"),
    ("workflow.WorkflowInfo", "TaskInfos"): ("workflow.TaskInfo", "WorkflowInfo"),
    ("server.Profile", "ConfigChangeDetails"): ("server.ConfigChangeDetail", "Profile"),
    ("server.ConfigResult", "ResultEntries"): ("server.ConfigResultEntry", "ConfigResult"),
}


class Store:
    """All objects of one account. Not locked: callers hold the side's lock."""

    def __init__(self, schema: Schema, seed: int) -> None:
        self.schema = schema
        self.seed = seed
        self.objects: dict[str, Mo] = {}
        self.by_type: dict[str, dict[str, Mo]] = {name: {} for name in schema.objects}
        self.overlays: dict[str, list[Overlay]] = {}
        self.account_moid = ""
        self._random = random.Random(f"moid {seed}")
        self._clock = datetime.min.replace(tzinfo=UTC)

    # --- writing ---------------------------------------------------------------------------------------------

    def new_moid(self) -> str:
        """24 hex digits, repeatable for a seed."""
        return f"{self._random.getrandbits(96):024x}"

    def now(self) -> str:
        """This moment as the API writes it; no two calls give the same, so that ModTime tells versions apart."""
        self._clock = max(datetime.now(UTC), self._clock + timedelta(milliseconds=1))
        return self._clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def create(self, type_name: str, values: Mapping[str, Any]) -> Mo:
        """Add an object with every property nobody set at its default."""
        kind = self.schema.objects[type_name]
        moment = self.now()
        mo: Mo = {**self.schema.defaults(kind), **values}
        mo |= {"ClassId": type_name, "ObjectType": type_name, "Moid": self.new_moid()}
        mo |= {"CreateTime": moment, "ModTime": moment, "AccountMoid": self.account_moid or mo["Moid"]}
        mo["Owners"] = [self.account_moid or mo["Moid"]]
        if mo.get("Organization"):
            mo["PermissionResources"] = [mo["Organization"]]
        self.objects[mo["Moid"]] = mo
        self.by_type[type_name][mo["Moid"]] = mo
        return mo

    def update(self, mo: Mo, values: Mapping[str, Any]) -> bool:
        """Set properties; False, and no new ModTime, when nothing changes."""
        changed = {name: value for name, value in values.items() if mo.get(name) != value}
        if not changed:
            return False
        mo.update(changed)
        mo["ModTime"] = self.now()
        return True

    def remove(self, mo: Mo) -> None:
        """Take an object away."""
        del self.objects[mo["Moid"]]
        del self.by_type[mo["ObjectType"]][mo["Moid"]]

    # --- finding ---------------------------------------------------------------------------------------------

    def get(self, type_name: str, moid: str) -> Mo:
        """The object of that type and Moid. Raises ApiError 404."""
        try:
            return self.by_type[type_name][moid]
        except KeyError:
            raise errors.not_found(type_name, moid) from None

    def of(self, type_name: str) -> list[Mo]:
        """All objects of a type."""
        return list(self.by_type.get(type_name, {}).values())

    def target(self, reference: Mapping[str, Any] | None) -> Mo | None:
        """The object a stored reference points at; None for an empty or dangling one."""
        return self.objects.get(reference["Moid"]) if reference else None

    def references_to(self, moid: str) -> Iterator[tuple[Mo, str]]:
        """(object, property) of every stored reference to this Moid."""
        for mo in list(self.objects.values()):
            for name in self.schema.objects[mo["ObjectType"]].references():
                value = mo.get(name)
                references = value if isinstance(value, list) else [value] if value else []
                if name != "PermissionResources" and any(r["Moid"] == moid for r in references):
                    yield mo, name

    # --- references ------------------------------------------------------------------------------------------

    def resolved(self, kind: ObjectType, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values with every reference turned into {"ObjectType", "Moid"} of an object that exists.

        Raises:
            ApiError: no such object, a selector with none or many matches, the wrong type, the same one twice.
        """
        out = dict(values)
        for name, entry in kind.references().items():
            value, where = out.get(name), f"{kind.name}.{name}"
            if isinstance(value, list):
                out[name] = [self._resolve(entry, item, where) for item in value]
                moids = [r["Moid"] for r in out[name]]
                if len(moids) != len(set(moids)):
                    text = f"The relationship '{where}' has the same identifier more than once."
                    raise errors.invalid("barcelona_request_duplicate_relationship_id", text, where)
            elif value is not None:
                out[name] = self._resolve(entry, value, where)
        return out

    def _resolve(self, entry: Mapping[str, Any], value: Mapping[str, Any], where: str) -> Reference:
        type_name = value.get("ObjectType")
        if value.get("Moid"):
            target = self.objects.get(value["Moid"])
            if target is None or (type_name and type_name not in (target["ObjectType"], "mo.MoRef")):
                raise errors.not_found(type_name or "mo.BaseMo", value["Moid"])
        elif value.get("Selector"):
            target = self._selected(type_name or (entry["to"] or [""])[0], value["Selector"], where)
        else:
            raise errors.bad_value(where, "A reference needs a Moid or a Selector.")
        if entry["to"] and target["ObjectType"] not in entry["to"]:
            raise errors.bad_value(where, f"A reference to '{target['ObjectType']}' is not possible here.")
        return {"ObjectType": target["ObjectType"], "Moid": target["Moid"]}

    def _selected(self, type_name: str, selector: str, where: str) -> Mo:
        found = list(filter(query.predicate(selector, self.value), map(self.view, self.of(type_name))))
        if len(found) != 1:
            text = f"The selector '{selector}' of '{where}' matches {len(found)} objects of type '{type_name}'."
            raise errors.invalid("lab_selector_not_unique", text, selector)
        return found[0]

    # --- reading ---------------------------------------------------------------------------------------------

    def view(self, mo: Mo) -> Mo:
        """The object with what is derived at this moment: children, users of a policy, live state."""
        out = dict(mo)
        for (parent, name), (child, back) in CHILDREN.items():
            if parent == mo["ObjectType"]:
                out[name] = [ref(c) for c in self.of(child) if (c.get(back) or {}).get("Moid") == mo["Moid"]]
        for overlay in self.overlays.get(mo["ObjectType"], ()):
            out.update(overlay(mo))
        return out

    def value(self, item: Any, path: str) -> Any:
        """Value at a dotted path of a viewed object, followed through references and into nested values."""
        head, _, rest = path.partition(".")
        if isinstance(item, list):
            return [self.value(element, path) for element in item]
        if not isinstance(item, dict):
            return None
        found = item.get(head)
        if found is None and head not in item and set(item) == {"ObjectType", "Moid"}:
            target = self.target(item)
            found = self.view(target).get(head) if target else None
        return self.value(found, rest) if rest else found


def ref(mo: Mo) -> Reference:
    """A stored reference to this object."""
    return {"ObjectType": mo["ObjectType"], "Moid": mo["Moid"]}
