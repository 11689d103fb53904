"""Back to the old spec after a push that was killed: a reading shows what it added, and an update takes it away."""

from __future__ import annotations

import pytest

from podwright.components.providers.nxos.write import push
from tests.providers.nxos.moments import moments
from tests.providers.nxos.rack import Rack, inputs
from tests.providers.nxos.test_push import CHANGED, SMALL, KilledError, kill_at

AT_ITS_END = 6
"""Lines of a push that stands already: it is saved, and nothing tells any more that it was under way."""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push, "_RETRIES", (0.01, 0.02, 0.05))


async def test_what_a_killed_push_added_is_read_as_ours_and_taken_away(lab: Rack, typed: list[str]) -> None:
    lab.edit("interface loopback3", "description stood there before")
    old = inputs(SMALL)
    made = await lab.up(old)
    first = lab.running()
    new = inputs(CHANGED, adopt=True)
    typed.clear()
    outputs = await lab.kind.update("leaf-01", new, old, made.outputs, lab.context())
    total = len(typed)
    await lab.kind.update("leaf-01", old, new, outputs, lab.context())
    assert lab.running() == first
    seen = set()
    for line in moments(total - AT_ITS_END):
        with pytest.MonkeyPatch.context() as patch:
            kill_at(patch, line)
            with pytest.raises(KilledError):
                await lab.kind.update("leaf-01", new, old, made.outputs, lab.context())
        live = await lab.kind.read("leaf-01", old, made.outputs, lab.context())
        assert live is not None
        seen |= set(live.inputs["spec"]["config"]) - set(SMALL)
        await lab.kind.update("leaf-01", old, live.inputs, live.outputs, lab.context())
        assert lab.running() == first, line
    assert seen == {"class-map type qos match-any CNP", "interface loopback3"}


async def test_without_a_push_under_way_nothing_beyond_the_spec_is_read(lab: Rack) -> None:
    old = inputs(SMALL)
    made = await lab.up(old)
    lab.edit("interface loopback7", "description theirs")
    live = await lab.kind.read("leaf-01", old, made.outputs, lab.context())
    assert live is not None
    assert live.inputs == old
