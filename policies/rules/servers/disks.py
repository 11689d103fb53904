"""Whether a server starts from the disk that its operating system is installed to."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, items
from .asked import asked, each_of, holds, indexed, members, sifted
from .inventory import (
    INSTALL,
    MACHINES,
    POLICY,
    PROFILE,
    Object,
    Objects,
    attached,
    children,
    machines,
    node_of,
    objects,
    of,
    part,
    properties,
    shown,
    spec,
)
from .profiles import server_profiles

_STORAGE: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/storage/"
_NVME: Final = "/dev/nvme"
_KINDS: Final = {"boot.Nvme": True, "boot.LocalDisk": False}
"""Devices of a boot order that are disks, and whether it is an NVMe drive."""


def _same(resources: Sequence[Resource]) -> Iterator[Finding]:
    installs = (each for each in resources if each.type == INSTALL)
    there = asked(lambda each: members(spec(each).get("hosts")), installs)
    hosts = indexed(sifted(lambda host: host.get("disk"), there), lambda host: str(host["name"]))
    profiles = server_profiles(resources)
    if not holds(lambda _: True, hosts):
        raise NotApplicable("no server with a profile is installed here")
    known, about_machines = objects(resources), machines(resources)
    yield from asked(lambda each: _installed(each, hosts, about_machines, known), profiles)


def _installed(
    profile: Resource, hosts: Mapping[str, Object], about_machines: Mapping[str, Object], known: Objects
) -> Iterator[Finding]:
    name = str(spec(profile).get("name"))
    machine = about_machines.get(name)
    host = hosts.get(node_of(machine) if machine else name)
    if host is not None:
        disk, own = str(host["disk"]), attached(profile, known)
        for text in asked(lambda ask: ask(disk, own), (_makes, _starts)):
            yield Finding(f"{profile.name} installs to {disk}: {text}", profile.urn)


def _makes(disk: str, own: Mapping[str, Resource]) -> Iterator[str]:
    storage = own.get("storage.StoragePolicy") if disk.startswith(_NVME) else None
    if storage is None:
        return
    for drive in _made(storage):
        yield f"{storage.name} makes {drive} to boot from, and a SATA or SAS controller's is no NVMe drive"


def _starts(disk: str, own: Mapping[str, Resource]) -> Iterator[str]:
    order = own.get("boot.PrecisionPolicy") if disk.startswith("/dev/") else None
    if order is not None and (first := _first(properties(order))) is not None:
        nvme = _KINDS[str(first.get("ObjectType"))]
        if nvme and disk.startswith("/dev/sd"):
            yield f"{order.name} boots an NVMe drive first"
        if not nvme and disk.startswith(_NVME):
            yield f"{order.name} boots a SCSI disk first"


def _made(storage: Resource) -> Iterator[str]:
    """Virtual drives that the policy makes for the operating system."""
    return asked(lambda ask: ask(storage), (_pair, _groups))


def _pair(storage: Resource) -> Iterator[str]:
    if part(properties(storage), "M2VirtualDrive").get("Enable"):
        yield "the M.2 virtual drive"


def _groups(storage: Resource) -> Iterator[str]:
    groups = children(storage, "storage.DriveGroup")
    drives = asked(lambda group: members(part(group, "properties").get("VirtualDrives")), groups)
    boots = sifted(lambda drive: drive.get("BootDrive"), drives)
    return each_of(lambda drive: f"the virtual drive {shown(drive, 'Name', 'without a name')}", boots)


def _first(values: Object) -> Object | None:
    """The first disk of a boot order."""
    devices = (each for each in items(values.get("BootDevices")) if each.get("Enabled", True))
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
