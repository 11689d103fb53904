"""A blade is known some time after its domain is deployed: its profile waits for it and shows for how long."""

from __future__ import annotations

import asyncio

import pytest

from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand
from tests.providers.intersight.test_domain import made
from tests.waiting import soon

POLICY, PROFILE = BY_TOKEN["Policy"], BY_TOKEN["ServerProfile"]
BLADE = {"name": "blade-01", "serial": "FCH00000031", "model": "UCSX-210C-M7", "target_platform": "FIAttached"}


def blade(stand: Stand) -> Driver:
    return Driver(stand, PROFILE, specs.profile(("power.Policy", "t-power"), **BLADE))


async def power(stand: Stand) -> None:
    await Driver(stand, POLICY, specs.policy("power.Policy", "t-power", {"PowerRestoreState": "LastState"})).create()


async def test_a_blade_is_waited_for_until_its_domain_has_discovered_it(stand: Stand) -> None:
    domain = await made(stand)
    await power(stand)
    profile = blade(stand)
    task = asyncio.create_task(profile.create())
    await soon(lambda: any("has not found a server FCH00000031 yet, 0 of" in s for s in stand.said))
    assert not task.done()
    stand.fault(discovery=2.0)
    await domain.create()
    outputs = await task
    assert outputs["hardware_uuid"] == "00000000-0000-4000-8000-000000000031"
    assert any("Intersight is discovering the server FCH00000031, " in said for said in stand.said)
    assert any("0 of at most 45 minutes" in said for said in stand.said)


async def test_a_blade_that_never_appears_ends_in_what_to_check(stand: Stand) -> None:
    await Driver(stand, POLICY, specs.policy("power.Policy", "t-power", {"PowerRestoreState": "LastState"})).create()
    ctx = stand.context()
    ctx.timeout = 0.3
    with pytest.raises(ProviderError, match=r"discovered no server with serial number FCH00000031 .*server_ports.*run"):
        await PROFILE.create(blade(stand).inputs, ctx)
    assert stand.store.of("server.Profile") == []


async def test_who_stops_the_wait_is_told_so(stand: Stand) -> None:
    await Driver(stand, POLICY, specs.policy("power.Policy", "t-power", {"PowerRestoreState": "LastState"})).create()
    ctx = stand.context()
    task = asyncio.create_task(PROFILE.create(blade(stand).inputs, ctx))
    await soon(lambda: any("has not found" in said for said in stand.said))
    ctx.cancel.set()
    with pytest.raises(ProviderError, match="stopped waiting for the server FCH00000031 to be discovered, as asked"):
        await task


async def test_a_blade_whose_discovery_failed_is_named(stand: Stand) -> None:
    await (await made(stand)).create()
    await soon(lambda: any(mo["Serial"] == "FCH00000031" for mo in stand.store.of("compute.PhysicalSummary")))
    summary = next(mo for mo in stand.store.of("compute.PhysicalSummary") if mo["Serial"] == "FCH00000031")
    await soon(lambda: summary["Lifecycle"] == "Active")
    stand.store.update(summary, {"Lifecycle": "DiscoveryFailed"})
    with pytest.raises(ProviderError, match="Intersight failed to discover the server FCH00000031; decommission"):
        await blade(stand).create()
