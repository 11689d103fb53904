from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

import pytest

from podwright.components.design.compute import bios
from podwright.components.design.hardware import server_model
from podwright.components.providers.protocol.configuration import login_of
from podwright.components.providers.protocol.kind import Context, Incomplete, ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand
from tests.waiting import soon

POLICY, PROFILE = BY_TOKEN["Policy"], BY_TOKEN["ServerProfile"]
BUCKET = (("ntp.Policy", "t-ntp"), ("bios.Policy", "t-bios"), ("vnic.LanConnectivityPolicy", "t-lan"))


async def bucket(stand: Stand) -> list[Driver]:
    made = []
    for spec in (specs.ntp(), specs.bios(), specs.qos(), specs.vlans(), specs.lan()):
        made.append(Driver(stand, POLICY, spec))
        await made[-1].create()
    return made


def profile(stand: Stand, **change: Any) -> Driver:
    return Driver(stand, PROFILE, specs.profile(*BUCKET, **change))


async def test_staging_hands_everything_over_and_restarts_nothing(stand: Stand) -> None:
    await bucket(stand)
    driver = profile(stand)
    outputs = await driver.create()
    assert (outputs["config_state"], outputs["pending_disruptions"]) == ("Pending-changes", ["Reboot"])
    assert outputs["hardware_uuid"] == "00000000-0000-4000-8000-000000000011"
    assert stand.world.host("cp-01").boots == 0
    assert stand.world.host("cp-01").bios_pending["SmtMode"] == "Off"
    assert len(stand.live("server.Profile", "cp-01")["PolicyBucket"]) == 3
    assert await driver.drift() == []


async def test_a_staged_profile_takes_effect_at_the_next_boot(stand: Stand) -> None:
    await bucket(stand)
    driver = profile(stand)
    await driver.create()
    stand.world.power("cp-01", "On")
    await soon(lambda: stand.live("server.Profile", "cp-01")["ConfigContext"]["ConfigState"] == "Associated")
    assert stand.world.bios("cp-01")["SmtMode"] == "Off"
    assert await driver.drift() == []


async def test_a_deploy_restarts_only_with_approval(stand: Stand) -> None:
    await bucket(stand)
    driver = profile(stand, action="deploy")
    with pytest.raises(
        Incomplete, match=r"would cause Reboot; nothing was deployed.*approve: \[\{what: reboot, on: \[cp-01\]"
    ):
        await driver.create()
    assert stand.world.host("cp-01").boots == 0
    driver = profile(stand, action="deploy", approved_disruptions=["Reboot"])
    outputs = await driver.create()
    assert outputs["config_state"] == "Associated"
    assert stand.world.host("cp-01").boots == 1
    assert any("Deploy Server Profile" in said or "Activate Server Profile" in said for said in stand.said)
    assert await driver.drift() == []
    writes = stand.side.writes
    await driver.update()
    assert stand.side.writes == writes


@pytest.mark.parametrize("what", ["disruptive", "reboot"])
async def test_what_the_error_says_is_what_lets_it_pass(stand: Stand, what: str) -> None:
    """An approval of the stack file: `changes: {approve: [{what: reboot, on: [cp-01], until}]}`."""
    await bucket(stand)
    driver = profile(stand, action="deploy")
    for on, until_ in (("cp-02", "2999-01-01T00:00:00Z"), ("cp-01", "2001-01-01T00:00:00Z")):
        with pytest.raises(Incomplete, match="would cause Reboot") as stopped:
            await PROFILE.create(driver.inputs, approved(stand, on, until_, what))
        assert ("its approval ended at 2001" in stopped.value.reasons[0]) is (on == "cp-01")
    with pytest.raises(Incomplete, match="would cause Reboot"):
        await PROFILE.create(driver.inputs, approved(stand, "cp-01", "2999-01-01T00:00:00Z", "wipe"))
    made = await PROFILE.create(driver.inputs, approved(stand, "cp-01", "2999-01-01T00:00:00Z", what))
    assert (made.outputs["config_state"], stand.world.host("cp-01").boots) == ("Associated", 1)


def approved(stand: Stand, on: str, until_: str, what: str) -> Context:
    """What an operation sees of a provider instance with this approval."""
    ctx = stand.context()
    approval = {"what": what, "on": [on], "until": until_}
    login = login_of({"intersight": {"key_id": "x"}, "changes": {"approve": [approval]}}, PROFILE.token)
    return dataclasses.replace(ctx, config={**ctx.config, "changes": login["changes"]})


async def test_a_changed_policy_is_found_and_handed_over_again(stand: Stand) -> None:
    _, bios, *_ = await bucket(stand)
    driver = profile(stand, action="deploy", approved_disruptions=["Reboot"])
    await driver.create()
    await bios.update(lambda spec: spec["properties"].update(SmtMode="Auto"))
    await asyncio.sleep(0.3)
    assert await driver.drift() == ["spec.action"]
    await driver.update(lambda spec: spec.update(digest="new"))
    assert stand.world.bios("cp-01")["SmtMode"] == "Auto"
    assert await driver.drift() == []


async def test_a_policy_dropped_from_or_put_into_the_bucket_by_hand_is_drift(stand: Stand) -> None:
    await bucket(stand)
    driver = profile(stand)
    await driver.create()
    held = stand.live("server.Profile", "cp-01")["PolicyBucket"]
    stand.edit("server.Profile", "cp-01", {"PolicyBucket": [ref for ref in held if ref["ObjectType"] != "ntp.Policy"]})
    assert any(path.startswith("spec.policies") for path in await driver.drift())
    await driver.update()
    assert await driver.drift() == []
    assert len(stand.live("server.Profile", "cp-01")["PolicyBucket"]) == 3


async def test_the_order_of_policies_means_nothing(stand: Stand) -> None:
    await bucket(stand)
    driver = profile(stand)
    await driver.create()
    turned = {"spec": {**driver.spec, "policies": driver.spec["policies"][::-1]}}
    assert PROFILE.diff(driver.inputs, turned, driver.outputs).changes == {}


async def test_a_failed_deploy_says_why_and_the_next_run_completes(stand: Stand) -> None:
    await bucket(stand)
    stand.fault(fail_next="The BIOS token is not supported on this board.")
    driver = profile(stand)
    with pytest.raises(Incomplete, match="The BIOS token is not supported on this board") as told:
        await driver.create()
    assert told.value.id == "server.Profile/default/cp-01"
    assert told.value.outputs["config_state"] == "Failed"
    await driver.create()
    assert await driver.drift() == []


async def test_a_server_that_is_not_connected_is_told(stand: Stand) -> None:
    await bucket(stand)
    stand.fault(connected={"cp-01": False})
    with pytest.raises(Incomplete, match="is not connected"):
        await profile(stand).create()
    stand.fault(connected={"cp-01": True})
    await profile(stand).create()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"serial": "WZP0"}, "knows no server with serial number WZP0; claim it first"),
        ({"model": "UCSC-C240-M7SX"}, "is a UCSC-C225-M8N, the spec for cp-01 says UCSC-C240-M7SX"),
    ],
)
async def test_the_wrong_machine_is_never_assigned(stand: Stand, change: dict[str, Any], told: str) -> None:
    await bucket(stand)
    with pytest.raises(ProviderError, match=told):
        await profile(stand, **change).create()
    assert stand.live("server.Profile", "cp-01") is None


async def test_a_server_that_carries_another_profile_is_left_to_it(stand: Stand) -> None:
    await bucket(stand)
    await profile(stand).create()
    with pytest.raises(ProviderError, match="already carries the server profile 'cp-01'; unassign that first"):
        await profile(stand, name="cp-02").create()


async def test_a_replaced_machine_takes_the_profile_over(stand: Stand) -> None:
    await bucket(stand)
    driver = profile(stand)
    await driver.create()
    await driver.update(lambda spec: spec.update(serial="WZP00000021", model="UCSC-845A-M8"))
    assert driver.outputs["hardware_uuid"] == "00000000-0000-4000-8000-000000000021"
    assert await driver.drift() == []


async def test_destroy_unassigns_and_leaves_the_machine_running(stand: Stand) -> None:
    drivers = await bucket(stand)
    driver = profile(stand, action="deploy", approved_disruptions=["Reboot"])
    await driver.create()
    await driver.delete()
    assert await driver.gone()
    assert stand.world.host("cp-01").power == "On"
    for each in reversed(drivers):
        await each.delete()
        assert await each.gone()


async def test_a_stop_during_a_deploy_leaves_it_to_be_found_again(stand: Stand) -> None:
    await bucket(stand)
    stand.fault(configure=1.0)
    driver = profile(stand)
    ctx = stand.context()
    task = asyncio.create_task(PROFILE.create(driver.inputs, ctx))
    await soon(lambda: any("Deploy Server Profile" in said for said in stand.said))
    ctx.cancel.set()
    with pytest.raises(Incomplete, match="stopped waiting as asked, Intersight goes on"):
        await task
    workflows = len(stand.store.of("workflow.WorkflowInfo"))
    await driver.create()
    assert len(stand.store.of("workflow.WorkflowInfo")) == workflows, "the running deploy was followed, not repeated"
    assert await driver.drift() == []


@pytest.mark.parametrize("steps", range(1, 26, 3))
async def test_killed_after_any_request_the_next_run_completes(stand: Stand, steps: int) -> None:
    await bucket(stand)
    driver = profile(stand, action="deploy", approved_disruptions=["Reboot"])
    task = asyncio.create_task(PROFILE.create(driver.inputs, stand.context()))
    last = stand.side.gate.requests + steps
    await soon(lambda: stand.side.gate.requests >= last or task.done())
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await driver.create()
    assert driver.outputs["config_state"] == "Associated"
    assert len(stand.store.of("server.Profile")) == 1
    assert await driver.drift() == []


async def test_a_cut_after_an_action_does_not_deploy_twice(stand: Stand) -> None:
    await bucket(stand)
    driver = profile(stand)
    await driver.create()
    workflows = len(stand.store.of("workflow.WorkflowInfo"))
    stand.fault(mode="cut", verb="PATCH", times=1)
    await driver.update(lambda spec: spec.update(action="deploy", approved_disruptions=["Reboot"]))
    assert driver.outputs["config_state"] == "Associated"
    assert len(stand.store.of("workflow.WorkflowInfo")) == workflows + 1


FORMS = pytest.mark.parametrize("stand", ["{c845a: any}", "{c845a: checked}"], indirect=True)
C845A = {"serial": "WZP00000021", "model": "UCSC-845A-M8", "server_family": "UCSC845A"}


@FORMS
async def test_a_c845a_takes_its_own_tokens_by_family_and_model(stand: Stand) -> None:
    """As the design sends them: a profile of the family, a BIOS policy of the model, a token each an object."""
    model = server_model("UCSC-845A-M8")
    await Driver(stand, POLICY, specs.policy("bios.Policy", "t-bios", bios.policy(model, 2))).create()
    driver = Driver(stand, PROFILE, specs.profile(("bios.Policy", "t-bios"), name="inf-01", **C845A))
    stand.world.power("inf-01", "On")
    await soon(lambda: stand.world.host("inf-01").boots == 1)
    with stand.world.lock:
        stand.world.host("inf-01").bios.update(Pcid002="Disabled", Cpu005="Disabled")
    await driver.create()
    assert {name: stand.world.host("inf-01").bios_pending[name] for name in ("Pcid002", "Cpu005")} == {
        "Pcid002": "Enabled",
        "Cpu005": "Enabled",
    }
    assert stand.live("server.Profile", "inf-01")["ServerFamily"] == "UCSC845A"
    assert await driver.drift() == []
    stand.edit("server.Profile", "inf-01", {"ServerFamily": "Unspecified"})
    assert await driver.drift() == ["spec.server_family"]


@FORMS
async def test_a_machine_of_another_family_takes_the_profile_over_and_gives_it_back(stand: Stand) -> None:
    await bucket(stand)
    driver = profile(stand)
    await driver.create()
    await driver.update(lambda spec: spec.update(C845A))
    assert stand.live("server.Profile", "cp-01")["ServerFamily"] == "UCSC845A"

    def back(spec: dict[str, Any]) -> None:
        del spec["server_family"]
        spec.update(serial="WZP00000011", model="UCSC-C225-M8N")

    await driver.update(back)
    assert stand.live("server.Profile", "cp-01")["ServerFamily"] == "Unspecified"
    assert await driver.drift() == []
