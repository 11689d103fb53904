"""Whether a server starts from the disk that its operating system is installed to."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, items
from .inventory import (
    INSTALL,
    MACHINES,
    POLICY,
    PROFILE,
    Object,
    attached,
    children,
    machines,
    node_of,
    objects,
    of,
    properties,
    spec,
)
from .profiles import server_profiles

_STORAGE: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/storage/"
_NVME: Final = "/dev/nvme"
_KINDS: Final = {"boot.Nvme": True, "boot.LocalDisk": False}
"""Devices of a boot order that are disks, and whether it is an NVMe drive."""


def _same(resources: Sequence[Resource]) -> Iterator[Finding]:
    hosts = {
        str(host["name"]): str(host["disk"])
        for each in resources
        if each.type == INSTALL
        for host in items(spec(each).get("hosts"))
        if host.get("disk")
    }
    profiles = list(server_profiles(resources))
    if not hosts or not profiles:
        raise NotApplicable("no server with a profile is installed here")
    known, about_machines = objects(resources), machines(resources)
    for each in profiles:
        name = str(spec(each).get("name"))
        machine = about_machines.get(name)
        disk = hosts.get(node_of(machine) if machine else name)
        if disk is not None:
            own = attached(each, known)
            yield from (Finding(f"{each.name} installs to {disk}: {text}", each.urn) for text in _wrong(disk, own))


def _wrong(disk: str, own: Mapping[str, Resource]) -> Iterator[str]:
    storage, order = own.get("storage.StoragePolicy"), own.get("boot.PrecisionPolicy")
    if storage is not None and disk.startswith(_NVME):
        for drive in _made(storage):
            yield f"{storage.name} makes {drive} to boot from, and a SATA or SAS controller's is no NVMe drive"
    if order is not None and disk.startswith("/dev/") and (first := _first(properties(order))) is not None:
        nvme = _KINDS[str(first.get("ObjectType"))]
        if nvme and disk.startswith("/dev/sd"):
            yield f"{order.name} boots an NVMe drive first"
        if not nvme and disk.startswith(_NVME):
            yield f"{order.name} boots a SCSI disk first"


def _made(storage: Resource) -> Iterator[str]:
    """Virtual drives that the policy makes for the operating system."""
    pair: Any = properties(storage).get("M2VirtualDrive") or {}
    if pair.get("Enable"):
        yield "the M.2 virtual drive"
    for group in children(storage, "storage.DriveGroup"):
        for drive in items((group.get("properties") or {}).get("VirtualDrives")):
            if drive.get("BootDrive"):
                yield f"the virtual drive {drive.get('Name') or 'without a name'}"


def _first(values: Object) -> Object | None:
    """The first disk of a boot order."""
    devices = [each for each in items(values.get("BootDevices")) if each.get("Enabled", True)]
    return next((each for each in devices if each.get("ObjectType") in _KINDS), None)


DISKS: tuple[StackRule, ...] = (
    StackRule(
        id="compute-installs-to-the-boot-drive",
        title="A server is installed to the drive that it boots from",
        why="Installed to one drive and started from another, a server comes back without its system, or an old one.",
        fix="Name the virtual drive in the server's disk, such as /dev/sda, and boot it first; waive it where the M.2 "
        "controller is one for NVMe.",
        reference=_STORAGE,
        severity="high",
        excused_by=of(*MACHINES),
        types=of(PROFILE, POLICY, INSTALL, *MACHINES),
        compare=_same,
    ),
)
