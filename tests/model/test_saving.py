"""Checkpoints: what may be right is taken, and a job that saves nothing of its work is named."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from podwright.components import model
from podwright.components.model.advisory import findings
from tests.model.changes import PROD, both, put
from tests.model.saving_cases import CLAIM, LAWFUL, MOUNTED, TRAIN, saving

LOST = "what training job pretrain has learned is lost with any of its 16 pods"


def stack(change: Callable[[dict[str, Any]], None]) -> model.Cluster:
    said: dict[str, Any] = copy.deepcopy(PROD)
    change(said)
    return model.load(said)


@pytest.mark.parametrize("number", range(len(LAWFUL)))
def test_folders_of_their_own_are_taken(number: int) -> None:
    stack(LAWFUL[number])


def test_a_job_that_can_save_nothing_is_named() -> None:
    (sentence,) = (each for each in findings(model.load(copy.deepcopy(PROD))) if "learned" in each)
    assert sentence.startswith(LOST)
    assert sentence.endswith("define workloads.training.pretrain.checkpoints")
    read = both(MOUNTED, put(f"{TRAIN}/volumes/{CLAIM}/read_only", True))
    assert [each for each in findings(stack(read)) if each.startswith(LOST)]


@pytest.mark.parametrize("change", [saving(), MOUNTED], ids=["checkpoints", "a volume it may write"])
def test_a_job_that_may_save_is_not(change: Callable[[dict[str, Any]], None]) -> None:
    assert not [each for each in findings(stack(change)) if "learned" in each]
