"""Resource groups of a stack: made, given to their organization beside what it has, and taken from it again."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.intersight import group as groups
from podwright.components.providers.intersight.orphans import orphans
from podwright.components.providers.intersight.visible import ORGANIZATION
from podwright.components.providers.protocol.kind import ProviderError
from podwright.lab.intersight.store import ref
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand

GROUP = "resource.Group"
SERIAL = "WZP00000011"
RACKS = "/api/v1/compute/RackUnits?$filter=Serial in "
SPEC = {"schema": 1, "name": "ours", "organization": "train", "selectors": [f"{RACKS}('{SERIAL}')"]}
LATE = pytest.mark.parametrize("stand", ["{membership: at-once}", "{membership: later}"], indirect=True)


def driver(stand: Stand, **change: Any) -> Driver:
    return Driver(stand, BY_TOKEN["ResourceGroup"], {**SPEC, **change})


def make(stand: Stand, kind: str, name: str, **more: Any) -> dict[str, str]:
    """What a person made."""
    with stand.side.service.lock:
        return dict(ref(stand.store.create(kind, {"Name": name, **more})))


def organization(stand: Stand, *names: str) -> dict[str, str]:
    """The organization `train`, with groups that people gave it."""
    made = make(stand, ORGANIZATION, "train")
    for name in names:
        make(stand, GROUP, name, Organizations=[made])
    return made


def listed(stand: Stand, name: str = "train") -> set[str]:
    """Names of the groups that an organization has."""
    with stand.side.service.lock:
        home = stand.store.view(next(each for each in stand.store.of(ORGANIZATION) if each["Name"] == name))
        return {str(stand.store.target(each)["Name"]) for each in home["ResourceGroups"]}


def tags(stand: Stand, name: str) -> dict[str, str]:
    return {each["Key"]: each["Value"] for each in stand.live(GROUP, name)["Tags"]}


@LATE
async def test_a_profile_is_assigned_right_after_the_group_that_shows_its_server(stand: Stand) -> None:
    organization(stand)
    policies = [{**spec, "organization": "train"} for spec in (specs.ntp(), specs.bios())]
    await driver(stand).create()
    for spec in policies:
        await Driver(stand, BY_TOKEN["Policy"], spec).create()
    bucket = (("ntp.Policy", "t-ntp"), ("bios.Policy", "t-bios"))
    profile = Driver(stand, BY_TOKEN["ServerProfile"], specs.profile(*bucket, organization="train"))
    await profile.create()
    assert stand.live("server.Profile", "cp-01")["Organization"] == ref(stand.live(ORGANIZATION, "train"))


async def test_groups_that_people_gave_the_organization_stay_when_ours_comes_and_goes(stand: Stand) -> None:
    organization(stand, "theirs", "others")
    made = driver(stand)
    await made.create()
    assert listed(stand) == {"theirs", "others", "ours"}
    assert (await made.drift(), tags(stand, "ours")["podwright"]) == ([], stand.identity)
    await made.delete()
    assert (listed(stand), stand.live(GROUP, "ours")) == ({"theirs", "others"}, None)


async def test_another_writer_of_the_list_between_look_and_write_loses_nothing(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    organization(stand, "theirs")
    look = groups._organization

    async def overtaken(*args: Any) -> Any:
        seen = await look(*args)
        if stand.live(GROUP, "late") is None:
            make(stand, GROUP, "late")
            home = stand.live(ORGANIZATION, "train")
            with stand.side.service.lock:
                stand.store.update(stand.live(GROUP, "late"), {"Organizations": [ref(home)]})
                stand.store.update(home, {"Description": "edited"})
        return seen

    monkeypatch.setattr(groups, "_organization", overtaken)
    await driver(stand).create()
    assert listed(stand) == {"theirs", "late", "ours"}


async def test_members_follow_the_file_and_what_people_changed_is_found(stand: Stand) -> None:
    organization(stand)
    made = driver(stand)
    await made.create()
    await made.update(lambda spec: spec.update(selectors=[f"{RACKS}('{SERIAL}','WZP00000012')"]))
    assert [each["Selector"] for each in stand.live(GROUP, "ours")["Selectors"]] == [
        f"{RACKS}('{SERIAL}','WZP00000012')"
    ]
    stand.edit(GROUP, "ours", {"Selectors": [], "Organizations": []})
    assert await made.drift() == ["spec.organization", "spec.selectors.0"]
    await made.update()
    assert (await made.drift(), listed(stand)) == ([], {"ours"})


async def test_from_one_organization_to_another_the_group_is_moved(stand: Stand) -> None:
    organization(stand)
    made = driver(stand)
    await made.create()
    await made.update(lambda spec: spec.update(organization="default"))
    assert (listed(stand), listed(stand, "default")) == (set(), {"default", "ours"})


async def test_a_group_of_that_name_is_taken_over_only_where_the_spec_adopts_it(stand: Stand) -> None:
    organization(stand, "ours")
    with pytest.raises(ProviderError, match=r"was not made by this stack: .*intersight: \{adopt: \[ours\]\}"):
        await driver(stand).create()
    assert stand.live(GROUP, "ours")["Selectors"] == []
    made = driver(stand, adopt=True)
    await made.create()
    assert stand.live(GROUP, "ours")["Selectors"]
    await made.delete()
    assert (listed(stand), "podwright" in tags(stand, "ours")) == ({"ours"}, False)


async def test_an_adopted_group_that_no_organization_had_has_none_again(stand: Stand) -> None:
    organization(stand)
    make(stand, GROUP, "ours")
    made = driver(stand, adopt=True)
    await made.create()
    assert listed(stand) == {"ours"}
    await made.delete()
    assert (listed(stand), stand.live(GROUP, "ours") is None) == (set(), False)


async def test_a_group_that_another_organization_uses_too_is_not_deleted_from_under_it(stand: Stand) -> None:
    organization(stand)
    made = driver(stand)
    await made.create()
    other = make(stand, ORGANIZATION, "other")
    with stand.side.service.lock:
        group = stand.live(GROUP, "ours")
        stand.store.update(group, {"Organizations": [*group["Organizations"], other]})
    with pytest.raises(ProviderError, match="in use by 1 organizations"):
        await made.delete()
    assert listed(stand, "other") == {"ours"}


async def test_an_organization_that_is_not_there_stops_before_anything_is_written(stand: Stand) -> None:
    writes = stand.side.gate.writes
    with pytest.raises(ProviderError, match="no organization 'train'"):
        await driver(stand).create()
    assert stand.side.gate.writes == writes


async def test_an_update_that_was_cut_between_group_and_list_is_completed(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    organization(stand)

    async def killed(*_: Any, **__: Any) -> bool:
        raise ConnectionError

    with monkeypatch.context() as cut:
        cut.setattr(groups, "_entry", killed)
        with pytest.raises(ConnectionError):
            await driver(stand).create()
    assert (listed(stand), stand.live(GROUP, "ours") is None) == (set(), False)
    assert await orphans(True, stand.context()) == ["Intersight object resource.Group ours"]
    await driver(stand).create()
    assert listed(stand) == {"ours"}


def test_a_selector_of_anything_but_servers_is_refused(stand: Stand) -> None:
    wrong = ["/api/v1/asset/DeviceRegistrations?$filter=Moid in ('1')", "/api/v1/compute/RackUnits", 7]
    found = driver(stand, selectors=wrong).problems()
    assert [each.partition(":")[0] for each in found] == [f"spec.selectors.{at}" for at in range(3)]
