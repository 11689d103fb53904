"""A UUID from a pool: leased, in the outputs, in force after the activation, and another pool seen as drift."""

from __future__ import annotations

from typing import Any

from podwright.components.providers.protocol.kind import CheckContext
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand
from tests.providers.intersight.test_domain import made as domain

POOL, PROFILE = BY_TOKEN["Pool"], BY_TOKEN["ServerProfile"]
NAMED = {"object_type": "uuidpool.Pool", "name": "t-uuids"}
LEASED = "000025B5-0A1B-0001-0000-000000000001"


def pool(name: str = "t-uuids", prefix: str = "000025B5-0A1B-0001") -> dict[str, Any]:
    block = {"ClassId": "uuidpool.UuidBlock", "ObjectType": "uuidpool.UuidBlock"}
    block |= {"From": "0000-000000000001", "Size": 256}  # type: ignore[dict-item]  # Intersight's own shape
    return specs.policy("uuidpool.Pool", name, {"Prefix": prefix, "UuidSuffixBlocks": [block]})


def blade(**change: Any) -> dict[str, Any]:
    known = {"target_platform": "FIAttached", "serial": "FCH00000031", "model": "UCSX-210C-M7", "uuid_pool": NAMED}
    return specs.profile(**{"name": "blade-01", **known, **change})


async def test_a_profile_leases_a_uuid_which_the_server_has_once_it_was_started(stand: Stand) -> None:
    await (await domain(stand)).create()
    await Driver(stand, POOL, pool()).create()
    driver = Driver(stand, PROFILE, blade())
    outputs = await driver.create()
    own = stand.world.servers["blade-01"].uuid
    assert (outputs["uuid"], outputs["hardware_uuid"]) == (LEASED, own)
    assert outputs["pending_disruptions"] == ["Reboot"] and stand.world.system_uuid("blade-01") == own
    assert await driver.drift() == []
    await driver.update(lambda spec: spec.update(action="deploy", approved_disruptions=["Reboot"]))
    assert stand.world.system_uuid("blade-01") == LEASED
    assert await driver.drift() == []
    writes = stand.side.writes
    await driver.update()
    assert stand.side.writes == writes


async def test_another_pool_or_none_is_drift(stand: Stand) -> None:
    await (await domain(stand)).create()
    for each in (pool(), pool("t-others", "000025B5-0A1B-0002")):
        await Driver(stand, POOL, each).create()
    driver = Driver(stand, PROFILE, blade())
    await driver.create()
    other = stand.live("uuidpool.Pool", "t-others")
    stand.edit("server.Profile", "blade-01", {"UuidPool": {"ObjectType": "uuidpool.Pool", "Moid": other["Moid"]}})
    assert await driver.drift() == ["spec.uuid_pool.name"]
    stand.edit("server.Profile", "blade-01", {"UuidAddressType": "NONE", "UuidPool": None})
    assert await driver.drift() == ["spec.uuid_pool.name"]


def test_a_standalone_server_takes_none_and_a_pool_is_one_of_uuids() -> None:
    wrong = specs.profile(uuid_pool={"object_type": "macpool.Pool", "name": "t-macs"})
    found = [
        f"{'.'.join(map(str, each.path))}: {each.message}" for each in PROFILE.check({"spec": wrong}, CheckContext())
    ]
    assert found == [
        "spec.uuid_pool.object_type: unknown object type 'macpool.Pool'; did you mean 'uuidpool.Pool'?",
        "spec.uuid_pool: a server that is Standalone keeps the UUID it was made with",
    ]
