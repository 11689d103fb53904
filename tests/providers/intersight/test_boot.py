"""Booting what only Intersight reaches: the image is in a policy of the server's own while it installs, the order goes
to the server's settings.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from podwright.components.providers.intersight import boot
from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, LOGIN, Driver, Stand
from tests.waiting import soon

HOST = {"name": "cp-01", "serial": "WZP00000011", "intersight": True}
DEVICES = [
    {"ObjectType": "boot.Nvme", "ClassId": "boot.Nvme", "Name": "disk", "Enabled": True},
    {"ObjectType": "boot.VirtualMedia", "ClassId": "boot.VirtualMedia", "Name": "image", "Enabled": True},
]


@pytest_asyncio.fixture
async def made(stand: Stand) -> AsyncIterator[list[Driver]]:
    """A boot order and a virtual media policy, and the staged profiles of two servers that share them."""
    order = specs.policy("boot.PrecisionPolicy", "t-boot", {"ConfiguredBootMode": "Uefi", "BootDevices": DEVICES})
    media = specs.policy("vmedia.Policy", "t-media", {"Enabled": True, "Encryption": True})
    drivers = [Driver(stand, BY_TOKEN["Policy"], spec) for spec in (order, media)]
    bucket = (("boot.PrecisionPolicy", "t-boot"), ("vmedia.Policy", "t-media"))
    drivers.append(Driver(stand, BY_TOKEN["ServerProfile"], specs.profile(*bucket)))
    other = specs.profile(*bucket, name="inf-01", serial="WZP00000021", model="UCSC-845A-M8")
    drivers.append(Driver(stand, BY_TOKEN["ServerProfile"], other))
    for driver in drivers:
        await driver.create()
    yield drivers


async def running(stand: Stand, name: str) -> None:
    """Switched on, and its staged profile in force."""
    stand.world.power(name, "On")
    await soon(lambda: stand.live("server.Profile", name)["ConfigContext"]["ConfigState"] == "Associated")


def media_of(stand: Stand, name: str) -> str:
    """Name of the virtual media policy in a profile."""
    refs = [ref for ref in stand.live("server.Profile", name)["PolicyBucket"] if ref["ObjectType"] == "vmedia.Policy"]
    assert len(refs) == 1
    return str(stand.store.objects[refs[0]["Moid"]]["Name"])


async def test_a_server_that_was_never_started_boots_the_image(stand: Stand, made: list[Driver], image: str) -> None:
    """Its boot order is staged, not in force: it is activated before the one-time boot device is ordered."""
    assert stand.world.host("cp-01").boots == 0
    await boot.boot_image(stand.context(), LOGIN, HOST, image)
    await soon(lambda: stand.world.host("cp-01").medium == "Cd")
    assert stand.world.host("cp-01").boots == 2, "once to bring the profile into force, once from the image"
    assert stand.live("server.Profile", "cp-01")["ConfigContext"]["ConfigState"] == "Associated"


async def test_a_server_starts_from_the_image_once_and_nobodys_spec_sees_it(
    stand: Stand, made: list[Driver], image: str
) -> None:
    await running(stand, "cp-01")
    await boot.boot_image(stand.context(), LOGIN, HOST, image)
    await soon(lambda: stand.world.host("cp-01").boots == 2)
    host = stand.world.host("cp-01")
    assert (host.medium, host.image and host.image.read_bytes()) == ("Cd", b"an image")
    for driver in made:
        assert (driver.id, await driver.drift()) == (driver.id, [])
    await boot.eject(stand.context(), LOGIN, HOST)
    assert media_of(stand, "cp-01") == "t-media"
    assert [mo["Name"] for mo in stand.store.of("vmedia.Policy")] == ["t-media"]
    stand.world.power("cp-01", "ForceRestart")
    await soon(lambda: stand.world.host("cp-01").boots == 3)
    assert stand.world.host("cp-01").medium == "Hdd"
    for driver in made:
        assert (driver.id, await driver.drift()) == (driver.id, [])


async def test_a_joining_server_hands_its_image_to_nobody_else(stand: Stand, made: list[Driver], image: str) -> None:
    await running(stand, "inf-01")
    before = stand.live("server.Profile", "inf-01")["ModTime"]
    await boot.boot_image(stand.context(), LOGIN, HOST, image)
    assert stand.live("vmedia.Policy", "t-media")["Mappings"] == []
    assert stand.live("server.Profile", "inf-01")["ModTime"] == before, "nothing to validate, nothing to hand over"
    assert (stand.world.host("inf-01").image, stand.world.host("inf-01").boots) == (None, 1)
    await boot.eject(stand.context(), LOGIN, HOST)
    assert stand.live("server.Profile", "inf-01")["ModTime"] == before


async def test_an_update_while_a_server_installs_leaves_the_image_in(
    stand: Stand, made: list[Driver], image: str
) -> None:
    await boot.boot_image(stand.context(), LOGIN, HOST, image)
    profile = made[2]
    during = media_of(stand, "cp-01")
    await profile.update(lambda spec: spec.update(digest="new"))
    assert media_of(stand, "cp-01") == during != "t-media"
    await boot.boot_image(stand.context(), LOGIN, HOST, f"{image}?again")
    assert media_of(stand, "cp-01") == during
    await boot.eject(stand.context(), LOGIN, HOST)
    await boot.eject(stand.context(), LOGIN, HOST)
    assert media_of(stand, "cp-01") == "t-media"
    assert await profile.drift() == []


async def test_a_profile_that_goes_takes_its_image_along(stand: Stand, made: list[Driver], image: str) -> None:
    await boot.boot_image(stand.context(), LOGIN, HOST, image)
    for driver in reversed(made):
        await driver.delete()
    assert stand.store.of("vmedia.Policy") == []


async def test_an_image_that_an_earlier_release_left_in_the_shared_policy_is_taken_out(
    stand: Stand, made: list[Driver], image: str
) -> None:
    left = {"ClassId": "vmedia.Mapping", "ObjectType": "vmedia.Mapping", "DeviceType": "cdd", "MountProtocol": "http"}
    mapping = left | {"VolumeName": "podwright-install", "FileLocation": image}
    stand.edit("vmedia.Policy", "t-media", {"Mappings": [mapping, mapping | {"VolumeName": "theirs"}]})
    await boot.eject(stand.context(), LOGIN, HOST)
    assert [each["VolumeName"] for each in stand.live("vmedia.Policy", "t-media")["Mappings"]] == ["theirs"]


@pytest.mark.parametrize("stand", ["{orders: at-once}", "{orders: later}"], indirect=True)
async def test_power_goes_through_the_servers_settings_and_is_waited_for(stand: Stand, made: list[Driver]) -> None:
    """Settings that read Applied right after the order say it of the order before."""
    for order, count in (("PowerOn", 1), ("PowerOff", 2), ("PowerOn", 3)):
        await boot.power(stand.context(), LOGIN, HOST, order)
        ended = [mo for mo in stand.store.of("workflow.WorkflowInfo") if mo["Name"] == "Server Operation"]
        assert [mo["WorkflowStatus"] for mo in ended] == ["Completed"] * count


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
    await soon(lambda: stand.live("server.Profile", "cp-01")["ConfigContext"]["ConfigState"] == "Associated")
    assert await boot.waits_for_reset(stand.context(), LOGIN, HOST) == []
    await made[3].delete()
    assert await boot.waits_for_reset(stand.context(), LOGIN, {"name": "inf-01", "serial": "WZP00000021"}) == []
