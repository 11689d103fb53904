"""Storage policies, drive groups and what profiles of each platform take, refused as Intersight does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lab.intersight.conftest import Bench

EXPAND = [{"Name": "data", "ExpandToAvailable": True}]
REFUSED: dict[str, dict[str, Any]] = {
    "a mirror of one": {"RaidLevel": "Raid1", "ManualDriveGroup": {"SpanGroups": [{"Slots": "1"}]}},
    "a mirror of three": {"RaidLevel": "Raid1", "ManualDriveGroup": {"SpanGroups": [{"Slots": "1-3"}]}},
    "one span of several": {"RaidLevel": "Raid10", "ManualDriveGroup": {"SpanGroups": [{"Slots": "1-4"}]}},
    "parity of two, chosen": {"RaidLevel": "Raid5", "AutomaticDriveGroup": {"DrivesPerSpan": 2}},
    "a drive twice": {"ManualDriveGroup": {"SpanGroups": [{"Slots": "1-2"}], "DedicatedHotSpares": "2"}},
    "no size": {"ManualDriveGroup": {"SpanGroups": [{"Slots": "1"}]}, "VirtualDrives": [{"Name": "data"}]},
}


def storage(bench: Bench, **more: Any) -> Any:
    return bench.client.create("storage/StoragePolicies", bench.named("disks", **more))


@pytest.mark.parametrize("group", REFUSED.values(), ids=REFUSED)
def test_a_group_that_contradicts_itself_is_refused_new_or_changed(bench: Bench, group: dict[str, Any]) -> None:
    parent = {"StoragePolicy": {"Moid": storage(bench)["Moid"]}}
    body = {"Name": "data", **parent, "VirtualDrives": EXPAND, **group}
    assert bench.client.refused("POST", "storage/DriveGroups", body)[0] == 400
    right = {"ManualDriveGroup": {"SpanGroups": [{"Slots": "1-2"}]}, "VirtualDrives": EXPAND}
    made = bench.client.create("storage/DriveGroups", {"Name": "data", **parent, "RaidLevel": "Raid1", **right})
    changed = {"ManualDriveGroup": None, **group} if "AutomaticDriveGroup" in group else {**right, **group}
    assert bench.client.refused("PATCH", f"storage/DriveGroups/{made['Moid']}", changed)[0] == 400


def test_a_group_is_listed_by_its_policy_and_goes_with_it(bench: Bench) -> None:
    policy = storage(bench, M2VirtualDrive={"Enable": True})
    spans = {"SpanGroups": [{"Slots": "1-2"}, {"Slots": "3-4"}]}
    body = {"StoragePolicy": {"Moid": policy["Moid"]}, "RaidLevel": "Raid10", "ManualDriveGroup": spans}
    bench.client.create("storage/DriveGroups", {"Name": "data", **body, "VirtualDrives": EXPAND})
    listed = bench.client.ok("GET", f"storage/StoragePolicies/{policy['Moid']}")["DriveGroup"]
    assert [each["ObjectType"] for each in listed] == ["storage.DriveGroup"]
    bench.client.ok("DELETE", f"storage/StoragePolicies/{policy['Moid']}")
    assert bench.client.list("storage/DriveGroups") == []


def test_modes_of_drives_that_exclude_each_other_are_refused(bench: Bench) -> None:
    for wrong in ({"UnusedDisksState": "Jbod"}, {"UseJbodForVdCreation": True}):
        body = bench.named("disks", DefaultDriveMode="Jbod", **wrong)
        assert bench.client.refused("POST", "storage/StoragePolicies", body)[0] == 400


@pytest.mark.parametrize(
    ("path", "kind", "platform"),
    [
        ("ntp/Policies", "ntp.Policy", "FIAttached"),
        ("adapter/ConfigPolicies", "adapter.ConfigPolicy", "FIAttached"),
        ("memory/Policies", "memory.Policy", "Standalone"),
        ("compute/ScrubPolicies", "compute.ScrubPolicy", "Standalone"),
    ],
)
def test_a_policy_of_the_other_platform_is_refused_from_both_sides(
    bench: Bench, path: str, kind: str, platform: str
) -> None:
    policy = bench.client.create(path, bench.named("one"))
    bucket = [{"ObjectType": kind, "Moid": policy["Moid"]}]
    body = bench.named("node", TargetPlatform=platform, PolicyBucket=bucket)
    assert bench.client.refused("POST", "server/Profiles", body) == (400, "lab_policy_of_other_platform")
    profile = bench.client.create("server/Profiles", bench.named("node", TargetPlatform=platform))
    back = {"Profiles": [{"ObjectType": "server.Profile", "Moid": profile["Moid"]}]}
    refused = bench.client.refused("PATCH", f"{path}/{policy['Moid']}", back)
    assert refused == (400, "lab_policy_of_other_platform")
