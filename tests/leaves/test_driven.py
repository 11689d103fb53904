"""Thirty harmless leaves by lot are away at once, and the lab's rack comes up as with them.

PODWRIGHT_LEAVES_SEED draws others. Each rack is installed anew: what an object was before must not help.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from podwright.components import model
from tests.leaves import driven
from tests.leaves.dropping import plan, without
from tests.leaves.verdicts import EXAMPLES, verdicts
from tests.platforms.planned import Object
from tools import goldens

pytestmark = pytest.mark.rough
SEED = os.environ.get("PODWRIGHT_LEAVES_SEED", "")
COUNT = 30


def _state(folder: Path, planned: list[Object]) -> dict[str, object]:
    openshift = model.load(goldens.stack_file(EXAMPLES[0])).openshift
    assert openshift is not None
    rack = driven.built(folder, openshift.version)
    try:
        driven.apply(rack, planned)
        driven.works(rack, planned)
        return driven.state(rack, planned)
    finally:
        rack.close()


def test_a_rack_comes_up_the_same_without_harmless_leaves(tmp_path: Path) -> None:
    planned = plan(EXAMPLES[0])
    spared = [each.leaf for each in verdicts() if each.harmless is not None and each.example == EXAMPLES[0]]
    drawn = random.Random(SEED).sample(spared, COUNT)
    print("\n".join(each.place for each in drawn))
    whole = _state(tmp_path / "whole", planned)
    assert _state(tmp_path / "without", without(planned, drawn)) == whole
