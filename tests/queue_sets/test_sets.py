"""Sets by lot on the real Kueue and the real scheduler: no gang in part, nobody below his own, nothing idle."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.queue_sets.drawn import Drawn
from tests.queue_sets.shown import agrees
from tests.queue_sets.site import Site
from tests.waiting import until

pytestmark = [pytest.mark.rough, pytest.mark.timeout(3600)]
SEED = os.environ.get("PODWRIGHT_QUEUE_SETS_SEED", "")
EVENTS = int(os.environ.get("PODWRIGHT_QUEUE_SETS_EVENTS", "8"))
SETS = int(os.environ.get("PODWRIGHT_QUEUE_SETS_SETS", "1"))


def test_every_gang_gets_what_is_its_own_and_what_is_idle(tmp_path: Path) -> None:
    sets = [Drawn(f"{SEED}/queue-sets{f'/{number}' * (number > 0)}") for number in range(SETS)]
    site = Site(tmp_path / "rack")
    try:
        site.start(sets[0])
        for number, drawn in enumerate(sets):
            began = time.monotonic()
            site.begin(drawn)
            for event, chance in drawn.events(EVENTS):
                site.step(event, chance)
            until(lambda: agrees(site.api, site.world()), 30, "status shows what is held, borrowed and lent", pause=1)
            print(f"{time.monotonic() - began:.0f} s, {drawn}: {dict(site.seen)}", flush=True)
            if number + 1 < SETS:
                site.finish()
        assert site.seen["admitted"] and site.seen["waiting"], f"{SEED} was too small to tell: {site.seen}"
    finally:
        site.close()
