"""A session that is lost for good: the switch goes back by itself, and the next run finds it whole."""

from __future__ import annotations

import time
from typing import Any

import pytest

from podwright.components.providers.nxos.write import push, rollback_timer
from podwright.components.providers.nxos.write.rollback_timer import apart, clock_of
from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.nxos.moments import moments
from tests.providers.nxos.rack import Rack, inputs, without_net
from tests.providers.nxos.test_push import CHANGED, SMALL, KilledError, kill_at, meanwhile

HOUR = 3600.0


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push, "_RETRIES", (0.01, 0.02, 0.05))


def an_hour_later(lab: Rack) -> None:
    lab.leaf.clock.offset += HOUR
    lab.leaf.tick()


async def change(lab: Rack, made: Any, to: dict[str, str] = CHANGED, since: dict[str, str] = SMALL) -> None:
    await lab.kind.update("leaf-01", inputs(to), inputs(since), made.outputs, lab.context())


@pytest.mark.rough
async def test_a_plugin_killed_at_any_line_and_nobody_comes_back_the_switch_rolls_itself_back(
    lab: Rack, typed: list[str]
) -> None:
    made = await lab.up(inputs(SMALL))
    first = lab.running()
    typed.clear()
    await change(lab, made)
    total, intended = len(typed), lab.running()
    outcomes = set()
    for line in moments(total):
        await change(lab, made, SMALL, CHANGED)
        assert lab.running() == first, line
        with pytest.MonkeyPatch.context() as patch:
            kill_at(patch, line)
            with pytest.raises(KilledError):
                await change(lab, made)
        an_hour_later(lab)
        assert without_net(lab.running()) in (without_net(first), without_net(intended)), line
        outcomes.add(without_net(lab.running()) == without_net(intended))
        await change(lab, made)
        assert lab.running() == intended, line
        assert lab.startup() == intended, line
        assert lab.leaf.checkpoints == {}, line
    assert outcomes == {True, False}


async def test_a_good_push_leaves_no_timer_behind(lab: Rack) -> None:
    made = await lab.up(inputs(SMALL))
    before = lab.running()
    assert "scheduler" not in before
    an_hour_later(lab)
    assert lab.running() == before
    await change(lab, made)
    intended = lab.running()
    an_hour_later(lab)
    assert lab.running() == intended == lab.startup()


async def test_a_run_that_comes_back_in_time_cancels_the_timer_before_anything_else(lab: Rack) -> None:
    made = await lab.up(inputs(SMALL))
    with pytest.MonkeyPatch.context() as patch:
        kill_at(patch, 32)
        with pytest.raises(KilledError):
            await change(lab, made)
    assert "scheduler job name podwright-net" in lab.running()
    await change(lab, made)
    intended = lab.running()
    assert "scheduler" not in intended
    an_hour_later(lab)
    assert lab.running() == intended


async def test_somebody_else_s_scheduler_stays_as_it_was(lab: Rack) -> None:
    theirs = ("feature scheduler", "scheduler job name backup", "copy running-config startup-config", "end-job")
    lab.edit(*theirs)
    made = await lab.up(inputs(SMALL))
    await change(lab, made)
    assert "feature scheduler" in lab.running()
    assert "scheduler job name backup" in lab.running()
    assert "podwright-net" not in lab.running()


async def test_a_job_that_somebody_adds_meanwhile_keeps_the_feature_on(
    lab: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await lab.up(inputs(SMALL))
    meanwhile(lab, monkeypatch, "mtu 9000", "scheduler job name theirs", "show clock", "end-job")
    await change(lab, made)
    assert "scheduler job name theirs" in lab.running()
    assert "podwrightnet" not in lab.running()


async def test_a_feature_that_is_ours_to_want_is_not_turned_off_again(lab: Rack) -> None:
    await lab.up(inputs({**SMALL, "feature scheduler": ""}))
    assert "feature scheduler" in lab.running()
    assert "podwrightnet" not in lab.running()


async def test_a_long_push_moves_the_time_on(lab: Rack, typed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollback_timer, "MINUTES", -1)  # half of it is over before the first line
    monkeypatch.setattr("podwright.components.providers.nxos.write.change.BATCH", 2)
    await lab.up(inputs(CHANGED))
    assert sum(line.startswith("time start ") for line in typed) > 3
    assert "podwright-net" not in lab.running()


async def test_a_user_of_a_aaa_server_has_no_timer_and_the_run_says_so(lab: Rack) -> None:
    lab.edit("feature tacacs+", "aaa group server tacacs+ T", "aaa authentication login default group T")
    await lab.up(inputs(SMALL))
    (said,) = lab.said
    assert said.startswith(
        "leaf-01 will not roll itself back if the session is lost: user admin comes from a AAA server"
    )


@pytest.mark.parametrize("line", ["match dscp", "class CNP", "interface loopback3"])
async def test_a_command_that_the_aaa_server_denies_is_said_as_that_and_taken_back(lab: Rack, line: str) -> None:
    made = await lab.up(inputs(SMALL))
    first = lab.running()
    lab.leaf.faults.deny = [line]
    with pytest.raises(ProviderError) as caught:
        await change(lab, made)
    text = str(caught.value)
    assert f"leaf-01: the switch refused '{line}" in text
    assert "(the AAA server does not permit this to user admin)" in text
    assert "the switch is as it was before" in text
    assert lab.running() == first


async def test_a_server_that_begins_to_deny_everything_midway_leaves_the_timer_armed(lab: Rack) -> None:
    made = await lab.up(inputs(SMALL))
    first = lab.running()
    lab.leaf.faults.deny, lab.leaf.faults.deny_after = ["class", "no ", "match", "interface", "policy", "rollback"], 17
    with pytest.raises(ProviderError, match=r"by its clock the switch goes back to it by itself"):
        await change(lab, made)
    lab.leaf.faults.deny = []
    assert without_net(lab.running()) != without_net(first)
    an_hour_later(lab)
    assert without_net(lab.running()) == without_net(first)


async def test_the_timer_never_takes_back_what_others_did_when_we_can_still_say_so(
    lab: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await lab.up(inputs(SMALL))
    for line in ("ip address 10.0.0.3/32", "no class-map type qos match-any CNP"):
        lab.side._fault_error({"switch": "leaf-01", "line": line, "message": "ERROR: busy"})
    meanwhile(lab, monkeypatch, "set qos-group 7", "interface Ethernet1/9", "description theirs")
    with pytest.raises(ProviderError, match="taking it back failed too"):
        await change(lab, made)
    an_hour_later(lab)
    assert "description theirs" in lab.running()


async def test_a_switch_full_of_others_checkpoints_has_no_timer(lab: Rack, typed: list[str]) -> None:
    for number in range(10):
        lab.type(f"checkpoint theirs-{number}")
    await lab.up(inputs(SMALL))
    assert not any("scheduler" in line for line in typed)


@pytest.mark.parametrize("after", range(4, 44, 3))
async def test_a_switch_that_reloads_in_the_middle_starts_from_before_and_the_next_run_completes(
    lab: Rack, after: int
) -> None:
    made = await lab.up(inputs(SMALL))
    first = lab.running()
    lab.leaf.faults.reload_after = after
    with pytest.raises(ProviderError, match="leaf-01"):
        await change(lab, made)
    await lab_is_back(lab)
    assert without_net(lab.running()) == without_net(first)
    await change(lab, made)
    assert "10.0.0.3/32" in lab.running()
    assert lab.leaf.checkpoints == {}


async def lab_is_back(lab: Rack) -> None:
    import asyncio
    import contextlib

    host, _, port = lab.context().reach.forward["192.0.2.11:22"].partition(":")
    for _ in range(100):
        if not lab.leaf.faults.down:
            with contextlib.suppress(OSError):  # its door opens a moment after it is up
                (await asyncio.open_connection(host, int(port)))[1].close()
                return
        await asyncio.sleep(0.1)
    raise AssertionError("the switch did not come back")


def test_what_is_ours_of_a_scheduler_is_told_apart() -> None:
    config: dict[str, Any] = {"feature scheduler": (), "scheduler job name theirs": (), "hostname a": ()}
    assert apart(config)[0] == config
    assert apart({"hostname a": ()})[1].cancelling == ()


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("12:00:01.123 UTC Sat Nov 21 2026\nTime source is NTP\n", "2026-11-21 12:00:01"),
        ("23:59:59.999 CEST Mon Jun  1 2026\n", "2026-06-01 23:59:59"),
        ("nothing", "None"),
    ],
)
def test_the_switch_s_own_clock_is_read(text: str, when: str) -> None:
    assert str(clock_of(text)) == when


@pytest.mark.parametrize("zone", ["clock timezone CET 1 0", "clock timezone EST -5 0"])
async def test_a_new_time_zone_neither_fires_the_timer_nor_leaves_it_at_the_old_clock(
    lab: Rack, typed: list[str], zone: str
) -> None:
    given = inputs({zone: "", "feature lldp": ""})
    made = await lab.kind.create(given, lab.context())
    assert zone in lab.running() and "Rollback" not in "".join(lab.leaf.scheduler_log)
    assert lab.leaf.rollbacks is None
    at = typed.index(zone)
    assert typed[at - 1] == "no scheduler schedule name podwright-net"
    assert any(line.startswith("time start ") for line in typed[at:])
    assert typed.index("feature lldp") < at
    assert "podwright-net" not in lab.running()
    await lab.kind.delete(made.id, given, made.outputs, lab.context())
    assert "clock timezone" not in lab.running() and lab.leaf.rollbacks is None


async def test_a_schedule_goes_by_the_zone_of_its_switch(lab: Rack) -> None:
    lab.edit("feature scheduler", "scheduler job name j", "show clock", "end-job", "clock timezone CET 1 0")
    there = time.strftime("%Y:%m:%d:%H:%M", time.gmtime(time.time() + 3600))
    lab.edit("scheduler schedule name s", "job name j", f"time start {there}")
    lab.type("show clock")
    assert "Schedule Name  : s " in "".join(lab.leaf.scheduler_log)
