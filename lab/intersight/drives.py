"""What Intersight refuses of storage policies and drive groups, by the descriptions of Cisco's own API document.

`storage.AutomaticDriveGroup.DrivesPerSpan` has the least numbers of drives of a span by RAID level,
`NumberOfSpans` that levels which are not nested have one, `storage.VirtualDriveConfiguration.Size` that it is
mandatory, `storage.StoragePolicy.UnusedDisksState` and `UseJbodForVdCreation` what goes with which default mode. That
they are refused when they are written, and in which words, is [?].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.lab.intersight import errors

LEAST = {"Raid0": 1, "Raid1": 2, "Raid10": 2, "Raid5": 3, "Raid50": 3, "Raid6": 4, "Raid60": 4}
PAIRED = ("Raid1", "Raid10")
NESTED = ("Raid10", "Raid50", "Raid60")


def check(kind: str, mo: Mapping[str, Any]) -> None:
    """Raises ApiError for a storage policy or a drive group, as it would be after the write, that contradicts
    itself."""
    if kind == "storage.StoragePolicy":
        _modes(mo)
    elif kind == "storage.DriveGroup":
        _group(mo)


def _modes(mo: Mapping[str, Any]) -> None:
    mode = mo.get("DefaultDriveMode")
    if mode in ("Jbod", "RAID0") and mo.get("UnusedDisksState", "NoChange") != "NoChange":
        raise errors.bad_value("storage.StoragePolicy.UnusedDisksState", f"It must be NoChange with {mode}.")
    if mode == "Jbod" and mo.get("UseJbodForVdCreation"):
        raise errors.bad_value("storage.StoragePolicy.UseJbodForVdCreation", "It must be disabled with Jbod.")


def _group(mo: Mapping[str, Any]) -> None:
    level = str(mo.get("RaidLevel") or "Raid0")
    manual, automatic = mo.get("ManualDriveGroup") or {}, mo.get("AutomaticDriveGroup") or {}
    spans = [_slots(str(span.get("Slots") or "")) for span in manual.get("SpanGroups") or []]
    named = [slot for span in [*spans, _slots(str(manual.get("DedicatedHotSpares") or ""))] for slot in span]
    if len(named) != len(set(named)):
        raise errors.bad_value("storage.DriveGroup.ManualDriveGroup", "A drive is named twice.")
    if spans:
        _spans(level, [len(span) for span in spans])
    elif automatic.get("DrivesPerSpan") and not automatic.get("UseRemainingDrives"):
        _spans(level, [automatic["DrivesPerSpan"]] * (automatic.get("NumberOfSpans") or 1))
    for drive in mo.get("VirtualDrives") or []:
        if not drive.get("ExpandToAvailable") and not drive.get("Size"):
            raise errors.required("storage.VirtualDriveConfiguration.Size")


def _spans(level: str, sizes: list[int]) -> None:
    where = "storage.DriveGroup.RaidLevel"
    if (level in NESTED) != (len(sizes) > 1):
        raise errors.bad_value(where, f"{len(sizes)} spans do not fit {level}.")
    if any(size < LEAST[level] or (level in PAIRED and size % 2) for size in sizes):
        raise errors.bad_value(where, f"{level} takes {LEAST[level]} drives or more in a span.")


def _slots(text: str) -> list[int]:
    found: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found
