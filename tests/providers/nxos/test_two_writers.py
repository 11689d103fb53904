"""Two first writers of one switch: at most one gets it, and whoever says that it is done is right."""

from __future__ import annotations

import os
import random
import re

import pytest

from podwright.components.providers.nxos.switch import Switch
from tests.providers.nxos.rack import Rack
from tests.providers.nxos.writers import drawn, race, slowed

SEED = os.environ.get("PODWRIGHT_WRITERS_SEED") or str(random.SystemRandom().randrange(10**6))
RUNS = int(os.environ.get("PODWRIGHT_WRITERS_RUNS") or 6)
SCALE = float(os.environ.get("PODWRIGHT_WRITERS_LAG") or 1)
"""Longest lag in seconds: a push to the lab takes about one, where one to a switch takes about ten."""
LEFT = re.compile(r"podwrightwriter|podwright-net|podwrightnet|^scheduler", re.MULTILINE)


@pytest.mark.parametrize("run", range(RUNS))
async def test_whoever_says_it_is_done_is_right(lab: Rack, monkeypatch: pytest.MonkeyPatch, run: int) -> None:
    seed = f"{SEED} {run}"
    print(f"PODWRIGHT_WRITERS_SEED={SEED}, run {run}")
    slowed(monkeypatch)
    before = lab.running()
    ended = await race(lab, drawn(seed, SCALE), seed)
    done = [each for each in ended if each.made is not None]
    assert len(done) < 2, "two stacks own one switch"
    for each in done:
        assert each.made is not None
        live = await Switch().read("leaf-01", each.writer.inputs, each.made.outputs, lab.context())
        assert live is not None, f"{each.writer.identity} said ok over a stripped switch"
        assert Switch().diff(live.inputs, each.writer.inputs, {}).changes == {}
        assert f" podwright {each.writer.identity} " in lab.running()
    if not done:
        assert lab.running() == before, [each.sentence for each in ended]
    assert not LEFT.search(lab.running())
    assert "podwright-" not in lab.type("show checkpoint summary")
    for each in ended:
        others = {other.writer.identity for other in ended} - {each.writer.identity}
        assert each.made or any(other in each.sentence for other in others), each.sentence
