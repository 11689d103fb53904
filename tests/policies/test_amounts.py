"""Amounts as objects have them: whole numbers, text, and what numbers are on the way to a policy pack."""

import pytest

from podwright.policies.rules.rule import whole


@pytest.mark.parametrize(
    ("amount", "number"), [(2, 2), ("2", 2), (2.0, 2), ("2.0", 2), (None, 0), ("", 0), ("500m", 0), ("2Gi", 0)]
)
def test_a_whole_number_is_read_however_it_is_written(amount: object, number: int) -> None:
    assert whole(amount) == number
