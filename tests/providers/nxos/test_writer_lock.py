"""What of other writers is respected, what of our own is taken away, and what a writer leaves."""

from __future__ import annotations

import time

import pytest

from podwright.components.providers.nxos.orphans import orphans
from podwright.components.providers.nxos.session import Session
from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.nxos.rack import Rack, inputs
from tests.providers.nxos.writers import Writer, race, slowed

SMALL = {"feature bgp": "", "interface loopback3": "ip address 10.0.0.3/32"}


def line(identity: str, since: str) -> str:
    return f"cli alias name podwrightwriter0a podwright {identity} {since}"


def clock(lab: Rack, minutes: int) -> str:
    """The switch's time so many minutes ago, as a writer's line holds it."""
    return time.strftime("%Y%m%d%H%M", time.gmtime(lab.leaf.clock.now() - 60 * minutes))


async def test_while_another_stack_writes_nothing_is_written(lab: Rack) -> None:
    lab.edit(line("pod/theirs", clock(lab, 5)))
    before, startup = lab.running(), lab.startup()
    sentence = "leaf-01: the stack pod/theirs is writing to it right now; nothing was written.*counts for an hour"
    with pytest.raises(ProviderError, match=sentence):
        await lab.up(inputs(SMALL))
    assert (lab.running(), lab.startup()) == (before, startup)
    assert lab.leaf.checkpoints == {}


async def test_what_another_stack_left_an_hour_ago_counts_no_more(lab: Rack) -> None:
    lab.edit(line("pod/theirs", clock(lab, 61)))
    await lab.up(inputs(SMALL))
    assert "podwrightwriter" not in lab.running() + lab.startup()


async def test_what_a_killed_run_of_ours_left_is_taken_away(lab: Rack) -> None:
    lab.edit(line("podwright/lab", clock(lab, 1)))
    ctx = lab.context(config={"credentials": {"user": "admin", "secret": "switch-admin"}})
    spec = {"leaf-01": {"management": "192.0.2.11", "credential": "switch-admin"}}
    (found,) = await orphans(spec, ctx)
    assert found.startswith("switch leaf-01 carries the line 'cli alias name podwrightwriter0a")
    await lab.up(inputs(SMALL))
    assert "podwrightwriter" not in lab.running() + lab.startup()
    assert await orphans(spec, ctx) == ["switch leaf-01 carries this stack's configuration"]


async def test_a_run_that_was_cut_off_at_its_very_end_is_tidied_up(lab: Rack) -> None:
    made = await lab.up(inputs(SMALL))
    lab.edit(line("podwright/lab", clock(lab, 1)))
    await lab.kind.update("leaf-01", inputs(SMALL), inputs(SMALL), made.outputs, lab.context())
    assert "podwrightwriter" not in lab.running() + lab.startup()


async def test_a_line_that_was_saved_while_another_run_of_ours_wrote_is_tidied_up(lab: Rack) -> None:
    """It is gone from the running configuration, and would be back after the next reload."""
    made = await lab.up(inputs(SMALL))
    left = line("podwright/lab", clock(lab, 1))
    lab.edit(left)
    lab.type("copy running-config startup-config")
    lab.edit(f"no {left}")
    assert "podwrightwriter" in lab.startup()
    await lab.kind.update("leaf-01", inputs(SMALL), inputs(SMALL), made.outputs, lab.context())
    assert "podwrightwriter" not in lab.running() + lab.startup()


async def test_the_timer_of_a_stack_that_has_no_mark_yet_is_left_running(lab: Rack) -> None:
    job = ["feature scheduler", "scheduler job name podwright-net", "rollback running-config checkpoint x", "end-job"]
    lab.edit(line("pod/theirs", clock(lab, 1)), *job)
    before = lab.running()
    with pytest.raises(ProviderError, match="pod/theirs is writing to it right now"):
        await lab.up(inputs(SMALL))
    assert lab.running() == before


async def test_a_switch_that_was_taken_since_it_was_read_is_left_alone(
    lab: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Session._type
    mark = "cli alias name podwrightowner podwright pod/theirs 0123456789ab - leaf-01"

    async def meanwhile(self: Session, typed: str, limit: float) -> str:
        if typed.startswith("cli alias name podwrightwriter"):
            lab.edit(mark)
        return await real(self, typed, limit)

    monkeypatch.setattr(Session, "_type", meanwhile)
    with pytest.raises(ProviderError, match="leaf-01 was taken by the stack pod/theirs a moment ago; nothing was"):
        await lab.up(inputs(SMALL))
    assert "podwrightwriter" not in lab.running()
    assert "loopback3" not in lab.running()


async def test_a_server_that_denies_the_line_is_told(lab: Rack) -> None:
    lab.leaf.faults.deny = ["cli"]
    before = lab.running()
    with pytest.raises(ProviderError, match="leaf-01: nothing was written, for 'cli alias name podwrightwriter"):
        await lab.up(inputs(SMALL))
    assert lab.running() == before


@pytest.mark.parametrize("apart", [0.0, 0.2, 0.6])
async def test_two_runs_of_one_stack_end_with_what_they_say(
    lab: Rack, monkeypatch: pytest.MonkeyPatch, apart: float
) -> None:
    """The engine's lock keeps them apart; two clones with backends of their own do not."""
    slowed(monkeypatch)
    ours = [Writer("podwright/lab", inputs(), begins, 0.02) for begins in (0.0, apart)]
    ended = await race(lab, ours, f"one stack {apart}")
    for each in ended:
        assert each.made or "another run of this stack" in each.sentence or "somebody is editing" in each.sentence
    if any(each.made for each in ended):
        live = await lab.kind.read("leaf-01", inputs(), {}, lab.context())
        assert live is not None
        assert lab.kind.diff(live.inputs, inputs(), {}).changes == {}
    made = await lab.up()
    assert "podwrightwriter" not in lab.running() + lab.startup()
    assert not lab.kind.diff(inputs(), inputs(), made.outputs).changes
