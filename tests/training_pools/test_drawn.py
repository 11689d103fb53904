"""Pods by lot: what the pack lets pass is put on no training node unless it is lawful there, and training passes."""

from __future__ import annotations

import os

from tests.training_pools import facts, placed, spelled
from tests.training_pools.drawn import drawn

SEED = os.environ.get("PODWRIGHT_PODS_SEED", "")
"""Any seed must pass; without one it is always the same few."""
COUNT = 5000 if SEED else 600


def test_no_pod_passes_that_is_put_on_a_training_node_and_no_training_is_refused() -> None:
    seen = {"refused": 0, "trains": 0, "passes there": 0}
    for number in range(COUNT):
        row = drawn(f"{SEED}/pods/{number}")
        found = facts.findings(spelled.planned(row))
        there = placed.nodes(row.pod) & placed.TRAINING
        if there and not placed.may_train_there(row):
            assert found, row
        if not placed.class_is_right(row) and row.namespace not in placed.TEAMS:
            assert found, row
        if placed.trains(row) and placed.class_is_right(row) and there == placed.nodes(row.pod):
            assert not [each for each in found if "may run on" in each or "serves" in each], (row, found)
            seen["trains"] += 1
        seen["refused"] += bool(found)
        seen["passes there"] += bool(there and not found)
    assert all(count > COUNT / 60 for count in seen.values()), seen


def test_what_tolerates_no_training_pool_is_left_alone() -> None:
    """A pod of a team that other nodes take, and no training node may."""
    left = 0
    for number in range(COUNT):
        row = drawn(f"{SEED}/others/{number}")
        named = row.pod.get("nodeName", "")
        tolerating = {**row.pod, "nodeSelector": {}, "affinity": {}}
        kept = not placed.nodes(tolerating) & placed.TRAINING and placed.nodes(row.pod) and not named
        if kept and not row.pod.get("priorityClassName", "").startswith("podwright-"):
            assert not facts.findings(spelled.planned(row)), row
            left += 1
    assert left > COUNT / 30
