"""A server that broke is replaced: its profile goes to another serial number, also while the old machine is silent."""

from __future__ import annotations

import pytest

from podwright.components.providers.protocol.kind import Incomplete, ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand

POLICY, PROFILE = BY_TOKEN["Policy"], BY_TOKEN["ServerProfile"]
FORMS = pytest.mark.parametrize("stand", ["{unassign: connected}", "{unassign: anyhow}"], indirect=True)
OLD = "cp-01"


async def profiled(stand: Stand) -> Driver:
    await Driver(stand, POLICY, specs.bios()).create()
    driver = Driver(stand, PROFILE, specs.profile(("bios.Policy", "t-bios")))
    await driver.create()
    return driver


async def replaced(stand: Stand, driver: Driver) -> None:
    """The update ends with the profile on the new machine, and nothing is left to do."""
    await driver.update(lambda spec: spec.update(serial="WZP00000012"))
    assert driver.outputs["hardware_uuid"] == "00000000-0000-4000-8000-000000000012"
    assert await driver.drift() == []
    assert len(stand.store.of("server.Profile")) == 1


@FORMS
async def test_a_machine_that_answers_is_left_and_another_takes_its_profile(stand: Stand) -> None:
    await replaced(stand, await profiled(stand))


@FORMS
async def test_a_dead_machine_is_left_or_the_update_says_how_to_free_its_profile(stand: Stand) -> None:
    driver = await profiled(stand)
    stand.fault(connected={OLD: False})
    try:
        await replaced(stand, driver)
    except Incomplete as left:
        assert stand.world.variants["unassign"] == "connected"
        assert "decommission and remove it in Intersight, or delete its target" in str(left)
        driver.outputs = dict(left.outputs)
        driver.inputs["spec"]["serial"] = "WZP00000011"
        stand.fault(unclaim=[OLD])
        await replaced(stand, driver)


async def test_a_profile_of_a_dead_machine_does_not_go_without_a_word(stand: Stand) -> None:
    driver = await profiled(stand)
    stand.fault(connected={OLD: False})
    with pytest.raises(ProviderError, match="or delete its target where it stands by itself"):
        await driver.delete()
    stand.fault(unclaim=[OLD])
    await driver.delete()
    assert stand.store.of("server.Profile") == []
