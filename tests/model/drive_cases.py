"""Wrong drives and added policies of a role of blades (X210c M7, six drives): place below it, message and hint."""

from typing import Any

EXPAND = [{"Name": "data", "ExpandToAvailable": True}]


def manual(level: str, *slots: str, **more: Any) -> dict[str, Any]:
    """Settings with one drive group of these spans."""
    group = {
        "RaidLevel": level,
        "ManualDriveGroup": {"SpanGroups": [{"Slots": each} for each in slots]},
        "VirtualDrives": EXPAND,
        **more,
    }
    return {"drive_groups": {"data": group}}


def automatic(level: str, **properties: Any) -> dict[str, Any]:
    """Settings with one drive group that Intersight chooses the drives of."""
    return {"drive_groups": {"data": {"RaidLevel": level, "AutomaticDriveGroup": properties}}}


GROUP = ("drive_groups", "data")
SPANS = (*GROUP, "ManualDriveGroup", "SpanGroups")
RIGHT: dict[str, dict[str, Any]] = {
    "a mirror": manual("Raid1", "1-2"),
    "two mirrors, striped": manual("Raid10", "1-2", "3,4"),
    "one drive": manual("Raid0", "6"),
    "five with parity and a spare": manual("Raid5", "1-5"),
    "drives of Intersight's choice": automatic("Raid10", NumberOfSpans=2, DrivesPerSpan=2),
    "the rest of them": automatic("Raid5", UseRemainingDrives=True),
    "a key": {"drive_security": {"KeySetting": {"KeyType": "Manual"}}, **manual("Raid1", "1-2", SecureDriveGroup=True)},
    "memory that leaves out what fails": {"memory": {"EnableDimmBlocklisting": True}},
    "disks erased when the profile leaves": {"scrub": {"ScrubTargets": ["Disk"]}},
}
WRONG: dict[str, tuple[dict[str, Any], tuple[Any, ...], str, str]] = {
    "a property nobody has": (
        {"drive_groups": {"data": {**manual("Raid1", "1-2")["drive_groups"]["data"], "RaidLevl": "Raid1"}}},
        (*GROUP, "RaidLevl"),
        "has no property",
        "`RaidLevel`",
    ),
    "a mirror of one": (manual("Raid1", "1"), (*SPANS, 0, "Slots"), "at least 2 drives, not 1", "add"),
    "a mirror of three": (manual("Raid1", "1-3"), (*SPANS, 0, "Slots"), "in pairs, not 3", "add a drive"),
    "parity of two": (manual("Raid5", "1-2"), (*SPANS, 0, "Slots"), "at least 3", "add"),
    "one span of several": (manual("Raid10", "1-4"), SPANS, "2 to 8 spans, not 1", "divide"),
    "several of one": (manual("Raid1", "1-2", "3-4"), SPANS, "one span, not 2", "Raid10"),
    "spans of different size": (manual("Raid10", "1-2", "3-6"), SPANS, "different numbers", "as many"),
    "no drives": (
        {"drive_groups": {"data": {"ManualDriveGroup": {"SpanGroups": []}}}},
        (*GROUP, "ManualDriveGroup"),
        "has no drives",
        "SpanGroups",
    ),
    "neither way": ({"drive_groups": {"data": {"RaidLevel": "Raid1"}}}, GROUP, "one of them alone", "SpanGroups"),
    "a place that is none": (manual("Raid1", "6-7"), (*SPANS, 0, "Slots"), "no drive slot 7", "slots: 1-6"),
    "more than there are": (
        automatic("Raid10", NumberOfSpans=2, DrivesPerSpan=4),
        (*GROUP, "AutomaticDriveGroup"),
        "places for 6 drives, not 8",
        "fewer",
    ),
    "a drive twice": (
        {**manual("Raid1", "1-2"), "disks": {"GlobalHotSpares": "2"}},
        ("disks", "GlobalHotSpares"),
        "drive 2 is used already, by group data",
        "leave it out",
    ),
    "no size": (
        manual("Raid1", "1-2", VirtualDrives=[{"Name": "data"}]),
        (*GROUP, "VirtualDrives", 0),
        "has no size",
        "ExpandToAvailable",
    ),
    "two to boot from": (
        manual("Raid1", "1-2", VirtualDrives=[{"Name": x, "Size": 1000, "BootDrive": True} for x in "ab"]),
        (*GROUP, "VirtualDrives", 1, "BootDrive"),
        "boot drive already",
        "false",
    ),
    "no key": (
        manual("Raid1", "1-2", SecureDriveGroup=True),
        (*GROUP, "SecureDriveGroup"),
        "there is none",
        "drive_security",
    ),
    "a second M.2 controller": (
        {"disks": {"M2VirtualDrive": {"Enable": True, "ControllerSlot": "MSTOR-RAID-2"}}},
        ("disks", "M2VirtualDrive", "ControllerSlot"),
        "takes 1 M.2 RAID controller",
        "MSTOR-RAID-1",
    ),
    "modes that exclude each other": (
        {"disks": {"DefaultDriveMode": "RAID0", "UnusedDisksState": "Jbod"}},
        ("disks", "UnusedDisksState"),
        "keep their state",
        "NoChange",
    ),
    "a standalone server's on a blade": (
        {"adapter": {"Settings": [{"SlotId": "MLOM"}]}},
        ("adapter",),
        "behind Fabric Interconnects, takes no adapter.ConfigPolicy",
        "other servers",
    ),
    "the type twice": (
        {"memory": {"EnableDimmBlocklisting": True}, "policies": {"more": {"type": "memory.Policy"}}},
        ("policies", "more", "type"),
        "has a memory.Policy already, by `memory`",
        "delete one",
    ),
    "a target that is none": ({"scrub": {"ScrubTargets": ["Disks"]}}, ("scrub", "ScrubTargets", 0), "one of", "Disk"),
}
