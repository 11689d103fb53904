"""A chassis profile: waits for its chassis, is deployed, comes back to what is defined, and leaves cleanly."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from podwright.components.providers.intersight import discovery
from podwright.components.providers.protocol.kind import Incomplete, ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, WORLD, Driver, Stand, standing
from tests.providers.intersight.test_domain import made as domain
from tests.waiting import soon

POLICY, CHASSIS = BY_TOKEN["Policy"], BY_TOKEN["ChassisProfile"]
SECOND = "FOX00000002"
TWO_CHASSIS = (
    WORLD.replace("slots: {1: blade-01}}", f"slots: {{1: blade-01}}}}, x-2: {{serial: {SECOND}, slots: {{}}}}")
    .replace("x-1:A2", "x-2:A1")
    .replace("x-1:B2", "x-2:B1")
)
POWER = {"RedundancyMode": "Grid", "ExtendedPowerCapacity": "Disabled"}


def profile(**change: Any) -> dict[str, Any]:
    return {
        "schema": 1,
        "name": "x-1",
        "organization": "default",
        "domain": "domain-1",
        "serial": "FOX00000001",
        "model": "UCSX-9508",
        "policies": [
            {"object_type": "power.Policy", "name": "t-power"},
            {"object_type": "thermal.Policy", "name": "t-fans"},
        ],
        "action": "deploy",
        "approved_disruptions": [],
        **change,
    }


async def policies(stand: Stand) -> Driver:
    await Driver(stand, POLICY, specs.policy("thermal.Policy", "t-fans", {"FanControlMode": "HighPower"})).create()
    power = Driver(stand, POLICY, specs.policy("power.Policy", "t-power", dict(POWER)))
    await power.create()
    return power


async def test_it_waits_until_the_domain_finds_its_chassis_and_is_deployed(stand: Stand) -> None:
    power = await policies(stand)
    driver = Driver(stand, CHASSIS, profile())
    waiting = asyncio.create_task(driver.create())
    await (await domain(stand)).create()
    outputs = await waiting
    assert (driver.id, outputs["config_state"]) == ("chassis.Profile/default/x-1", "Associated")
    assert any("has not found a chassis FOX00000001 yet" in line for line in stand.said)
    assert await driver.drift() == []
    writes = stand.side.writes
    await driver.update()
    assert stand.side.writes == writes
    await power.update(lambda spec: spec["properties"].update(RedundancyMode="N+1"))
    assert await driver.drift() == ["spec.action"]
    await driver.update()
    assert await driver.drift() == []
    await driver.delete()
    assert await driver.gone() and stand.live("chassis.Profile", "x-1") is None


async def test_what_somebody_took_off_the_profile_is_drift_and_put_back(stand: Stand) -> None:
    await policies(stand)
    await (await domain(stand)).create()
    driver = Driver(stand, CHASSIS, profile())
    await driver.create()
    live = stand.live("chassis.Profile", "x-1")
    kept = [each for each in live["PolicyBucket"] if each["ObjectType"] == "power.Policy"]
    stand.edit("chassis.Profile", "x-1", {"PolicyBucket": kept})
    assert "spec.policies.1" in " ".join(await driver.drift())
    await driver.update()
    assert await driver.drift() == []


async def test_another_profile_or_model_stops_it(stand: Stand) -> None:
    await policies(stand)
    await (await domain(stand)).create()
    await Driver(stand, CHASSIS, profile()).create()
    with pytest.raises(ProviderError, match="already carries the chassis profile 'x-1'; unassign that first"):
        await Driver(stand, CHASSIS, profile(name="other")).create()
    with pytest.raises(ProviderError, match="is a UCSX-9508, the spec for x-1 says UCSX-9999"):
        await Driver(stand, CHASSIS, profile(model="UCSX-9999")).create()


async def test_a_profile_of_somebody_else_is_refused_and_stays_on_its_chassis(tmp_path: Path) -> None:
    with standing(tmp_path, text=TWO_CHASSIS) as stand:
        await policies(stand)
        await (await domain(stand)).create()
        theirs = Driver(stand, CHASSIS, profile(serial=SECOND), identity="another/stack")
        await theirs.create()
        with pytest.raises(ProviderError, match="'x-1' exists in Intersight and belongs to the stack another/stack"):
            await Driver(stand, CHASSIS, profile()).create()
        assert await theirs.drift() == []


async def test_a_profile_of_ours_moves_to_another_chassis(tmp_path: Path) -> None:
    with standing(tmp_path, text=TWO_CHASSIS) as stand:
        await policies(stand)
        await (await domain(stand)).create()
        driver = Driver(stand, CHASSIS, profile(serial=SECOND))
        await driver.create()
        await driver.update(lambda spec: spec.update(serial="FOX00000001"))
        assert "chassis profile 'x-1' leaves another chassis first" in stand.said
        assert await driver.drift() == []


async def test_a_stop_while_it_leaves_its_chassis_is_reported_and_gone_on_from(tmp_path: Path) -> None:
    with standing(tmp_path, text=TWO_CHASSIS) as stand:
        await policies(stand)
        await (await domain(stand)).create()
        driver = Driver(stand, CHASSIS, profile(serial=SECOND))
        await driver.create()
        stand.fault(configure=1.0)
        before, ctx = {"spec": dict(driver.spec)}, stand.context()
        driver.spec.update(serial="FOX00000001")
        moving = asyncio.create_task(CHASSIS.update(driver.id, driver.inputs, before, driver.outputs, ctx))
        await soon(lambda: any("Unassign Chassis Profile" in line for line in stand.said))
        ctx.cancel.set()
        with pytest.raises(ProviderError, match="stopped waiting as asked, Intersight goes on; run again"):
            await moving
        await driver.update()
        assert await driver.drift() == []


async def test_a_chassis_that_never_appears_is_said_with_what_to_check(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "DISCOVERY_SECONDS", 0.2)
    await policies(stand)
    with pytest.raises(ProviderError, match=r"no chassis with serial number FOX00000001 .*that it is on the domain's"):
        await Driver(stand, CHASSIS, profile()).create()


async def test_a_deployment_that_fails_is_said_and_repeated(stand: Stand) -> None:
    await policies(stand)
    await (await domain(stand)).create()
    driver = Driver(stand, CHASSIS, profile())
    stand.fault(fail_next="The chassis did not answer.")
    with pytest.raises(Incomplete, match="The chassis did not answer"):
        await driver.create()
    await driver.create()
    assert await driver.drift() == []


def test_it_takes_four_types_and_one_of_each(stand: Stand) -> None:
    bios = {"object_type": "bios.Policy", "name": "t-bios"}
    fans = {"object_type": "thermal.Policy", "name": "t-fans"}
    assert Driver(stand, CHASSIS, profile(policies=[bios, fans, fans])).problems() == [
        "spec.policies.0: a chassis takes no bios.Policy: it takes access.Policy, power.Policy, snmp.Policy, "
        "thermal.Policy",
        "spec.policies.2: a profile takes one thermal.Policy, this is the second",
    ]
