"""Combinations of forms in which every form of each variant meets every form of each other one."""

import itertools
import random
from collections.abc import Mapping, Sequence

ROWS = 16
"""Seeds that together cover all pairs; the smallest array has as many rows as the two largest variants have pairs."""
_TRIES = 40
"""Rows tried for each row taken: the one that covers most new pairs is taken."""

Pair = frozenset[tuple[str, str]]


def row_of(seed: int, forms: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """A row of the covering array that belongs to the seed: 0 to 15 are of one array, 16 to 31 of the next."""
    array = covering(seed // ROWS, forms)
    return array[seed % ROWS % len(array)]


def covering(seed: int, forms: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """Rows with every pair of forms of two variants; another array for each seed."""
    dice = random.Random(f"covering {seed}")
    left = pairs(forms)
    found: list[dict[str, str]] = []
    while left:
        # A pair that is missing stands in each of the rows tried, so that every row taken covers something new.
        wanted = dict(dice.choice(sorted(map(sorted, left))))
        tried = [{name: dice.choice(each) for name, each in forms.items()} | wanted for _ in range(_TRIES)]
        best = max(tried, key=lambda row: len(left & _within(row)))
        left -= _within(best)
        found.append(best)
    return found


def pairs(forms: Mapping[str, Sequence[str]]) -> set[Pair]:
    """Every two forms of different variants."""
    return {
        frozenset([(one, a), (other, b)])
        for one, other in itertools.combinations(forms, 2)
        for a, b in itertools.product(forms[one], forms[other])
    }


def _within(row: Mapping[str, str]) -> set[Pair]:
    return {frozenset(each) for each in itertools.combinations(row.items(), 2)}
