"""Every value on one server: the object that it lands in, who set it, where in the file, and why."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from podwright.components.design.compute import bios
from podwright.components.design.compute.model import Child, IntersightObject, Profile
from podwright.components.design.hardware import gpu_count, server_model
from podwright.components.model import ADDED_FIELDS, OWN_FIELDS, Effective, Server
from podwright.components.model.problems import Loc

Source = Literal["server", "role", "catalogue", "design"]
"""The two in the file; the catalogue's BIOS tokens; what the design sets on every server or makes of other sections."""

_INSTALLED = "a finished server never meets the installer again: its image boots once, by an override"
_DRIVERS = "GPU and NIC drivers are built on the node and carry no signature that the firmware knows"
_DISKS = "disks are the operating system's: nothing here makes or breaks an array"
_REASONS: Mapping[tuple[str, str], str] = {
    ("boot.PrecisionPolicy", "BootDevices"): f"disk first: {_INSTALLED}",
    ("boot.PrecisionPolicy", "EnforceUefiSecureBoot"): _DRIVERS,
    ("storage.StoragePolicy", "UnusedDisksState"): _DISKS,
    ("storage.StoragePolicy", "UseJbodForVdCreation"): _DISKS,
    ("ntp.Policy", "NtpServers"): "`site.ntp`",
    ("ntp.Policy", "Timezone"): "Intersight's own default is Pacific/Niue",
    ("power.Policy", "PowerRestoreState"): "a server that was shut for repair stays off when its feed returns",
    ("syslog.Policy", "RemoteClients"): "`site.syslog`",
    (
        "thermal.Policy",
        "FanControlMode",
    ): "GPUs in a rack server need more air than its own sensors ask for (HighPower)",
    ("vnic.EthIf", "StaticMacAddress"): "`boot_mac`: the installer knows it before the server boots",
    ("vnic.EthIf", "FailoverEnabled"): "the operating system bonds its vNICs; the fabric moves none",
}

_MANAGEMENT = (
    "access.Policy", "iam.EndPointUserPolicy", "iam.LdapPolicy", "ipmioverlan.Policy", "smtp.Policy", "snmp.Policy",
    "sol.Policy", "ssh.Policy",
)  # fmt: skip
"""Types of policies that are made of that section."""
_FIELDS = {**OWN_FIELDS, **ADDED_FIELDS}
"""Settings whose keys are properties of one type."""
_VLANS = ("EthNetworkPolicy", "FabricEthNetworkGroupPolicy")
"""References of a vNIC to what carries its VLANs."""


@dataclass(frozen=True)
class Explained:
    """One value."""

    object: str
    """Name of the policy; empty for settings that are written over Redfish."""
    object_type: str
    key: str
    value: Any
    source: Source
    place: Loc = ()
    """Where it is set in the file, below `roles` or `servers`; empty where it is not."""
    reason: str = ""


def explain(server: Server, settings: Effective, profile: Profile | None) -> Iterator[Explained]:
    """Every value on a server. `profile` is its profile in Intersight, None for one that is reached over Redfish."""
    if profile is None:
        yield from _bios(server, settings, "", "Redfish")
        return
    for key, value in settings.settings.tags.items():
        place = settings.places["tags", key]
        yield Explained(profile.name, "server.Profile", f"Tags.{key}", value, _whose(place) or "design", place)
    if template := profile.spec.get("template"):
        place = settings.places["profile",]
        yield Explained(profile.name, "server.Profile", "SrcTemplate", template, _whose(place) or "design", place)
    for policy in profile.policies:
        if policy.object_type == "bios.Policy":
            yield from _bios(server, settings, policy.name, policy.object_type)
        else:
            yield from _policy(policy, settings)


def _bios(server: Server, settings: Effective, name: str, kind: str) -> Iterator[Explained]:
    model, gpus = server_model(server.model), gpu_count(server)
    reasons = {token: reason for token, (_, reason) in bios.defaults(model, gpus).items()}
    smt = settings.settings.smt
    threads = bios.multithreading(model, smt.enabled) if smt is not None else {}
    values = bios.attributes(model, gpus, settings.settings)
    for token, value in {**values, **dict.fromkeys(set(settings.settings.bios) - set(values))}.items():
        place = settings.places.get(("bios", token)) or (settings.places["smt",] if token in threads else ())
        reason = smt.reason if smt is not None and token in threads else "" if place else reasons[token]
        yield Explained(name, kind, token, value, _whose(place) or "catalogue", place, reason)


def _policy(policy: IntersightObject, settings: Effective) -> Iterator[Explained]:
    kind = policy.object_type
    extra = next((key for key, each in settings.settings.policies.items() if each.type == kind), None)
    for key, value in (*policy.properties.items(), *_targets(policy)):
        place = settings.places.get((_FIELDS.get(kind, ""), key), ())
        if extra is not None:
            place = (*settings.places["policies", extra], _section(policy, key), key)
        yield _explained(policy, kind, "", key, value, place)
    for child in policy.children:
        defined = settings.settings.vnics.get(child.name)
        for key, value in (*child.properties.items(), *_targets(child)):
            place = ()
            if extra is not None:
                place = (*settings.places["policies", extra], "children", child.name, _section(child, key), key)
            elif child.object_type == "storage.DriveGroup":
                place = (*settings.places["drive_groups", child.name], key)
            elif defined is not None and key == "SrcTemplate":
                place = (*settings.places["vnics", child.name], "derived")
            elif defined is not None and key in defined.properties:
                place = (*settings.places["vnics", child.name], "properties", key)
            elif defined is not None and defined.vlans is not None and key in _VLANS:
                place = (*settings.places["vnics", child.name], "vlans")
            yield _explained(policy, child.object_type, f"{child.name}.", key, value, place)


def _explained(policy: IntersightObject, kind: str, prefix: str, key: str, value: Any, place: Loc) -> Explained:
    section = "`intersight.management`" if policy.object_type in _MANAGEMENT else ""
    reason = "" if place else _REASONS.get((kind, key), section)
    return Explained(policy.name, policy.object_type, f"{prefix}{key}", value, _whose(place) or "design", place, reason)


def _section(owner: IntersightObject | Child, key: str) -> str:
    return "properties" if key in owner.properties else "references"


def _targets(owner: IntersightObject | Child) -> Iterator[tuple[str, str]]:
    """Names of the objects that one refers to, by property."""
    for key, value in owner.references.items():
        targets = value if isinstance(value, tuple) else (value,)
        yield key, ", ".join(each["name"] for each in targets)


def _whose(place: Loc) -> Literal["server", "role"] | None:
    if not place:
        return None
    return "server" if place[0] == "servers" else "role"
