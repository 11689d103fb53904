"""Claims that only a cluster or a whole site can prove, one a run: `make soak SUITE=coverage` goes through them all."""

import os
from pathlib import Path

import pytest

from tools.coverage.patches import Patch, patches
from tools.coverage.trees import GREEN, Tree

PATCHES = [patch for patch in patches() if patch.suite == "soak"]
SECONDS = 3000


def _drawn() -> Patch:
    """The seed says which; seeds from 1 on take each in turn."""
    return PATCHES[int(os.environ.get("PODWRIGHT_COVERAGE_SEED", "1")) % len(PATCHES)]


@pytest.mark.rough
@pytest.mark.timeout(2 * SECONDS)
def test_a_broken_claim_is_noticed(tmp_path: Path) -> None:
    patch = _drawn()
    with Tree(tmp_path / "tree") as tree:
        sound = tree.run(patch.tests, SECONDS)
        assert sound.status == GREEN, f"{patch.name}: the test fails as the tree stands\n{sound.output[-6000:]}"
        assert tree.verdict(patch, SECONDS) is None
