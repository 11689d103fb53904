from __future__ import annotations

import time

import pytest

from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.redfish import boot
from tests.providers.redfish.conftest import Stand

HOST = {"name": "gpu-01", "bmc": "192.0.2.101", "serial": "WZP00000001", "credential": "bmc-secret"}


def publish(stand: Stand, text: bytes = b"an image") -> str:
    (stand.side.image_server.directory / "image.iso").write_bytes(text)
    return f"{stand.side.image_server.url}/image.iso"


def booted(stand: Stand, times: int) -> None:
    for _ in range(250):
        if stand.world.host("gpu-01").boots >= times:
            return
        time.sleep(0.02)
    raise AssertionError(f"booted {stand.world.host('gpu-01').boots} times, not {times}")


async def test_a_machine_starts_from_the_image_once(stand: Stand) -> None:
    url = publish(stand)
    assert not await boot.booted_from(stand.context(), HOST, url)
    await boot.boot_image(stand.context(), HOST, url)
    booted(stand, 1)
    host = stand.world.host("gpu-01")
    assert (host.medium, host.image and host.image.read_bytes()) == ("Cd", b"an image")
    assert await boot.booted_from(stand.context(), HOST, url)
    stand.world.power("gpu-01", "ForceRestart")
    booted(stand, 2)
    assert stand.world.host("gpu-01").medium == "Hdd"


async def test_another_image_in_the_drive_makes_room(stand: Stand) -> None:
    await boot.boot_image(stand.context(), HOST, publish(stand, b"old"))
    (stand.side.image_server.directory / "new.iso").write_bytes(b"new")
    await boot.boot_image(stand.context(), HOST, f"{stand.side.image_server.url}/new.iso")
    booted(stand, 2)
    image = stand.world.host("gpu-01").image
    assert image is not None
    assert image.read_bytes() == b"new"


async def test_eject_and_power_off_can_be_repeated(stand: Stand) -> None:
    await boot.boot_image(stand.context(), HOST, publish(stand))
    for _ in range(2):
        await boot.eject(stand.context(), HOST)
        await boot.power_off(stand.context(), HOST)
    assert stand.world.host("gpu-01").media_url is None
    assert stand.world.host("gpu-01").power == "Off"


async def test_an_image_that_cannot_be_fetched_is_an_error_of_the_bmc(stand: Stand) -> None:
    with pytest.raises(ProviderError, match=r"gpu-01: the BMC at 192.0.2.101 refused to insert .*missing.iso"):
        await boot.boot_image(stand.context(), HOST, f"{stand.side.image_server.url}/missing.iso")
    assert stand.world.host("gpu-01").boots == 0
