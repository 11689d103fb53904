"""A place where members of a training job meet: what an error proposes for its pool."""

import copy

import pytest

from podwright.components import model
from tests.model.changes import LAB, put
from tests.model.queue_cases import TRAIN
from tests.model.store_cases import STORE


@pytest.mark.parametrize("written", ["nowhere", "trainin"])
def test_no_pool_of_members_is_proposed_for_a_store(written: str) -> None:
    given = copy.deepcopy(LAB)
    STORE(given)
    put(f"{TRAIN}/rendezvous_store/pool", written)(given)
    with pytest.raises(model.SpecErrors) as raised:
        model.load(given)
    (problem,) = raised.value.problems
    assert "inference" in problem.hint
    assert "training" not in problem.hint
