"""The combinations of variants that seeds stand for."""

import itertools

from podwright.lab.variants import VARIANTS
from tests.providers.nxos.covering import ROWS, covering, pairs, row_of

FORMS = {name: tuple(variant.forms) for name, variant in VARIANTS.items() if variant.side == "nxos"}


def test_sixteen_seeds_in_a_row_have_every_pair_of_forms() -> None:
    for array in range(20):
        rows = [row_of(array * ROWS + seed, FORMS) for seed in range(ROWS)]
        met = {frozenset(each) for row in rows for each in itertools.combinations(row.items(), 2)}
        assert pairs(FORMS) <= met
        assert len(covering(array, FORMS)) <= ROWS


def test_each_array_is_another_one() -> None:
    assert covering(0, FORMS) == covering(0, FORMS) != covering(1, FORMS)
