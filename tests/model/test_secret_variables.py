"""Variables from Secrets: what may be a Secret's is taken."""

import copy

import pytest

from podwright.components import model
from tests.model.changes import PROD
from tests.model.secret_cases import LAWFUL


@pytest.mark.parametrize("number", range(len(LAWFUL)))
def test_a_variable_of_nobody_s_is_taken(number: int) -> None:
    written = copy.deepcopy(PROD)
    LAWFUL[number](written)
    model.load(written)
