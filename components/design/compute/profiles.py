"""Server profiles for what Intersight manages: standalone rack servers and blades behind Fabric Interconnects."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.design.compute import bios, network
from podwright.components.design.compute.model import SCHEMA, IntersightObject, Profile, carried, digest
from podwright.components.design.hardware import ServerModel, gpu_count, server_model
from podwright.components.model import Pair, Server, Site

GPU_FANS = "HighPower"
FANS = "Balanced"


@dataclass
class Bucket:
    """Objects made so far, by name: servers that want the same policy share it."""

    role: str
    """Every object's name begins with it."""
    objects: dict[str, IntersightObject]

    def add(
        self,
        object_type: str,
        name: str,
        properties: Mapping[str, Any],
        references: Mapping[str, Mapping[str, str]] | None = None,
    ) -> IntersightObject:
        """The policy of this name, made at first use."""
        made = IntersightObject(object_type, f"{self.role}-{name}", properties, references or {})
        return self.objects.setdefault(made.name, made)


def server_profiles(
    servers: Mapping[str, Server], organization: str, site: Site, frontend: Pair | None, bucket: Bucket
) -> Iterator[Profile]:
    """One profile per server that Intersight manages, bound by serial number.

    Profiles are staged: Intersight hands the settings over, and those that need a reboot wait for the next one, which
    is the installation's or a roll-out's. Nothing here restarts a server. The digest makes a changed policy a change
    of the profile, so that it is handed over too.
    """
    for name, server in servers.items():
        model = server_model(server.model)
        if model.manager != "intersight":
            continue
        policies = (
            *_every(site, bucket),
            _bios(server, model, bucket),
            _boot(server, bucket),
            _thermal(server, model, bucket),
            *network.policies(bucket.role, server.object_name or name, server, frontend, bucket.objects),
        )
        yield Profile(
            name,
            {
                "schema": SCHEMA,
                "name": name,
                "organization": organization,
                "target_platform": model.platform,
                "serial": server.serial,
                "model": server.model,
                **({"server_family": bios.FAMILIES[model.name]} if model.name in bios.FAMILIES else {}),
                "policies": [policy.reference for policy in policies],
                "action": "stage",
                "approved_disruptions": [],
                "digest": digest([each.spec("") for each in carried(policies, bucket.objects)]),
            },
            policies,
        )


def _every(site: Site, bucket: Bucket) -> Iterator[IntersightObject]:
    """Policies that every server has alike."""
    # Intersight's default time zone is Pacific/Niue.
    yield bucket.add("ntp.Policy", "ntp", {"Enabled": True, "NtpServers": list(site.ntp), "Timezone": "Etc/GMT"})
    yield bucket.add("kvm.Policy", "kvm", {"Enabled": True, "EnableVideoEncryption": True, "MaximumSessions": 4})
    yield bucket.add("vmedia.Policy", "vmedia", {"Enabled": True, "Encryption": True, "LowPowerUsb": False})
    # After a feed fails and returns, a server comes back as it was: one that was shut for repair stays off.
    yield bucket.add("power.Policy", "power", {"PowerRestoreState": "LastState"})
    # Disks are the operating system's: nothing here makes or breaks an array.
    yield bucket.add(
        "storage.StoragePolicy", "storage", {"UnusedDisksState": "NoChange", "UseJbodForVdCreation": False}
    )
    if site.syslog is not None:
        yield bucket.add("syslog.Policy", "syslog", _syslog(site.syslog))


def _syslog(host: str) -> dict[str, Any]:
    local, remote = "syslog.LocalFileLoggingClient", "syslog.RemoteLoggingClient"
    return {
        "LocalClients": [{"ClassId": local, "ObjectType": local, "MinSeverity": "warning"}],
        "RemoteClients": [
            {
                "ClassId": remote,
                "ObjectType": remote,
                "Enabled": True,
                "Hostname": host,
                "MinSeverity": "warning",
                "Port": 514,
                "Protocol": "udp",
            }
        ],
    }


def _bios(server: Server, model: ServerModel, bucket: Bucket) -> IntersightObject:
    gpus = gpu_count(server)
    name = f"bios-{model.name.lower()}" + (f"-{gpus}gpu" if gpus else "")
    return bucket.add("bios.Policy", name, bios.policy(model, gpus))


def _boot(server: Server, bucket: Bucket) -> IntersightObject:
    """Disk first, so that a finished server never meets the installer again; the image boots by a one-time override.

    Secure Boot stays off: GPU and NIC drivers are built on the node and carry no signature the firmware knows.
    """
    nvme = server.disk.startswith("/dev/nvme")
    disk = _device("boot.Nvme", "disk") if nvme else _device("boot.LocalDisk", "disk")
    image = _device("boot.VirtualMedia", "image") | {"Subtype": "cimc-mapped-dvd"}
    properties = {"ConfiguredBootMode": "Uefi", "EnforceUefiSecureBoot": False, "BootDevices": [disk, image]}
    return bucket.add("boot.PrecisionPolicy", "boot-nvme" if nvme else "boot-disk", properties)


def _device(kind: str, name: str) -> dict[str, Any]:
    return {"ClassId": kind, "ObjectType": kind, "Name": name, "Enabled": True}


def _thermal(server: Server, model: ServerModel, bucket: Bucket) -> IntersightObject:
    """Blades are cooled by their chassis; a rack server with GPUs needs more air than its own sensors ask for."""
    hot = gpu_count(server) > 0 and model.platform == "Standalone"
    return bucket.add(
        "thermal.Policy", f"fans-{'gpu' if hot else 'plain'}", {"FanControlMode": GPU_FANS if hot else FANS}
    )
