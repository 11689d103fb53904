"""Server profiles for what Intersight manages: standalone rack servers and blades behind Fabric Interconnects."""

from collections.abc import Iterator, Mapping
from typing import Any

from podwright.components.design.compute import bios, network
from podwright.components.design.compute import extra as extras
from podwright.components.design.compute.bucket import Bucket
from podwright.components.design.compute.certificates import certificate
from podwright.components.design.compute.management import management_policies, syslog
from podwright.components.design.compute.model import (
    DISKS,
    SCHEMA,
    Child,
    IntersightObject,
    Profile,
    digests,
    wiping,
)
from podwright.components.design.hardware import ServerModel, gpu_count, platform, server_model, takes
from podwright.components.model import ADDED_FIELDS, Effective, Intersight, Pair, Server, Site, named_secrets

GPU_FANS = "HighPower"
FANS = "Balanced"


def server_profiles(
    servers: Mapping[str, Server],
    settings: Mapping[str, Effective],
    account: Intersight,
    site: Site,
    frontend: Pair | None,
    bucket: Bucket,
) -> Iterator[Profile]:
    """One profile per server that Intersight manages, bound by serial number. `settings` are by host name.

    Profiles are staged: Intersight hands the settings over, and those that need a reboot wait for the next one, which
    is the installation's or a roll-out's. Nothing here restarts a server. The digest makes a changed policy a change
    of the profile, so that it is handed over too; the second one changes when the server must restart for it.
    """
    for name, server in servers.items():
        model = server_model(server.model)
        if model.manager != "intersight":
            continue
        own = settings[name]
        extra = list(extras.policies(bucket.role, own, bucket.objects))
        replaced = {each.object_type for each in extra}
        made = Bucket(bucket.role, {})
        designed = (
            *_every(site, own, made),
            _bios(server, model, own, made),
            _boot(server, own, made),
            _thermal(server, model, made),
            *network.policies(bucket.role, server.object_name or name, server, own, frontend, made.objects),
            *management_policies(account.management, made),
            *certificate(name, server, made),
        )
        kept = [each for each in designed if each.object_type not in replaced and takes(server, each.object_type)]
        bucket.take(kept, made)
        policies = (*kept, *extra)
        yield Profile(
            name,
            {
                "schema": SCHEMA,
                "name": name,
                "organization": account.organization,
                "target_platform": platform(server),
                "serial": server.serial,
                "model": server.model,
                **({"server_family": bios.FAMILIES[model.name]} if model.name in bios.FAMILIES else {}),
                "policies": [policy.reference for policy in policies],
                "action": "stage",
                "approved_disruptions": [],
                **digests(policies, bucket.objects),
                **wiping(policies, bucket.objects),
                **({"tags": dict(own.settings.tags)} if own.settings.tags else {}),
                **({"leave": server.leave} if server.leave else {}),
            },
            policies,
        )


def _every(site: Site, settings: Effective, bucket: Bucket) -> Iterator[IntersightObject]:
    """Policies that every server has, and most have alike."""
    # Intersight's default time zone is Pacific/Niue.
    yield bucket.add("ntp.Policy", "ntp", {"Enabled": True, "NtpServers": list(site.ntp), "Timezone": "Etc/GMT"})
    yield bucket.add("kvm.Policy", "kvm", {"Enabled": True, "EnableVideoEncryption": True, "MaximumSessions": 4})
    yield bucket.add("vmedia.Policy", "vmedia", {"Enabled": True, "Encryption": True, "LowPowerUsb": False})
    # After a feed fails and returns, a server comes back as it was: one that was shut for repair stays off.
    yield bucket.add("power.Policy", "power", {"PowerRestoreState": "LastState"})
    yield _disks(settings, bucket)
    yield from _added(settings, bucket)
    if site.syslog is not None:
        yield syslog(site.syslog, bucket)


def _bios(server: Server, model: ServerModel, settings: Effective, bucket: Bucket) -> IntersightObject:
    gpus = gpu_count(server)
    shared = f"bios-{model.name.lower()}" + (f"-{gpus}gpu" if gpus else "")
    name = _named(shared, "bios", settings.owner("bios", "smt"), settings)
    return bucket.add("bios.Policy", name, bios.policy(model, gpus, settings.settings))


def _named(shared: str, kind: str, owner: str, settings: Effective) -> str:
    """Name of a policy: the one of all servers alike, that with the role's, or the server's own."""
    if owner == settings.server:
        return f"{kind}-{owner}"
    return f"{shared}-{owner}" if owner else shared


def _disks(settings: Effective, bucket: Bucket) -> IntersightObject:
    """Disks are the operating system's: nothing here makes or breaks an array that nobody defined."""
    name = _named("storage", "storage", settings.owner("disks", "drive_groups"), settings)
    groups = tuple(
        Child("storage.DriveGroup", key, extras.filled(group)) for key, group in settings.settings.drive_groups.items()
    )
    return bucket.add("storage.StoragePolicy", name, extras.over(DISKS, settings.settings.disks), children=groups)


def _added(settings: Effective, bucket: Bucket) -> Iterator[IntersightObject]:
    """Policies that a server has where the file defines them."""
    for kind, field in ADDED_FIELDS.items():
        if values := extras.filled(named_secrets(kind, getattr(settings.settings, field))):
            label = field.replace("_", "-")
            yield bucket.add(kind, _named(label, label, settings.owner(field), settings), values)


def _boot(server: Server, settings: Effective, bucket: Bucket) -> IntersightObject:
    """Disk first, so that a finished server never meets the installer again; the image boots by a one-time override.

    Secure Boot stays off: GPU and NIC drivers are built on the node and carry no signature the firmware knows.
    """
    nvme = server.disk.startswith("/dev/nvme")
    disk = _device("boot.Nvme", "disk") if nvme else _device("boot.LocalDisk", "disk")
    image = _device("boot.VirtualMedia", "image") | {"Subtype": "cimc-mapped-dvd"}
    properties = {"ConfiguredBootMode": "Uefi", "EnforceUefiSecureBoot": False, "BootDevices": [disk, image]}
    name = _named("boot-nvme" if nvme else "boot-disk", "boot", settings.owner("boot"), settings)
    return bucket.add("boot.PrecisionPolicy", name, extras.over(properties, settings.settings.boot))


def _device(kind: str, name: str) -> dict[str, Any]:
    return {"ClassId": kind, "ObjectType": kind, "Name": name, "Enabled": True}


def _thermal(server: Server, model: ServerModel, bucket: Bucket) -> IntersightObject:
    """Blades are cooled by their chassis; a rack server with GPUs needs more air than its own sensors ask for."""
    hot = gpu_count(server) > 0 and not model.slots
    return bucket.add(
        "thermal.Policy", f"fans-{'gpu' if hot else 'plain'}", {"FanControlMode": GPU_FANS if hot else FANS}
    )
