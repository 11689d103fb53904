"""What becomes of a machine in its place when its server leaves the file: nothing, or decommissioned where it is so
written, and recommissioned when it comes back."""

from __future__ import annotations

import pytest

from podwright.components.providers.protocol.kind import CheckContext, ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import Driver, Stand
from tests.providers.intersight.test_slots import BLADE, PROFILE, profiled
from tests.waiting import soon

LEAVE = {"leave": "decommission"}


def life(stand: Stand) -> str:
    (blade,) = stand.store.of("compute.Blade")
    return str(blade["Lifecycle"])


def orders(stand: Stand) -> list[str]:
    (one,) = stand.store.of("compute.BladeIdentity")
    return [str(one["AdminActionState"]), str(stand.store.view(one)["Lifecycle"])]


async def test_a_machine_stays_in_service_unless_the_file_says_otherwise(stand: Stand) -> None:
    driver = await profiled(stand)
    await driver.delete()
    assert (stand.store.of("server.Profile"), life(stand)) == ([], "Active")


async def test_a_machine_is_decommissioned_once_it_has_no_profile_and_comes_back_recommissioned(stand: Stand) -> None:
    driver = await profiled(stand, **LEAVE)
    await driver.delete()
    assert (stand.store.of("server.Profile"), life(stand)) == ([], "Decommissioned")
    assert any("decommission" in each for each in stand.said)
    writes = stand.side.writes
    await driver.delete()
    assert (life(stand), stand.side.writes) == ("Decommissioned", writes), "said once"
    again = Driver(stand, PROFILE, specs.profile(("power.Policy", "t-power"), **BLADE) | LEAVE)
    await again.create()
    assert (life(stand), orders(stand)) == ("Active", ["Applied", "Active"])
    assert await again.drift() == []


async def test_a_run_that_was_cut_off_between_profile_and_machine_is_completed(stand: Stand) -> None:
    driver = await profiled(stand, **LEAVE)
    plain = await profiled_without(driver)
    assert (stand.store.of("server.Profile"), life(stand)) == ([], "Active")
    assert plain is driver
    await driver.delete()
    assert life(stand) == "Decommissioned"


async def profiled_without(driver: Driver) -> Driver:
    """The profile went, and the run ended there."""
    spec = driver.inputs["spec"]
    driver.inputs = {**driver.inputs, "spec": {key: value for key, value in spec.items() if key != "leave"}}
    await driver.delete()
    driver.inputs = {**driver.inputs, "spec": spec}
    return driver


async def test_a_machine_that_somebody_decommissioned_is_not_taken_back_without_a_word(stand: Stand) -> None:
    driver = await profiled(stand)
    await driver.delete()
    (one,) = stand.store.of("compute.BladeIdentity")
    stand.act(one, "Decommission")
    await soon(lambda: life(stand) == "Decommissioned")
    again = Driver(stand, PROFILE, specs.profile(("power.Policy", "t-power"), **BLADE))
    with pytest.raises(ProviderError, match="the server FCH00000031 is decommissioned; recommission it in Intersight"):
        await again.create()
    assert life(stand) == "Decommissioned"
    assert stand.store.of("server.Profile") == []


async def test_a_machine_that_carries_another_profile_meanwhile_is_left(stand: Stand) -> None:
    driver = await profiled(stand, **LEAVE)
    await profiled_without(driver)
    other = Driver(stand, PROFILE, specs.profile(("power.Policy", "t-power"), **BLADE | {"name": "theirs"}))
    await other.create()
    with pytest.raises(
        ProviderError, match="FCH00000031 carries the server profile 'theirs'; it is not decommissioned"
    ):
        await driver.delete()
    assert life(stand) == "Active"


async def test_an_order_that_intersight_refuses_is_a_sentence_and_the_next_run_completes(stand: Stand) -> None:
    driver = await profiled(stand, **LEAVE)
    (blade,) = stand.store.of("compute.Blade")
    stand.store.update(blade, {"Lifecycle": "FirmwareUpgradeInProgress"})
    with pytest.raises(ProviderError, match="lifecycle is 'FirmwareUpgradeInProgress'"):
        await driver.delete()
    stand.store.update(blade, {"Lifecycle": "Active"})
    await driver.delete()
    assert life(stand) == "Decommissioned"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"leave": "remove"}, "must be decommission, not 'remove'"),
        (
            {"leave": "decommission", "target_platform": "Standalone"},
            "is for servers behind Fabric Interconnects; one that stands by itself has a target, which a person "
            "deletes",
        ),
    ],
)
def test_only_what_intersight_can_do_is_taken(change: dict[str, str], message: str) -> None:
    spec = specs.profile(("power.Policy", "t-power"), **BLADE) | change
    (found,) = PROFILE.check({"spec": spec}, CheckContext())
    assert (found.path, found.message) == (("spec", "leave"), message)
