"""What a server profile's policies do to the machine in the world, and which of them need it to reboot."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from podwright.lab.intersight.rules import PARENTS
from podwright.lab.intersight.store import Mo, Store
from podwright.lab.redfish import registry
from podwright.lab.world.model import Server, World

# Policies whose change the host sees only after a reboot [inf: UEFI settings, PCIe topology, boot order, firmware].
REBOOT = frozenset(
    {
        "adapter.ConfigPolicy",
        "boot.PrecisionPolicy",
        "compute.PcieConnectivityPolicy",
        "firmware.Policy",
        "memory.Policy",
        "storage.StoragePolicy",
        "vnic.LanConnectivityPolicy",
        "UUID",
    }
)
BOOT_CLASSES: Mapping[str, str] = {
    "boot.VirtualMedia": "Cd",
    "boot.Pxe": "Pxe",
    "boot.LocalDisk": "Hdd",
    "boot.Nvme": "Hdd",
    "boot.PchStorage": "Hdd",
    "boot.San": "Hdd",
}
UNNOTICED: Mapping[str, frozenset[str] | None] = {
    "fabric.EthNetworkControlPolicy": None,
    "fabric.EthNetworkGroupPolicy": None,
    "macpool.Pool": None,
    "vnic.EthIf": frozenset({"FabricEthNetworkControlPolicy", "FabricEthNetworkGroupPolicy", "PinGroupName"}),
    "vnic.EthQosPolicy": frozenset({"Burst", "Cos", "Priority", "RateLimit", "TrustHostCos"}),
}
"""Of a policy that needs a reboot and what it names, properties (None: all) of the virtual interface on the Fabric
Interconnect, which the host never sees [netascode.cisco.com, Ethernet Network Group Policy: "maps to the vethernet
configuration on the Fabric Interconnect"; SDK, fabric.VlanSettings, fabric.EthNetworkControlPolicy; for the QoS: inf].
"""
_UUID = ("UuidAddressType", "UuidPool", "StaticUuidAddress")
FAMILY = "UCSC845A"
"""Of server.Profile.ServerFamily and bios.Policy.Model: the one family with tokens of its own."""
UNSEEN = frozenset(
    {
        "AccountMoid",
        "Ancestors",
        "CreateTime",
        "Description",
        "DomainGroupMoid",
        "ModTime",
        "Moid",
        "Organization",
        "OverriddenList",
        "Owners",
        "Parent",
        "PermissionResources",
        "Profiles",
        "SharedScope",
        "SrcTemplate",
        "Tags",
        "TemplateActions",
        "TemplateSyncErrors",
        "VersionContext",
    }
)


def c845a_checked(world: World) -> bool:
    """Whether family and model must be those of a C845A for it."""
    return world.variants["c845a"] == "checked"


def policies(store: Store, profile: Mo) -> dict[str, Mo]:
    """Type → policy of the bucket."""
    return {r["ObjectType"]: p for r in profile["PolicyBucket"] if (p := store.target(r))}


def closure(store: Store, policy: Mo) -> Iterator[Mo]:
    """The policy, its children and every policy and pool they name."""
    waiting, seen = [policy], set()
    while waiting:
        mo = waiting.pop()
        if mo["Moid"] in seen:
            continue
        seen.add(mo["Moid"])
        yield mo
        for name in store.schema.objects[mo["ObjectType"]].references():
            value = mo.get(name) if name not in UNSEEN and name != PARENTS.get(mo["ObjectType"]) else None
            waiting += [t for r in (value if isinstance(value, list) else [value]) if (t := store.target(r))]
        for child, parent in PARENTS.items():
            waiting += [c for c in store.of(child) if (c.get(parent) or {}).get("Moid") == mo["Moid"]]


def digest(store: Store, policy: Mo) -> str:
    """Fingerprint of what a policy means: its own settings and those of everything in its closure.

    Its first half is that of what the host sees, at its next start.
    """
    whole = [_complete(store, mo) for mo in closure(store, policy)]
    return f"{_fingerprint(filter(None, map(_seen_by_host, whole)))}.{_fingerprint(whole)}"


def _seen_by_host(mo: Mo) -> Mo | None:
    unnoticed = UNNOTICED.get(mo["ObjectType"], frozenset())
    return None if unnoticed is None else {k: v for k, v in mo.items() if k not in unnoticed}


def _complete(store: Store, mo: Mo) -> Mo:
    """What an object means: a merge leaves parts in nested values that nobody wrote, at their defaults."""
    properties = store.schema.objects[mo["ObjectType"]].properties
    return {
        k: store.schema.completed(properties[k], v) if k in properties else v for k, v in mo.items() if k not in UNSEEN
    }


def _fingerprint(parts: Iterable[Mo]) -> str:
    return hashlib.sha256("\n".join(sorted(json.dumps(part, sort_keys=True) for part in parts)).encode()).hexdigest()


def need_reboot(before: Mapping[str, str], now: Mapping[str, str]) -> bool:
    """Whether the host must restart between two sets of fingerprints by policy type; BIOS settings are asked apart."""
    halves = [{name: text.partition(".")[0] for name, text in each.items()} for each in (before, now)]
    return any(halves[0].get(name) != halves[1].get(name) for name in REBOOT)


def digests(store: Store, profile: Mo, known: dict[str, str] | None = None) -> dict[str, str]:
    """Policy type → fingerprint, for the whole bucket. `known` keeps fingerprints of shared policies by Moid."""
    known = {} if known is None else known
    out = {}
    for name, policy in policies(store, profile).items():
        if policy["Moid"] not in known:
            known[policy["Moid"]] = digest(store, policy)
        out[name] = known[policy["Moid"]]
    if profile.get("UuidAddressType", "NONE") != "NONE":
        out["UUID"] = _fingerprint([{name: profile.get(name) for name in _UUID}])
    return out


def bios_wanted(store: Store, profile: Mo, server: Server, checked: bool) -> dict[str, object]:
    """BIOS attributes that the profile asks of this board; tokens of the other CPU vendor are passed over.

    `checked`: the variant in which tokens of a C845A count in a policy for that model alone.
    """
    policy = policies(store, profile).get("bios.Policy")
    if policy is None:
        return {}
    out: dict[str, object] = {}
    own = server.model == registry.OWN_TOKENS and (not checked or policy.get("Model") == FAMILY)
    tokens = {**policy, **_own_tokens(policy)} if own else policy
    for name, values in registry.allowed(server).items():
        value = tokens.get(name)
        if value == "platform-default":
            out[name] = values[0]
        elif value in values:
            out[name] = value
    return out


def _own_tokens(policy: Mo) -> dict[str, str]:
    """Token → value of a policy's `bios.C845ServerBiosConfiguration`."""
    return {
        token["ClassId"].removeprefix("bios.").removesuffix(registry.C845_TOKEN): token["Value"]
        for configuration in policy["BiosConfigurations"]
        for token in configuration.get("BiosTokens", [])
        if "Value" in token
    }


def disruptions(
    store: Store, profile: Mo, before: Mapping[str, str], now: Mapping[str, str], world: World, server: Server | None
) -> list[str]:
    """`["Reboot"]` when the host must restart for what differs between two sets of fingerprints, else `[]`.

    No host, no disruption.
    """
    if server is None:
        return []
    reboot = need_reboot(before, now)
    if before.get("bios.Policy") != now.get("bios.Policy"):
        with world.lock:
            live = world.host(server.name).bios
            wanted = bios_wanted(store, profile, server, c845a_checked(world))
            reboot |= any(live.get(k) != v for k, v in wanted.items())
    return ["Reboot"] if reboot else []


def configure(store: Store, profile: Mo, world: World, server: Server) -> bool:
    """Bring the policies to the machine. True when part of it waits for a reboot."""
    attached = policies(store, profile)
    with world.lock:
        host = world.host(server.name)
        wanted = bios_wanted(store, profile, server, c845a_checked(world))
        pending = {name: value for name, value in wanted.items() if host.bios.get(name) != value}
        for name in wanted:
            host.bios_pending.pop(name, None)
        host.bios_pending.update(pending)
        if "vmedia.Policy" in attached and _reachable(profile, attached, world):
            _mount(attached["vmedia.Policy"], world, server)
        if "boot.PrecisionPolicy" in attached:
            _boot_order(attached["boot.PrecisionPolicy"], world, server)
        smbios = uuid_wanted(profile)
        host.uuid_pending = smbios if smbios != host.uuid else None
    return bool(pending) or host.uuid_pending is not None


def uuid_wanted(profile: Mo) -> str:
    """The UUID that a profile gives its server; empty where it leaves the server its own."""
    given = {"POOL": "Uuid", "STATIC": "StaticUuidAddress"}.get(profile.get("UuidAddressType", "NONE"))
    return str(profile.get(given) or "") if given else ""


def _reachable(profile: Mo, attached: Mapping[str, Mo], world: World) -> bool:
    """Whether a server's controller has an address: its own, or one of an IMC access policy behind interconnects."""
    behind = profile.get("TargetPlatform") == "FIAttached"
    return not behind or "access.Policy" in attached or world.variants["media"] == "mounted"


def _mount(policy: Mo, world: World, server: Server) -> None:
    url = image_url(policy) if policy.get("Enabled", True) else None
    if url:
        world.insert_media(server.name, url)


def image_url(policy: Mo) -> str | None:
    """The image that the first http(s) CD mapping of a virtual media policy names."""
    for mapping in policy["Mappings"]:
        protocol = mapping.get("MountProtocol", "nfs")
        if protocol in ("http", "https") and mapping.get("DeviceType", "cdd") == "cdd":
            location: str = mapping.get("FileLocation") or ""
            if not location:
                path = "/".join(filter(None, (mapping.get(k, "").strip("/") for k in ("RemotePath", "RemoteFile"))))
                location = f"{mapping.get('HostName', '')}/{path}"
            return location if "://" in location else f"{protocol}://{location}"
    return None


def boot_target(policy: Mo, name: str | None = None) -> Any:
    """What the device called `name` (or the first enabled one) of a boot order starts from; None if nothing."""
    for device in policy["BootDevices"]:
        if (name is None and device.get("Enabled", True)) or (name is not None and device.get("Name") == name):
            return BOOT_CLASSES.get(device["ClassId"])
    return None


def _boot_order(policy: Mo, world: World, server: Server) -> None:
    target = boot_target(policy)
    if target is not None and not world.host(server.name).boot_once:
        world.set_boot(server.name, target, once=False)
