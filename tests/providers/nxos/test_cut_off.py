"""Back to the old spec after a push that was killed: a reading shows what it added, and an update takes it away."""

from __future__ import annotations

import pytest

from podwright.components.providers.nxos.session import Session
from podwright.components.providers.nxos.write import push
from tests.providers.nxos.moments import moments
from tests.providers.nxos.rack import Rack, inputs
from tests.providers.nxos.test_push import CHANGED, SMALL, KilledError, kill_at


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
    for line in moments(total):
        with pytest.MonkeyPatch.context() as patch:
            kill_at(patch, line)
            with pytest.raises(KilledError):
                await lab.kind.update("leaf-01", new, old, made.outputs, lab.context())
        live = await lab.kind.read("leaf-01", old, made.outputs, lab.context())
        assert live is not None
        seen |= set(live.inputs["spec"]["config"]) - set(SMALL)
        await lab.kind.update("leaf-01", old, live.inputs, live.outputs, lab.context())
        assert lab.running() == first == lab.startup(), line
        assert lab.leaf.checkpoints == {}, line
    assert seen == {"class-map type qos match-any CNP", "interface loopback3"}


async def test_without_a_push_under_way_nothing_beyond_the_spec_is_read(lab: Rack) -> None:
    old = inputs(SMALL)
    made = await lab.up(old)
    lab.edit("interface loopback7", "description theirs")
    live = await lab.kind.read("leaf-01", old, made.outputs, lab.context())
    assert live is not None
    assert live.inputs == old


async def test_a_push_that_was_killed_while_it_saved_is_read_as_unsaved_and_the_same_spec_saves_it(
    lab: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = inputs(SMALL), inputs({**SMALL, "feature bfd": ""} | {"interface loopback3": "ip address 10.0.0.3/32"})
    made = await lab.up(old)
    with monkeypatch.context() as patch:
        kill_typing(patch, SAVE)
        with pytest.raises(KilledError):
            await lab.kind.update("leaf-01", new, old, made.outputs, lab.context())
    written = lab.running()
    assert lab.startup() != written
    live = await lab.kind.read("leaf-01", new, made.outputs, lab.context())
    assert live is not None
    assert lab.kind.diff(live.inputs, new, live.outputs).changes == {("saved",): "delete"}
    lab.said.clear()
    outputs = await lab.kind.update("leaf-01", new, live.inputs, live.outputs, lab.context())
    assert lab.said == ["leaf-01: an earlier push was cut off before it was saved; what it wrote is saved"]
    assert lab.running() == written == lab.startup()
    live = await lab.kind.read("leaf-01", live.inputs, outputs, lab.context())
    assert live is not None and not lab.kind.diff(live.inputs, new, live.outputs).changes


async def test_a_switch_that_was_given_back_and_not_saved_is_not_gone(
    lab: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, given = lab.running(), inputs(SMALL)
    made = await lab.up(given)
    with monkeypatch.context() as patch:
        kill_typing(patch, SAVE)
        with pytest.raises(KilledError):
            await lab.kind.delete("leaf-01", given, made.outputs, lab.context())
    assert lab.running() == before != lab.startup()
    live = await lab.kind.read("leaf-01", given, made.outputs, lab.context())
    assert live is not None, "a reload brings it back"
    await lab.kind.delete("leaf-01", live.inputs, live.outputs, lab.context())
    assert lab.startup() == before
    assert await lab.kind.read("leaf-01", given, made.outputs, lab.context()) is None


async def test_what_an_operator_wrote_after_a_push_that_was_killed_while_it_saved_is_not_ours(
    lab: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = inputs(SMALL)
    made = await lab.up(old)
    with monkeypatch.context() as patch:
        kill_typing(patch, SAVE)
        with pytest.raises(KilledError):
            await lab.kind.update("leaf-01", inputs(CHANGED, adopt=True), old, made.outputs, lab.context())
    lab.edit("interface loopback7", "description theirs")
    live = await lab.kind.read("leaf-01", old, made.outputs, lab.context())
    assert live is not None
    await lab.kind.update("leaf-01", old, live.inputs, live.outputs, lab.context())
    assert "description theirs" in lab.running()


SAVE = "copy running-config startup-config"


def kill_typing(monkeypatch: pytest.MonkeyPatch, wanted: str) -> None:
    """The process dies instead of typing this line."""
    real = Session._type

    async def dying(self: Session, line: str, limit: float) -> str:
        if line == wanted:
            raise KilledError
        return await real(self, line, limit)

    monkeypatch.setattr(Session, "_type", dying)
