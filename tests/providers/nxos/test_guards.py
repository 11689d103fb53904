"""What other people do on a switch is theirs: their edits, also behind a checkpoint of ours, and their timers."""

from __future__ import annotations

import pytest

from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.nxos.rack import CONFIG, Rack, inputs

PORT = "interface Ethernet1/1"
CHANGED = inputs(CONFIG | {"interface loopback0": "description router id\nip address 10.0.0.1/32"})
TIMER = (
    "feature scheduler",
    "scheduler job name podwright-net",
    "rollback running-config checkpoint podwright-0123456789",
    "end-job",
    "scheduler schedule name podwright-net",
    "job name podwright-net",
    "time start 2036:01:01:00:00",
)


@pytest.mark.parametrize("line", ["mtu 1500", "shutdown", "no description"])
async def test_a_checkpoint_left_behind_lets_no_edit_through(lab: Rack, line: str) -> None:
    made = await lab.up()
    lab.type("checkpoint podwright-0123456789")
    lab.edit(PORT, line)
    edited = lab.running()
    with pytest.raises(ProviderError, match=r"leaf-01 was edited .*Ethernet1/1"):
        await lab.kind.update("leaf-01", CHANGED, inputs(), made.outputs, lab.context())
    assert lab.running() == edited


async def test_half_a_push_behind_its_checkpoint_is_completed(lab: Rack) -> None:
    made = await lab.up()
    lab.type("checkpoint podwright-0123456789")
    lab.edit("interface loopback0", "description router id")
    await lab.kind.update("leaf-01", CHANGED, inputs(), made.outputs, lab.context())
    assert "podwright-0123456789" not in lab.type("show checkpoint summary")


async def test_the_timer_of_another_stack_runs_on(lab: Rack) -> None:
    await lab.kind.create(inputs(), lab.context(identity="podwright/other"))
    lab.edit(*TIMER)
    before = lab.running()
    with pytest.raises(ProviderError, match="belongs to the stack podwright/other"):
        await lab.up()
    await lab.kind.delete("leaf-01", inputs(), {}, lab.context())
    assert lab.running() == before and "time start 2036:01:01:00:00" in before
