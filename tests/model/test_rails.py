"""Jobs on a part of each server: what is taken, and that a job on every rail with few GPUs is named."""

import copy
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import pytest

from podwright.components import model
from podwright.components.model.advisory import findings
from tests.model.changes import LAB, put
from tests.model.rail_cases import LAWFUL, TRAIN, half

Change = Callable[[dict[str, Any]], None]


def stack(change: Change) -> model.Cluster:
    found: dict[str, Any] = copy.deepcopy(LAB)
    change(found)
    return model.load(found)


@pytest.mark.parametrize("number", range(len(LAWFUL)))
def test_halves_of_a_server_are_taken(number: int) -> None:
    stack(LAWFUL[number])


def test_of_all_sets_of_rails_those_of_one_numa_node_are_taken_and_no_other() -> None:
    taken: list[Sequence[int]] = []
    for size in range(1, 9):
        for rails in combinations(range(8), size):
            try:
                stack(half(list(rails)))
            except model.SpecErrors:
                continue
            taken.append(rails)
    assert taken == [(0, 1, 2, 3), (4, 5, 6, 7)]


def test_a_job_with_every_rail_and_half_of_the_gpus_is_named() -> None:
    (sentence,) = (each for each in findings(stack(put(f"{TRAIN}/gpus", 4))) if "rails" in each)
    assert sentence == (
        "training job pretrain takes 4 of 8 GPUs and all 8 rails of its servers: no other job on rails runs beside it; "
        "define workloads.training.pretrain.rails"
    )


@pytest.mark.parametrize("change", [put(f"{TRAIN}/gpus", 5), half([0, 1, 2, 3])], ids=["most of them", "its part"])
def test_a_job_that_leaves_no_numa_node_is_not(change: Change) -> None:
    assert not [each for each in findings(stack(change)) if "no other job on rails" in each]
