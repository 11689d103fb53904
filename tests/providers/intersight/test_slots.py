"""A blade is replaced in its slot: the machine that was pulled is removed, and the next one gets its profile."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.intersight import discovery
from podwright.components.providers.intersight.repeats import Repeats
from podwright.components.providers.intersight.transport import UnansweredError
from podwright.components.providers.protocol.kind import UNKNOWN, ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand
from tests.providers.intersight.test_domain import made
from tests.waiting import soon

POLICY, PROFILE = BY_TOKEN["Policy"], BY_TOKEN["ServerProfile"]
BLADE = {"name": "blade-01", "serial": "FCH00000031", "model": "UCSX-210C-M7", "target_platform": "FIAttached"}
NEW = "FCH00000032"


async def profiled(stand: Stand, **change: object) -> Driver:
    stand.fault(discovery=0.05)
    await (await made(stand)).create()
    await Driver(stand, POLICY, specs.policy("power.Policy", "t-power", {"PowerRestoreState": "LastState"})).create()
    driver = Driver(stand, PROFILE, specs.profile(("power.Policy", "t-power"), **BLADE) | change)
    await driver.create()
    return driver


def swap(stand: Stand, serial: str = NEW) -> str:
    """Somebody at the rack puts another blade into the slot; its UUID."""
    return str(stand.world.fault({"kind": "replace", "server": "blade-01", "serial": serial})["uuid"])


def listed(stand: Stand) -> set[str]:
    return {mo["Serial"] for mo in stand.store.of("compute.Blade")}


@pytest.mark.parametrize("stand", ["{unassign: connected}", "{unassign: anyhow}"], indirect=True)
async def test_a_blade_with_another_serial_number_gets_its_place_and_the_profile(stand: Stand) -> None:
    driver = await profiled(stand)
    uuid = swap(stand)
    assert listed(stand) == {"FCH00000031"}
    await driver.update(lambda spec: spec.update(serial=NEW))
    assert driver.outputs["hardware_uuid"] == uuid
    assert listed(stand) == {NEW}
    assert await driver.drift() == []


@pytest.mark.parametrize(
    "fault", [{"mode": "cut"}, {"mode": "502"}, {"mode": "502", "carried_out": True}, {"mode": "409"}, {"mode": "412"}]
)
async def test_a_removal_without_an_answer_is_looked_up(stand: Stand, fault: dict[str, Any]) -> None:
    driver = await profiled(stand)
    swap(stand)
    stand.fault(**fault, verb="PATCH", path="compute/BladeIdentities")
    await driver.update(lambda spec: spec.update(serial=NEW))
    assert listed(stand) == {NEW}
    assert await driver.drift() == []


async def test_a_removal_that_is_refused_is_the_reason(stand: Stand) -> None:
    driver = await profiled(stand)
    swap(stand)
    stand.fault(mode="403", verb="PATCH", path="compute/BladeIdentities")
    with pytest.raises(ProviderError, match="refused to remove the server FCH00000031"):
        await driver.update(lambda spec: spec.update(serial=NEW))
    assert listed(stand) == {"FCH00000031"}


async def test_a_machine_that_came_back_is_not_removed(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order got no answer and was not carried out; by the next look, the machine is in service again."""
    driver = await profiled(stand)
    swap(stand)

    async def back(_repeats: Repeats, lost: UnansweredError) -> None:
        (blade,) = stand.store.of("compute.Blade")
        stand.store.update(blade, {"Lifecycle": "Active"})

    monkeypatch.setattr(Repeats, "pause", back)
    stand.fault(mode="502", verb="PATCH", path="compute/BladeIdentities")
    with pytest.raises(ProviderError, match="place of FCH00000031, which Intersight calls Active"):
        await driver.update(lambda spec: spec.update(serial=NEW))
    assert listed(stand) == {"FCH00000031"}


async def test_nothing_is_removed_that_another_profile_is_on(stand: Stand) -> None:
    await profiled(stand)
    swap(stand)
    other = Driver(stand, PROFILE, specs.profile(("power.Policy", "t-power"), **BLADE | {"name": "b-2", "serial": NEW}))
    with pytest.raises(
        ProviderError, match="stands where FCH00000031 was, which carries the server profile 'blade-01'"
    ):
        await other.create()
    assert listed(stand) == {"FCH00000031"}


async def test_nothing_is_removed_for_a_profile_whose_name_is_somebody_else_s(stand: Stand) -> None:
    await profiled(stand)
    swap(stand)
    ours = specs.profile(("power.Policy", "t-power"), **BLADE | {"serial": NEW})
    with pytest.raises(ProviderError, match="'blade-01' exists in Intersight and belongs to the stack podwright/bench"):
        await Driver(stand, PROFILE, ours, identity="another/stack").create()
    assert listed(stand) == {"FCH00000031"}


async def test_a_blade_that_is_somewhere_else_now_is_left_to_a_person(stand: Stand) -> None:
    driver = await profiled(stand)
    swap(stand)
    for mo in stand.store.of("compute.Blade"):
        stand.store.update(mo, {"Lifecycle": "Moved"})
    with pytest.raises(ProviderError, match="place of FCH00000031, which Intersight calls Moved; decommission"):
        await driver.update(lambda spec: spec.update(serial=NEW))
    assert listed(stand) == {"FCH00000031"}


async def test_a_blade_that_is_there_and_does_not_answer_is_not_removed(stand: Stand) -> None:
    driver = await profiled(stand)
    stand.fault(connected={"blade-01": False})
    with pytest.raises(ProviderError, match="decommission and remove it in Intersight"):
        await driver.delete()
    assert listed(stand) == {"FCH00000031"}
    # What the sentence says, done by a person, frees the profile.
    (old,) = stand.store.of("compute.BladeIdentity")
    for action in ("Decommission", "Remove"):
        stand.act(old, action)
        await soon(lambda: old["AdminActionState"] == "Applied")
    await soon(lambda: listed(stand) == set())
    await driver.delete()
    assert stand.store.of("server.Profile") == []


async def test_a_profile_of_a_blade_that_was_pulled_can_go(stand: Stand) -> None:
    driver = await profiled(stand)
    swap(stand)
    await driver.delete()
    assert stand.store.of("server.Profile") == []
    await soon(lambda: listed(stand) == {NEW})


PLACE = "FOX00000001/1"


async def test_a_blade_is_found_by_where_it_sits(stand: Stand) -> None:
    driver = await profiled(stand, serial=PLACE)
    assert driver.outputs["serial"] == "FCH00000031"
    assert await driver.drift() == []
    writes = stand.side.writes
    await driver.update()
    assert stand.side.writes == writes


async def test_the_next_blade_in_the_place_gets_the_profile(stand: Stand) -> None:
    driver = await profiled(stand, serial=PLACE)
    uuid = swap(stand)
    assert await driver.drift() == ["spec.serial"]
    await driver.update()
    assert (driver.outputs["serial"], driver.outputs["hardware_uuid"]) == (NEW, uuid)
    assert listed(stand) == {NEW}
    assert await driver.drift() == []


async def test_a_preview_knows_no_serial_number_before_the_blade_was_seen(stand: Stand) -> None:
    driver = await profiled(stand, serial=PLACE)
    kind = driver.kind
    assert kind.preview(driver.inputs, None)["serial"] is UNKNOWN
    assert kind.preview(driver.inputs, driver.outputs)["serial"] == "FCH00000031"


async def test_a_place_without_a_blade_is_waited_for_and_named(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    stand.fault(discovery=0.05)
    await (await made(stand)).create()
    await Driver(stand, POLICY, specs.policy("power.Policy", "t-power", {"PowerRestoreState": "LastState"})).create()
    driver = Driver(stand, PROFILE, specs.profile(("power.Policy", "t-power"), **BLADE | {"serial": "FOX00000001/8"}))
    monkeypatch.setattr(discovery, "DISCOVERY_SECONDS", 0.3)
    with pytest.raises(ProviderError, match="discovered no blade in slot 8 of the chassis FOX00000001 within 0"):
        await driver.create()
