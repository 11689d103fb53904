"""Resource groups of the lab: which servers an organization sees, from both sides, and what is refused without."""

from __future__ import annotations

from typing import Any

from tests.lab.intersight.conftest import Bench

SERIAL = "WZP00000021"
RACKS = "/api/v1/compute/RackUnits"


def organization(bench: Bench, name: str, **more: Any) -> dict[str, Any]:
    made = bench.client.create("organization/Organizations", {"Name": name, **more})
    return {"ObjectType": "organization.Organization", "Moid": made["Moid"]}


def group(bench: Bench, *selectors: str, **more: Any) -> dict[str, Any]:
    body = {"Name": "train", "Selectors": [{"Selector": each} for each in selectors], **more}
    made: dict[str, Any] = bench.client.create("resource/Groups", body)
    return made


def seen_by(bench: Bench) -> set[str]:
    return {each["Moid"] for each in bench.server(SERIAL)["PermissionResources"]}


def assigned(bench: Bench, to: dict[str, Any]) -> dict[str, Any]:
    summary = bench.server(SERIAL)
    server = {"ObjectType": summary["SourceObjectType"], "Moid": summary["Moid"]}
    family = {"ServerFamily": "UCSC845A"}
    return {"Name": "p", "Organization": to, "AssignedServer": server, "TargetPlatform": "Standalone", **family}


def test_the_default_group_shows_every_server_to_the_default_organization(bench: Bench) -> None:
    (default,) = bench.client.list("resource/Groups")
    assert default["Name"] == "default"
    assert seen_by(bench) == {bench.org} == {each["Moid"] for each in default["Organizations"]}
    mine = bench.client.get(f"organization/Organizations/{bench.org}")
    assert [each["Moid"] for each in mine["ResourceGroups"]] == [default["Moid"]]


def test_a_server_that_an_organization_does_not_see_takes_no_profile_of_it(bench: Bench) -> None:
    train = organization(bench, "train")
    body = assigned(bench, train)
    assert bench.client.refused("POST", "server/Profiles", body) == (403, "lab_server_not_in_organization")
    made = group(bench, f"{RACKS}?$filter=Serial in ('{SERIAL}')", Organizations=[train])
    assert seen_by(bench) == {bench.org, train["Moid"]}
    profile = bench.client.create("server/Profiles", body)
    assert profile["AssignedServer"]["Moid"] == body["AssignedServer"]["Moid"]
    in_use = bench.client.refused("DELETE", f"resource/Groups/{made['Moid']}", None)
    assert in_use == (400, "grimoire_resourcegroup_in_use")
    bench.client.ok("PATCH", f"organization/Organizations/{train['Moid']}", {"ResourceGroups": []})
    bench.client.ok("DELETE", f"resource/Groups/{made['Moid']}")
    assert seen_by(bench) == {bench.org}


def test_with_a_device_comes_its_server_and_another_serial_number_is_none(bench: Bench) -> None:
    train = organization(bench, "train")
    made = group(bench, f"{RACKS}?$filter=Serial in ('WZP00000099')", Organizations=[train])
    assert train["Moid"] not in seen_by(bench)
    device = bench.server(SERIAL)["RegisteredDevice"]["Moid"]
    selector = {"Selector": f"/api/v1/asset/DeviceRegistrations?$filter=Moid in ('{device}')"}
    bench.client.ok("PATCH", f"resource/Groups/{made['Moid']}", {"Selectors": [selector]})
    assert train["Moid"] in seen_by(bench)


def test_an_account_has_one_group_of_everything_or_any_number_with_selectors(bench: Bench) -> None:
    all_of_it = {"Name": "all", "Qualifier": "Allow-All"}
    clash = (400, "lab_resource_group_qualifier")
    assert bench.client.refused("POST", "resource/Groups", all_of_it) == clash
    (default,) = bench.client.list("resource/Groups")
    bench.client.ok("PATCH", f"resource/Groups/{default['Moid']}", {"Selectors": [], "Qualifier": "Allow-All"})
    assert seen_by(bench) == {bench.org}
    assert bench.client.refused("POST", "resource/Groups", {"Name": "train"}) == clash


def test_groups_are_given_to_an_organization_from_its_side_too(bench: Bench) -> None:
    made = group(bench, RACKS)
    train = organization(bench, "train", ResourceGroups=[{"ObjectType": "resource.Group", "Moid": made["Moid"]}])
    assert train["Moid"] in seen_by(bench)
    bench.client.ok("PATCH", f"organization/Organizations/{train['Moid']}", {"ResourceGroups": []})
    assert train["Moid"] not in seen_by(bench)
    assert bench.org in seen_by(bench)


def test_a_selector_of_nothing_is_refused(bench: Bench) -> None:
    for selector in ("/api/v1/no/Such", f"{RACKS}?$top=3", f"{RACKS}?$filter=Serial in"):
        body = {"Name": "x", "Selectors": [{"Selector": selector}]}
        assert bench.client.refused("POST", "resource/Groups", body)[0] == 400
