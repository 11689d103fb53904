"""Booting what only Intersight reaches: the image is mapped in a policy, the order goes to the server's settings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from podwright.components.providers.intersight import boot
from podwright.components.providers.protocol.kind import ProviderError
from podwright.lab.redfish.publish import PublishServer
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, KEY_ID, Driver, Stand, until

LOGIN = {"endpoint": "intersight.com", "key_id": KEY_ID, "secret": "intersight-key"}
HOST = {"name": "cp-01", "serial": "WZP00000011", "intersight": True}
DEVICES = [
    {"ObjectType": "boot.Nvme", "ClassId": "boot.Nvme", "Name": "disk", "Enabled": True},
    {"ObjectType": "boot.VirtualMedia", "ClassId": "boot.VirtualMedia", "Name": "image", "Enabled": True},
]


@pytest_asyncio.fixture
async def made(stand: Stand) -> AsyncIterator[list[Driver]]:
    """A staged profile with a boot order and a virtual media policy."""
    order = specs.policy("boot.PrecisionPolicy", "t-boot", {"ConfiguredBootMode": "Uefi", "BootDevices": DEVICES})
    media = specs.policy("vmedia.Policy", "t-media", {"Enabled": True, "Encryption": True})
    drivers = [Driver(stand, BY_TOKEN["Policy"], spec) for spec in (order, media)]
    bucket = (("boot.PrecisionPolicy", "t-boot"), ("vmedia.Policy", "t-media"))
    drivers.append(Driver(stand, BY_TOKEN["ServerProfile"], specs.profile(*bucket)))
    for driver in drivers:
        await driver.create()
    yield drivers


async def test_a_server_starts_from_the_image_once_and_nobodys_spec_sees_it(
    stand: Stand, made: list[Driver], tmp_path: Path
) -> None:
    server = PublishServer(tmp_path / "publish")
    try:
        (server.directory / "image.iso").write_bytes(b"an image")
        stand.world.power("cp-01", "On")
        await until(lambda: stand.live("server.Profile", "cp-01")["ConfigContext"]["ConfigState"] == "Associated")
        await boot.boot_image(stand.context(), LOGIN, HOST, f"{server.url}/image.iso")
        await until(lambda: stand.world.host("cp-01").boots == 2)
    finally:
        server.stop()
    host = stand.world.host("cp-01")
    assert (host.medium, host.image and host.image.read_bytes()) == ("Cd", b"an image")
    for driver in made:
        assert (driver.id, await driver.drift()) == (driver.id, [])
    await boot.eject(stand.context(), LOGIN, HOST)
    assert stand.live("vmedia.Policy", "t-media")["Mappings"] == []
    stand.world.power("cp-01", "ForceRestart")
    await until(lambda: stand.world.host("cp-01").boots == 3)
    assert stand.world.host("cp-01").medium == "Hdd"


async def test_power_goes_through_the_servers_settings(stand: Stand, made: list[Driver]) -> None:
    for order, state in (("PowerOn", "On"), ("PowerOff", "Off")):
        await boot.power(stand.context(), LOGIN, HOST, order)
        await until(lambda state=state: stand.world.host("cp-01").power == state)  # type: ignore[misc]  # a lambda's default


async def test_a_server_without_a_profile_is_told(stand: Stand) -> None:
    with pytest.raises(ProviderError, match="cp-01: the server WZP00000011 carries no server profile yet"):
        await boot.boot_image(stand.context(), LOGIN, HOST, "http://192.0.2.2/x.iso")


async def test_a_boot_order_without_virtual_media_is_told(stand: Stand, made: list[Driver]) -> None:
    order, *_ = made
    await order.update(lambda spec: spec["properties"].update(BootDevices=DEVICES[:1]))
    with pytest.raises(ProviderError, match="the boot order 't-boot' has no virtual media device"):
        await boot.boot_image(stand.context(), LOGIN, HOST, "http://192.0.2.2/x.iso")


async def test_what_a_profile_handed_over_and_waits_for_is_known(stand: Stand, made: list[Driver]) -> None:
    assert await boot.waits_for_reset(stand.context(), LOGIN, HOST) == ["boot.PrecisionPolicy", "vmedia.Policy"]
    stand.world.power("cp-01", "On")
    await until(lambda: stand.live("server.Profile", "cp-01")["ConfigContext"]["ConfigState"] == "Associated")
    assert await boot.waits_for_reset(stand.context(), LOGIN, HOST) == []
    assert await boot.waits_for_reset(stand.context(), LOGIN, {"name": "inf-01", "serial": "WZP00000021"}) == []
