"""A server profile under a new name: the same object on the same server, nothing deployed again, no restart."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.transport import ApiError
from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.intersight.conftest import Driver, Stand
from tests.providers.intersight.test_profile import bucket, profile


def named(spec: dict[str, Any]) -> None:
    spec.update(name="cp-01b")


async def test_a_profile_is_renamed_in_place(stand: Stand) -> None:
    await bucket(stand)
    driver = profile(stand, action="deploy", approved_disruptions=["Reboot"])
    made = await driver.create()
    before = dict(stand.live("server.Profile", "cp-01"))
    boots = stand.world.host("cp-01").boots
    new = {"spec": {**driver.spec, "name": "cp-01b"}}
    found = driver.kind.diff(driver.inputs, new, made)
    assert (found.changes, found.replaces) == ({("spec", "name"): "update"}, frozenset())
    outputs = await driver.update(named)
    live = stand.live("server.Profile", "cp-01b")
    assert stand.live("server.Profile", "cp-01") is None
    differs = {key for key in {*before, *live} if before.get(key) != live.get(key)}
    assert differs <= {"Name", "ModTime"}
    assert outputs["moid"] == made["moid"]
    assert stand.world.host("cp-01").boots == boots
    assert await driver.drift() == []


@pytest.mark.parametrize("mode", ["cut", "429"])
async def test_a_reply_that_was_lost_makes_no_second_profile(stand: Stand, mode: str) -> None:
    driver = await _made(stand)
    stand.fault(mode=mode, verb="PATCH", times=1)
    await driver.update(named)
    assert stand.live("server.Profile", "cp-01") is None
    assert stand.live("server.Profile", "cp-01b")["Moid"] == driver.outputs["moid"]


async def test_somebody_elses_profile_of_that_name_is_in_the_way(stand: Stand) -> None:
    driver = await _made(stand)
    other = profile(stand, name="cp-01b", serial="WZP00000021", model="UCSC-845A-M8")
    other._context["identity"] = "podwright/other"
    await other.create()
    with pytest.raises(ProviderError):
        await driver.update(named)
    assert stand.live("server.Profile", "cp-01")["Moid"] == driver.outputs["moid"] != other.outputs["moid"]


async def test_an_account_that_refuses_names_the_way_out(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = await _made(stand)
    real = Account.patch

    async def refuse(self: Account, live: Any, changes: Any, what: str) -> Any:
        if "Name" in changes:
            raise ApiError(403, {"message": "the name cannot be changed"}, what)
        return await real(self, live, changes, what)

    monkeypatch.setattr(Account, "patch", refuse)
    with pytest.raises(
        ProviderError, match=r"does not rename 'cp-01' to 'cp-01b'.*cannot be changed.*former name back"
    ):
        await driver.update(named)
    assert stand.live("server.Profile", "cp-01b") is None


async def _made(stand: Stand) -> Driver:
    await bucket(stand)
    driver = profile(stand)
    await driver.create()
    return driver
