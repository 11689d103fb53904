"""What a push found is kept on the switch itself, and is a way back."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest

from podwright.components.providers.nxos.write import archive
from podwright.components.providers.protocol.kind import Read
from tests.providers.nxos.rack import CONFIG, Rack, inputs


@pytest.fixture(autouse=True)
def minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute passes between two pushes."""
    at = itertools.count()

    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime(2026, 11, 23, 6, next(at), tzinfo=UTC)

    monkeypatch.setattr(archive, "datetime", Clock)


def files(lab: Rack) -> list[str]:
    return sorted(word for word in lab.type("dir bootflash:").split() if word.startswith("podwright-"))


async def test_a_push_keeps_what_it_found_and_the_newest_of_those(lab: Rack) -> None:
    found = lab.running()
    made = await lab.up(inputs(archive=2))
    assert files(lab) == ["podwright-20261123-060000.cfg"]
    before = inputs(archive=2)
    for number in (1, 2):
        after = inputs({**CONFIG, "interface loopback0": f"ip address 10.0.0.{number + 1}/32"}, archive=2)
        await lab.kind.update("leaf-01", after, before, made.outputs, lab.context())
        before = after
    assert files(lab) == ["podwright-20261123-060100.cfg", "podwright-20261123-060200.cfg"]
    await lab.kind.update("leaf-01", before, before, made.outputs, lab.context())
    assert len(files(lab)) == 2, "a push that writes nothing keeps nothing"
    assert found != lab.running()


async def test_a_kept_configuration_is_a_way_back_and_the_plan_a_way_forward(lab: Rack) -> None:
    made = await lab.up(inputs(archive=3))
    before = lab.running()
    changed = inputs({**CONFIG, "interface loopback0": "ip address 10.0.0.9/32"}, archive=3)
    outputs = await lab.kind.update("leaf-01", changed, inputs(archive=3), made.outputs, lab.context())
    after = lab.running()
    lab.type(f"rollback running-config file bootflash:{files(lab)[-1]}")
    assert lab.running() == before
    live = await lab.kind.read("leaf-01", changed, outputs, lab.context())
    assert isinstance(live, Read)
    assert set(lab.kind.diff(live.inputs, changed, live.outputs).changes) == {("spec", "config", "interface loopback0")}
    await lab.kind.update("leaf-01", changed, live.inputs, live.outputs, lab.context())
    assert lab.running() == after


async def test_a_switch_that_keeps_none_is_written_all_the_same_and_the_run_says_so(lab: Rack) -> None:
    lab.leaf.faults.deny = ["checkpoint file"]
    await lab.up(inputs(archive=3))
    assert files(lab) == []
    assert "interface loopback0" in lab.running()
    assert any("its configuration was not kept before the push: 'checkpoint file" in each for each in lab.said)


async def test_other_files_stay(lab: Rack) -> None:
    lab.type("checkpoint file bootflash:podwright-mine.cfg", "checkpoint file bootflash:other-20261123-060000.cfg")
    await lab.up(inputs(archive=1))
    listed = lab.type("dir bootflash:")
    assert "podwright-mine.cfg" in listed
    assert "other-20261123-060000.cfg" in listed


@pytest.mark.parametrize("wrong", [0, -1, "2", True, 1.5])
def test_how_many_are_kept_is_a_number(lab: Rack, wrong: object) -> None:
    (failure,) = lab.kind.check(inputs(archive=wrong), lab.context())  # type: ignore[arg-type]
    assert failure.path == ("spec", "archive")
