"""A server of any role loses its power at any moment: gangs are whole again, and the service keeps serving."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from random import Random

import pytest

from tests.power_cuts.drawn import cuts
from tests.power_cuts.figures import summary
from tests.power_cuts.site import Site

pytestmark = [pytest.mark.soak, pytest.mark.timeout(5400)]
SEED = os.environ.get("PODWRIGHT_POWER_CUTS_SEED", "1")
COUNT = int(os.environ.get("PODWRIGHT_POWER_CUTS_COUNT", "10"))
FIGURES = os.environ.get("PODWRIGHT_POWER_CUTS_FIGURES", "")
"""File that gets a line for each run."""


def test_gangs_are_whole_again_and_a_service_keeps_ready_endpoints(tmp_path: Path) -> None:
    evicts = Random(f"{SEED}/evicts").random() < 0.5
    site = Site(tmp_path / "rack", evicts=evicts)
    try:
        site.start()
        for cut in itertools.takewhile(lambda _: len(site.cuts) < COUNT, cuts(f"{SEED}/power-cuts")):
            site.step(cut)
        line = json.dumps({"seed": SEED, "evicts": evicts, **summary(site.cuts)})
        print(line)
        if FIGURES:
            Path(FIGURES).parent.mkdir(parents=True, exist_ok=True)
            with Path(FIGURES).open("a", encoding="utf-8") as kept:
                kept.write(f"{line}\n")
    finally:
        site.close()
