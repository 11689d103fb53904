"""Amounts as objects have them: whole numbers, text, and what numbers are on the way to a policy pack."""

import pytest

from podwright.policies.rules.quantity import quantity
from podwright.policies.rules.rule import whole


@pytest.mark.parametrize(
    ("amount", "number"),
    [
        (2, 2), ("2", 2), (2.0, 2), ("2.0", 2), ("1k", 1000), ("2Ki", 2048), ("1e3", 1000),
        (None, 0), ("", 0), ("500m", 0), ("many", 0),
    ],
)  # fmt: skip
def test_a_whole_number_is_read_however_it_is_written(amount: object, number: int) -> None:
    assert whole(amount) == number


@pytest.mark.parametrize(
    ("amount", "number"),
    [
        ("64Gi", 2**36), ("1.5Ki", 1536), (".5Mi", 2**19), ("5.", 5), ("2Ti", 2**41), ("1Pi", 2**50), ("1Ei", 2**60),
        ("4k", 4000), ("4M", 4 * 10**6), ("4G", 4 * 10**9), ("4T", 4 * 10**12), ("4P", 4 * 10**15), ("4E", 4 * 10**18),
        ("4E3", 4000), ("4e+3", 4000), ("4000m", 4), ("4000000u", 4), ("4000000000n", 4), (4096, 4096), (4096.0, 4096),
        (None, 0), ("", 0), ("64GB", 0), ("Gi", 0), ("64 Gi", 0), ("-1Gi", 0),
    ],
)  # fmt: skip
def test_an_amount_is_read_as_the_api_server_reads_it(amount: object, number: int) -> None:
    assert quantity(amount) == number
