"""500, 502 and 504: a read is asked again; after a write the object is looked up, and what is missing is repeated."""

from __future__ import annotations

import pytest

from podwright.components.providers.intersight import account as accounts
from podwright.components.providers.intersight import boot, repeats
from podwright.components.providers.intersight import settings as order_settings
from podwright.components.providers.intersight.transport import ApiError, UnansweredError
from podwright.components.providers.protocol.kind import Incomplete, ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, KEY_ID, Driver, Stand
from tests.waiting import soon

POLICY, PROFILE = BY_TOKEN["Policy"], BY_TOKEN["ServerProfile"]
STATUSES = ("500", "502", "504")
LOGIN = {"endpoint": "intersight.com", "key_id": KEY_ID, "secret": "intersight-key"}
HOST = {"name": "cp-01", "serial": "WZP00000011", "intersight": True}

pytestmark = pytest.mark.usefixtures("_short_pauses")


@pytest.fixture
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(order_settings, "BEGINS_WITHIN", 2.0)


@pytest.mark.parametrize("mode", STATUSES)
async def test_a_read_is_asked_again(stand: Stand, mode: str) -> None:
    driver = Driver(stand, POLICY, specs.ntp())
    await driver.create()
    stand.fault(mode=mode, times=2, verb="GET")
    assert await driver.drift() == []


async def test_a_read_that_never_works_says_who_answered_what(stand: Stand) -> None:
    driver = Driver(stand, POLICY, specs.ntp())
    accounts.account(stand.context())._client._patience = 0.0
    stand.fault(mode="504", times=9, verb="GET")
    with pytest.raises(ProviderError, match=r"Intersight failed to look up .*HTTP 504"):
        await driver.create()


@pytest.mark.parametrize("carried_out", [False, True])
@pytest.mark.parametrize("mode", STATUSES)
async def test_a_create_makes_one_object(stand: Stand, mode: str, carried_out: bool) -> None:
    stand.fault(mode=mode, verb="POST", times=1, carried_out=carried_out)
    driver = Driver(stand, POLICY, specs.ntp())
    await driver.create()
    assert (stand.side.writes, len(stand.store.of("ntp.Policy"))) == (1, 1)
    assert await driver.drift() == []


@pytest.mark.parametrize("carried_out", [False, True])
async def test_a_change_is_written_once(stand: Stand, carried_out: bool) -> None:
    driver = Driver(stand, POLICY, specs.ntp())
    await driver.create()
    stand.fault(mode="502", verb="PATCH", times=1, carried_out=carried_out)
    await driver.update(lambda spec: spec["properties"].update(NtpServers=["192.0.2.2"]))
    assert stand.side.writes == 2
    assert await driver.drift() == []


@pytest.mark.parametrize("carried_out", [False, True])
async def test_a_deletion_is_completed(stand: Stand, carried_out: bool) -> None:
    driver = Driver(stand, POLICY, specs.ntp())
    await driver.create()
    stand.fault(mode="502", verb="DELETE", times=1, carried_out=carried_out)
    await driver.delete()
    assert await driver.gone()
    assert stand.side.writes == 2


@pytest.mark.parametrize("carried_out", [False, True])
@pytest.mark.parametrize("nth", range(1, 5))
async def test_a_profile_is_deployed_by_one_workflow(stand: Stand, nth: int, carried_out: bool) -> None:
    """The n-th PATCH of a profile's life goes wrong: its bucket, its server, the deploy, the activation."""
    await Driver(stand, POLICY, specs.bios()).create()
    driver = Driver(stand, PROFILE, specs.profile(("bios.Policy", "t-bios"), action="deploy"))
    driver.spec["approved_disruptions"] = ["Reboot"]
    stand.fault(mode="502", verb="PATCH", after=nth - 1, carried_out=carried_out)
    await driver.create()
    assert (driver.outputs["config_state"], stand.side.gate.broken) == ("Associated", False)
    names = sorted(mo["Name"] for mo in stand.store.of("workflow.WorkflowInfo"))
    assert names == sorted(set(names)), "nothing ran twice"
    assert await driver.drift() == []


async def test_a_write_that_never_works_ends_in_a_sentence(stand: Stand) -> None:
    driver = Driver(stand, POLICY, specs.ntp())
    stand.fault(mode="502", verb="POST", times=99)
    with pytest.raises(ProviderError, match=r"create ntp.Policy 't-ntp'.*HTTP 502.* times; .*run again"):
        await driver.create()
    assert stand.store.of("ntp.Policy") == []


@pytest.mark.parametrize("carried_out", [False, True])
async def test_a_power_order_is_given_once(stand: Stand, carried_out: bool) -> None:
    stand.fault(mode="502", verb="PATCH", times=1, carried_out=carried_out)
    await boot.power(stand.context(), LOGIN, HOST, "PowerOn")
    await soon(lambda: stand.world.host("cp-01").power == "On")
    assert len(stand.store.of("workflow.WorkflowInfo")) == 1


def test_what_no_caller_foresaw_is_a_sentence_all_the_same() -> None:
    """The engine prints a ProviderError as it stands; anything else becomes an error nobody foresaw."""
    assert issubclass(ApiError, ProviderError)
    assert issubclass(UnansweredError, ProviderError)


async def test_a_failed_first_deploy_keeps_the_profile_in_the_state(stand: Stand) -> None:
    await Driver(stand, POLICY, specs.bios()).create()
    driver = Driver(stand, PROFILE, specs.profile(("bios.Policy", "t-bios")))
    stand.fault(mode="500", verb="PATCH", after=2, times=99)
    with pytest.raises(Incomplete, match=r"deploy server profile 'cp-01'.*HTTP 500") as unfinished:
        await driver.create()
    assert unfinished.value.outputs["moid"] == stand.live("server.Profile", "cp-01")["Moid"]
