"""Drive groups, M.2 pairs and keys of drives: what no server of the model could make."""

from collections.abc import Iterator, Mapping
from typing import Any

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.catalogue.drives import DRIVES, MIRRORS, MOST_SPANS, NESTED, RAID_MINIMUM, Drives
from podwright.components.model.compute import Server
from podwright.components.model.effective import Effective
from podwright.components.model.problems import Loc, Problem

_SECURITY = "storage.DriveSecurityPolicy"
_WAYS = ("ManualDriveGroup", "AutomaticDriveGroup")


def on_server(name: str, server: Server, found: Effective) -> Iterator[Problem]:
    """What is wrong with the drives of one server, at the server or the role that has them."""
    model, drives = SERVERS.get(server.model), DRIVES.get(server.model)
    if model is None or model.manager != "intersight":
        return
    yield from _m2(name, server, found, drives)
    yield from _modes(found)
    places = {key: found.places["drive_groups", key] for key in found.settings.drive_groups}
    groups = {key: _Group(places[key], group) for key, group in found.settings.drive_groups.items()}
    for group in groups.values():
        if drives is not None and not drives.raid:
            message = f"{name} ({server.model}) has no RAID controller: each of its drives is wired to a processor"
            yield Problem(group.loc, message, "delete the group, or give it to other servers alone", at_key=True)
            continue
        yield from group.problems()
        if drives is not None:
            yield from group.beyond(f"{name} ({server.model})", drives)
    yield from _used_twice(found, groups)
    yield from _boots_twice(groups)
    yield from _without_key(found, groups)


class _Group:
    """A drive group, of which each part may be missing or of another shape: the table says so then."""

    def __init__(self, loc: Loc, group: Mapping[str, Any]) -> None:
        self.loc = loc
        self.group = group
        self.level = str(group.get("RaidLevel") or "Raid0")
        manual = _mapping(group.get("ManualDriveGroup"))
        self.manual = (*loc, "ManualDriveGroup")
        self.spans = [numbers(_mapping(span).get("Slots")) for span in _list(manual.get("SpanGroups"))]
        self.spares = numbers(manual.get("DedicatedHotSpares"))
        self.automatic = _mapping(group.get("AutomaticDriveGroup"))

    def problems(self) -> Iterator[Problem]:
        """What is wrong with the group on any server."""
        ways = [way for way in _WAYS if self.group.get(way)]
        if len(ways) != 1:
            message = f"a drive group has {' or '.join(_WAYS)}, and one of them alone"
            yield Problem(self.loc, message, "name the slots in ManualDriveGroup.SpanGroups", at_key=True)
        elif ways == ["ManualDriveGroup"]:
            yield from self._manual()
        else:
            yield from self._automatic()
        for position, each in enumerate(_list(self.group.get("VirtualDrives"))):
            drive = _mapping(each)
            if drive and not drive.get("ExpandToAvailable") and not drive.get("Size"):
                loc = (*self.loc, "VirtualDrives", position)
                yield Problem(loc, "the virtual drive has no size", "add Size in MiB, or ExpandToAvailable: true")

    def _manual(self) -> Iterator[Problem]:
        loc = (*self.manual, "SpanGroups")
        if not self.spans:
            yield Problem(self.manual, "the drive group has no drives", "add SpanGroups: [{Slots: 1-2}]", at_key=True)
            return
        yield from self._count(loc, len(self.spans))
        for position, span in enumerate(self.spans):
            yield from self._size((*loc, position, "Slots"), len(span))
        if len({len(span) for span in self.spans}) > 1:
            yield Problem(loc, "the spans have different numbers of drives", "give each as many drives as the others")

    def _automatic(self) -> Iterator[Problem]:
        loc = (*self.loc, "AutomaticDriveGroup")
        spans, drives = self.automatic.get("NumberOfSpans", 0), self.automatic.get("DrivesPerSpan", 1)
        if isinstance(drives, int) and not self.automatic.get("UseRemainingDrives"):
            yield from self._size((*loc, "DrivesPerSpan") if "DrivesPerSpan" in self.automatic else loc, drives)
        if isinstance(spans, int):
            yield from self._count((*loc, "NumberOfSpans") if "NumberOfSpans" in self.automatic else loc, spans or 1)

    def _count(self, loc: Loc, spans: int) -> Iterator[Problem]:
        if self.level in NESTED and not 2 <= spans <= MOST_SPANS:
            yield Problem(loc, f"{self.level} has 2 to {MOST_SPANS} spans, not {spans}", "divide its drives into spans")
        elif self.level not in NESTED and spans > 1:
            yield Problem(loc, f"{self.level} has one span, not {spans}", f"take one span, or {self.level}0")

    def _size(self, loc: Loc, drives: int) -> Iterator[Problem]:
        least = RAID_MINIMUM.get(self.level, 1)
        if drives < least:
            yield Problem(loc, f"a span of {self.level} has at least {least} drives, not {drives}", "add drives to it")
        elif self.level in MIRRORS and drives % 2:
            yield Problem(loc, f"a span of {self.level} has drives in pairs, not {drives}", "add a drive, or take one")

    def beyond(self, server: str, drives: Drives) -> Iterator[Problem]:
        """Drives that a server has no places for."""
        for loc, span in self.parts():
            if missing := sorted(span - drives.slots):
                yield Problem(loc, f"{server} has no drive slot {_few(missing)}", f"slots: {ranges(drives.slots)}")
        spans, each = self.automatic.get("NumberOfSpans", 0), self.automatic.get("DrivesPerSpan", 1)
        if self.automatic and isinstance(spans, int) and isinstance(each, int):
            wanted = (spans or 1) * each
            if wanted > len(drives.slots):
                message = f"{server} has places for {len(drives.slots)} drives, not {wanted}"
                yield Problem((*self.loc, "AutomaticDriveGroup"), message, "take fewer drives", at_key=True)

    def parts(self) -> Iterator[tuple[Loc, frozenset[int]]]:
        """Slots that the group names, and where."""
        for position, span in enumerate(self.spans):
            yield (*self.manual, "SpanGroups", position, "Slots"), span
        if self.spares:
            yield (*self.manual, "DedicatedHotSpares"), self.spares


def _m2(name: str, server: Server, found: Effective, drives: Drives | None) -> Iterator[Problem]:
    pair = _mapping(found.settings.disks.get("M2VirtualDrive"))
    if drives is None or not pair.get("Enable"):
        return
    loc = found.places["disks", "M2VirtualDrive"]
    slots = str(pair.get("ControllerSlot") or "MSTOR-RAID-1").split(",")
    if len(slots) > drives.m2_controllers or any(int(each[-1]) > drives.m2_controllers for each in slots if each):
        message = f"{name} ({server.model}) takes {drives.m2_controllers} M.2 RAID controller, in MSTOR-RAID-1"
        yield Problem((*loc, "ControllerSlot"), message, "write MSTOR-RAID-1")


def _modes(found: Effective) -> Iterator[Problem]:
    """Modes that exclude each other (Cisco's SDK, storage.StoragePolicy)."""
    disks = found.settings.disks
    mode = disks.get("DefaultDriveMode")
    if mode in ("Jbod", "RAID0") and disks.get("UnusedDisksState") in ("UnconfiguredGood", "Jbod"):
        message = f"with DefaultDriveMode {mode}, unused disks keep their state"
        yield Problem(found.places["disks", "UnusedDisksState"], message, "write NoChange, or delete this line")
    if mode == "Jbod" and disks.get("UseJbodForVdCreation"):
        message = "with DefaultDriveMode Jbod, no virtual drive is made of a disk in that mode"
        yield Problem(found.places["disks", "UseJbodForVdCreation"], message, "write false, or delete this line")


def _used_twice(found: Effective, groups: Mapping[str, _Group]) -> Iterator[Problem]:
    """A drive belongs to one span, or stands by for one group or for all."""
    parts = [(loc, span, f"group {key}") for key, group in groups.items() for loc, span in group.parts()]
    disks = found.settings.disks
    if "GlobalHotSpares" in disks:
        loc = found.places["disks", "GlobalHotSpares"]
        parts.append((loc, numbers(disks["GlobalHotSpares"]), "GlobalHotSpares"))
    if (single := _mapping(disks.get("Raid0Drive"))).get("Enable"):
        loc = (*found.places["disks", "Raid0Drive"], "DriveSlots")
        parts.append((loc, numbers(single.get("DriveSlots")), "Raid0Drive"))
    taken: dict[int, str] = {}
    for loc, span, what in parts:
        if both := sorted(span & set(taken)):
            hint = "leave it out here or there"
            yield Problem(loc, f"drive {_few(both)} is used already, by {taken[both[0]]}", hint)
        taken = dict.fromkeys(span, what) | taken


def _boots_twice(groups: Mapping[str, _Group]) -> Iterator[Problem]:
    first: Loc = ()
    for group in groups.values():
        for position, each in enumerate(_list(group.group.get("VirtualDrives"))):
            loc = (*group.loc, "VirtualDrives", position, "BootDrive")
            if _mapping(each).get("BootDrive") and first:
                yield Problem(loc, "another virtual drive is the boot drive already", "write BootDrive: false")
            elif _mapping(each).get("BootDrive"):
                first = loc


def _without_key(found: Effective, groups: Mapping[str, _Group]) -> Iterator[Problem]:
    """Encryption takes effect with a key alone (Cisco's SDK, storage.DriveGroup.SecureDriveGroup)."""
    if found.settings.drive_security or any(each.type == _SECURITY for each in found.settings.policies.values()):
        return
    hint = "add drive_security: {KeySetting: {KeyType: Manual, ManualKey: {NewKey: {secret: NAME}}}}"
    for group in groups.values():
        if group.group.get("SecureDriveGroup"):
            yield Problem((*group.loc, "SecureDriveGroup"), "drives are encrypted with a key, and there is none", hint)
    if found.settings.disks.get("SecureJbods"):
        loc = found.places["disks", "SecureJbods"]
        yield Problem(loc, "drives are encrypted with a key, and there is none", hint)


def numbers(text: object) -> frozenset[int]:
    """Slots of a text such as 1-3,5; none for what is no such text."""
    found: set[int] = set()
    for part in str(text or "").split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal() and int(last or first) - int(first) < 1000:
            found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


def ranges(slots: frozenset[int]) -> str:
    """Slots as a text: 1-24,101-104."""
    parts: list[list[int]] = []
    for slot in sorted(slots):
        if parts and parts[-1][1] == slot - 1:
            parts[-1][1] = slot
        else:
            parts.append([slot, slot])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


def _few(slots: list[int]) -> str:
    return ", ".join(map(str, slots[:4])) + (" and more" if len(slots) > 4 else "")


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
