"""Whoever starts from an example starts from a file that the server rules have nothing against."""

import pytest

from podwright.components import model
from tools import goldens
from tools.compute_mutants.plan import planned


@pytest.mark.parametrize("example", goldens.examples())
def test_no_server_rule_finds_anything_in_an_example(example: str) -> None:
    plan = planned(example, model.load(goldens.stack_file(example)))
    assert plan.known == set()
