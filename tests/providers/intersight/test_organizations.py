"""Profiles of another organization: its own policies, servers that it sees, and the way from one to another."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.intersight.visible import ORGANIZATION
from podwright.components.providers.protocol.kind import ProviderError
from podwright.lab.intersight.store import ref
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand

POLICY, PROFILE = BY_TOKEN["Policy"], BY_TOKEN["ServerProfile"]
TRAIN = "train"


def organization(stand: Stand, *selectors: str) -> dict[str, str]:
    """Another organization, with a resource group of these selectors."""
    store = stand.store
    with stand.side.service.lock:
        made = ref(store.create(ORGANIZATION, {"Name": TRAIN}))
        listed = [{"Selector": each} for each in selectors]
        store.create("resource.Group", {"Name": TRAIN, "Selectors": listed, "Organizations": [made]})
    return made


async def bucket(stand: Stand, where: str) -> Driver:
    for spec in (specs.ntp(), specs.bios()):
        await Driver(stand, POLICY, {**spec, "organization": where}).create()
    return profile(stand, where)


def profile(stand: Stand, where: str, **change: Any) -> Driver:
    policies = (("ntp.Policy", "t-ntp"), ("bios.Policy", "t-bios"))
    return Driver(stand, PROFILE, specs.profile(*policies, organization=where, **change))


async def test_a_profile_and_its_policies_stand_in_the_organization_that_sees_the_server(stand: Stand) -> None:
    made = organization(stand, "/api/v1/compute/RackUnits?$filter=Serial in ('WZP00000011')")
    driver = await bucket(stand, TRAIN)
    await driver.create()
    live = stand.live("server.Profile", "cp-01")
    assert live["Organization"] == made
    policies = [stand.store.target(each) for each in live["PolicyBucket"]]
    assert [each["Organization"] for each in policies] == [made, made]
    assert await driver.drift() == []


async def test_a_server_that_the_organization_does_not_see_is_named_before_anything_is_written(stand: Stand) -> None:
    organization(stand, "/api/v1/compute/RackUnits?$filter=Serial in ('WZP00000099')")
    driver = await bucket(stand, TRAIN)
    writes = stand.side.gate.writes
    with pytest.raises(ProviderError, match="WZP00000011 is in no resource group of the organization train") as stopped:
        await driver.create()
    assert "compute.roles.<role>.organization" in str(stopped.value)
    assert (stand.live("server.Profile", "cp-01"), stand.side.gate.writes) == (None, writes)


async def test_a_profile_that_is_on_its_server_stays_when_the_group_goes(stand: Stand) -> None:
    organization(stand, "/api/v1/compute/RackUnits?$filter=Serial in ('WZP00000011')")
    driver = await bucket(stand, TRAIN)
    await driver.create()
    stand.edit("resource.Group", TRAIN, {"Selectors": []})
    await driver.update(lambda spec: spec.update(digest="2"))
    assert await driver.drift() == []


async def test_from_one_organization_to_another_the_old_profile_goes_first(stand: Stand) -> None:
    organization(stand, "/api/v1/compute/RackUnits")
    old = await bucket(stand, "default")
    await old.create()
    new = await bucket(stand, TRAIN)
    found = PROFILE.diff(old.inputs, new.inputs, old.outputs)
    assert found.delete_before_replace
    assert ("spec", "organization") in found.replaces
    await old.delete()
    await new.create()
    assert (
        stand.live("server.Profile", "cp-01")["Organization"] == stand.live("resource.Group", TRAIN)["Organizations"][0]
    )
