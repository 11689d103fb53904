"""Rules of the server that the published schema does not state: what must be set, what names an object, what may
be deleted. Each with its source; `lab_` message ids mark what no public report shows."""

from __future__ import annotations

import ipaddress
import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Any

from podwright.lab.intersight import errors
from podwright.lab.intersight.schema import ObjectType
from podwright.lab.intersight.store import Mo, Store

# Parents without which an object has no place (facts: "Needs" of the object model).
PARENTS: Mapping[str, str] = {
    "vnic.EthIf": "LanConnectivityPolicy",
    "fabric.Vlan": "EthNetworkPolicy",
    "fabric.SwitchProfile": "SwitchClusterProfile",
    "fabric.SwitchProfileTemplate": "SwitchClusterProfileTemplate",
    "fabric.ApplianceRole": "PortPolicy",
    "fabric.PortMode": "PortPolicy",
    "fabric.ServerRole": "PortPolicy",
    "fabric.UplinkPcRole": "PortPolicy",
    "fabric.UplinkRole": "PortPolicy",
    "iam.EndPointUserRole": "EndPointUserPolicy",
    "iam.LdapGroup": "LdapPolicy",
    "iam.LdapProvider": "LdapPolicy",
    "vnic.FcIf": "SanConnectivityPolicy",
    "storage.DriveGroup": "StoragePolicy",
}
# What tells two children of one parent apart; all others are told apart by Name.
PLACES: Mapping[str, tuple[str, ...]] = {
    "fabric.Vlan": ("VlanId",),
    "fabric.ApplianceRole": ("SlotId", "PortId", "AggregatePortId"),
    "fabric.PortMode": ("SlotId", "PortIdStart", "PortIdEnd"),
    "fabric.ServerRole": ("SlotId", "PortId", "AggregatePortId"),
    "fabric.UplinkRole": ("SlotId", "PortId", "AggregatePortId"),
    "fabric.UplinkPcRole": ("PcId",),
    "iam.EndPointUserRole": ("EndPointUser",),
}
ALSO_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "asset.DeviceClaim": ("SerialNumber", "SecurityToken"),
    "fabric.Vlan": ("VlanId",),
    "fabric.UplinkPcRole": ("PcId",),
    "fabric.ServerRole": ("SlotId", "PortId"),
    "fabric.UplinkRole": ("SlotId", "PortId"),
    "firmware.Policy": ("ModelBundleCombo",),
    # What intersight_vnic_template of Cisco's Ansible collection asks for.
    "vnic.VnicTemplate": (
        "MacPool", "FabricEthNetworkGroupPolicy", "FabricEthNetworkControlPolicy", "EthQosPolicy", "EthAdapterPolicy",
    ),
}  # fmt: skip
# Written by the server about other objects; they hold nothing back.
NOTES = (
    "cond.Alarm",
    "server.ConfigChangeDetail",
    "server.ConfigResult",
    "server.ConfigResultEntry",
    "workflow.TaskInfo",
    "workflow.WorkflowInfo",
)
PROFILES = (
    "server.Profile", "server.ProfileTemplate", "chassis.Profile", "chassis.ProfileTemplate", "fabric.SwitchProfile",
    "fabric.SwitchProfileTemplate",
)  # fmt: skip


def is_policy(kind: ObjectType) -> bool:
    """True for what a profile's bucket can hold."""
    return "Profiles" in kind.properties and "PolicyBucket" not in kind.properties


def check_complete(kind: ObjectType, mo: Mapping[str, Any], given: Iterable[str]) -> None:
    """Raises ApiError when a new object lacks a name, an organization, a parent or what tells it apart."""
    needed = ["Name"] if "Name" in kind.properties and not kind.properties["Name"].get("ro") else []
    if kind.name in PARENTS:
        needed.append(PARENTS[kind.name])
    elif "Organization" in kind.properties and kind.name != "organization.Organization":
        needed.append("Organization")
    if kind.name in (
        "fabric.ServerRole",
        "fabric.UplinkRole",
        "fabric.ApplianceRole",
        "fabric.PortMode",
        "fabric.UplinkPcRole",
    ):
        needed = [n for n in needed if n != "Name"]
    needed += ALSO_REQUIRED.get(kind.name, ())
    for name in needed:
        if name not in given or not mo.get(name):
            raise errors.required(owner(kind, name))


def owner(kind: ObjectType, name: str) -> str:
    """`Class.Property` as the server words it: the class that declares the property."""
    if name == "Name" and is_policy(kind):
        return "policy.AbstractPolicy.Name"
    if name == "Name" and kind.name in PROFILES:
        return "policy.AbstractProfile.Name"
    return f"{kind.name}.{name}"


def twin(store: Store, kind: ObjectType, values: Mapping[str, Any]) -> Mo | None:
    """The object that a create with these values would collide with, by the type's natural key."""
    parent = PARENTS.get(kind.name)
    keys = PLACES.get(kind.name, ("Name",))
    scope = parent or ("Organization" if "Organization" in kind.properties else None)
    if not all(key in kind.properties for key in keys) or kind.name.startswith("workflow."):
        return None
    for mo in store.of(kind.name):
        same_scope = scope is None or mo.get(scope) == values.get(scope)
        if same_scope and all(mo.get(key) == values.get(key) for key in keys):
            return mo
    return None


def check_tags(tags: Iterable[Mapping[str, Any]]) -> None:
    """Raises ApiError for a tag key that comes twice."""
    seen: set[str] = set()
    for tag in tags:
        key = tag.get("Key", "")
        if not key:
            raise errors.required("mo.Tag.Key")
        if key in seen:
            text = f"The tag key '{key}' is used more than once."
            raise errors.invalid("barcelona_duplicate_tag_key", text, key)
        seen.add(key)


def check_unchanged(kind: ObjectType, mo: Mo, values: Mapping[str, Any]) -> None:
    """Raises ApiError when an update moves an object to another organization or parent, or empties its name."""
    for name in ("Organization", PARENTS.get(kind.name, "Organization")):
        if name in values and values[name] != mo.get(name) and kind.name != "organization.Organization":
            raise errors.invalid(
                "lab_property_immutable", f"The property '{kind.name}.{name}' cannot be changed.", name
            )
    if "Name" in values and not values["Name"] and mo.get("Name"):
        raise errors.required(owner(kind, "Name"))


def check_platform(store: Store, mo: Mo, values: Mapping[str, Any]) -> None:
    """Raises ApiError when TargetPlatform changes while policies of the old platform are attached (nac-compute)."""
    new = values.get("TargetPlatform", mo.get("TargetPlatform"))
    if new == mo.get("TargetPlatform"):
        return
    for reference in values.get("PolicyBucket", mo.get("PolicyBucket", [])):
        policy = store.target(reference)
        if policy is not None and policy.get("TargetPlatform", new) != new:
            text = f"The server family does not fit the platform type '{new}'."
            raise errors.invalid("invalid_server_family_for_platform_type", text, new)


def normalised(values: dict[str, Any]) -> dict[str, Any]:
    """Values as the server stores them: VLAN lists become sorted ranges (terraform-provider-intersight #305)."""
    settings = values.get("VlanSettings")
    if isinstance(settings, dict) and isinstance(settings.get("AllowedVlans"), str):
        values["VlanSettings"] = {**settings, "AllowedVlans": vlan_ranges(settings["AllowedVlans"])}
    return values


def vlan_ranges(text: str) -> str:
    """'9,5,6,1,7-8' → '1,5-9'. Raises ApiError for what is no VLAN list."""
    out: list[list[int]] = []
    for vlan in sorted(vlan_ids(text)):
        if out and out[-1][1] == vlan - 1:
            out[-1][1] = vlan
        else:
            out.append([vlan, vlan])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in out)


def vlan_ids(text: str) -> set[int]:
    """'1,5-9' → {1, 5, 6, 7, 8, 9}. Raises ApiError for what is no VLAN list."""
    found: set[int] = set()
    for part in filter(None, (p.strip() for p in text.split(","))):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= low <= high <= 4093:
            raise errors.bad_value("AllowedVlans", f"'{part}' is no VLAN or range of VLANs between 1 and 4093.")
        found |= set(range(low, high + 1))
    return found


def check_deletable(store: Store, mo: Mo) -> None:
    """Raises ApiError when something still needs the object. Children and the server's own notes go with it."""
    for user, name in store.references_to(mo["Moid"]):
        if PARENTS.get(user["ObjectType"]) != name and user["ObjectType"] not in NOTES:
            raise _in_use(mo, user)


def dependents(store: Store, mo: Mo) -> list[Mo]:
    """What goes when this object goes: its children, and the server's notes about it."""
    return [
        user
        for user, name in store.references_to(mo["Moid"])
        if PARENTS.get(user["ObjectType"]) == name or user["ObjectType"] in NOTES
    ]


def _in_use(mo: Mo, user: Mo) -> errors.ApiError:
    name = str(mo.get("Name", mo["Moid"]))
    if user["ObjectType"] == "vnic.EthIf":
        text = f"Cannot delete policy '{name}' associated with vNICs."
        return errors.invalid("gobi_fabric_delete_associated_policy", text, name)
    text = f"Cannot delete '{name}': it is used by {user['ObjectType']} '{user.get('Name', user['Moid'])}'."
    return errors.invalid("lab_object_in_use", text, name, user["ObjectType"])


def check_blocks(values: Mapping[str, Any]) -> None:
    """Raises ApiError for pool blocks that are no range, or that overlap."""
    for name in ("MacBlocks", "UuidSuffixBlocks", "IpV4Blocks"):
        spans = sorted(span(block) for block in values.get(name, []))
        for (_, end), (start, _) in itertools.pairwise(spans):
            if start <= end:
                raise errors.bad_value(name, "The blocks overlap.")


def span(block: Mapping[str, Any]) -> tuple[int, int]:
    """First and last identifier of a pool block as numbers. Raises ApiError."""
    try:
        first = number(block["From"])
        last = number(block["To"]) if block.get("To") else first + int(block.get("Size") or 1) - 1
    except (KeyError, ValueError):
        raise errors.bad_value("From", "The block is no range of identifiers.") from None
    if last < first:
        raise errors.bad_value("To", "The block ends before it begins.")
    return first, last


def number(text: str) -> int:
    """A MAC address, UUID suffix or IPv4 address as a number. Raises ValueError."""
    if "." in text:
        return int(ipaddress.IPv4Address(text))
    return int(re.sub(r"[:-]", "", text), 16)
