"""Every mistake of the review has its gate, and what is named as gate and proof is there."""

from __future__ import annotations

import pytest

from podwright.policies.rules import RULES
from tools.generated import ROOT
from tools.mistakes import GATES, LIVE, Mistake, mistakes

REVIEWED = 41
"""Mistakes of the review."""
ALL = mistakes()


def test_every_mistake_of_the_review_has_a_row() -> None:
    assert {each.number for each in ALL} == set(range(1, REVIEWED + 1))


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.what)
def test_its_gate_and_its_proof_exist(row: Mistake) -> None:
    assert row.gate in GATES and row.live in LIVE
    assert (row.gate == "API server") == (row.live == "refused")
    if row.gate == "policy":
        assert row.where in {rule.id for rule in RULES}
    elif row.where.startswith(("components/", "lab/", "policies/")):
        assert (ROOT / row.where).exists()
    assert row.test or row.gate == "no field", "a gate without a test"
    file, _, name = row.test.partition("::")
    assert not row.test or (ROOT / file).is_file()
    assert not name or f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")
