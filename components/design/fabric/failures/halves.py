"""How much fits between two halves of the leaves, split where it hurts most."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod

MOST_SPLITS = 200_000
"""Ways to halve the leaves that are tried; alike leaves count once, so that real fabrics need a few hundred."""
_Kind = tuple[int, ...]
"""Gb/s of a leaf to each spine."""


@dataclass(frozen=True)
class Halves:
    """The leaves of a network. Those with equal uplinks are interchangeable: only how many of each kind stand on one
    side matters; and it does not matter which spine is which, so that equal losses are computed once.
    """

    up: Mapping[str, Mapping[str, int]]
    known: dict[object, int | None] = field(default_factory=dict, compare=False)

    @cached_property
    def _spines(self) -> tuple[str, ...]:
        return tuple(sorted({spine for up in self.up.values() for spine in up}))

    @cached_property
    def _kinds(self) -> dict[str, _Kind]:
        return {leaf: self._kind(up) for leaf, up in self.up.items()}

    @cached_property
    def alike(self) -> Mapping[str, int]:
        """A number for each leaf, the same for those with equal uplinks."""
        numbers = {kind: number for number, kind in enumerate(dict.fromkeys(self._kinds.values()))}
        return {leaf: numbers[kind] for leaf, kind in self._kinds.items()}

    @cached_property
    def _counts(self) -> Counter[_Kind]:
        return Counter(self._kinds.values())

    def _kind(self, up: Mapping[str, int]) -> _Kind:
        return tuple(up.get(spine, 0) for spine in self._spines)

    def least(self, narrowed: Mapping[str, Mapping[str, int]]) -> int | None:
        """Gb/s between the two halves that have least between them, with other uplinks of some leaves.

        A leaf that is gone counts with nothing. None where there are too many ways to halve them.
        """
        counts = self._counts.copy()
        counts.subtract(self._kinds[leaf] for leaf in narrowed)
        counts.update(map(self._kind, narrowed.values()))
        return self._remembered({kind: count for kind, count in counts.items() if count})

    def among(self, leaves: Iterable[str]) -> int | None:
        """The same between two halves of some leaves, which need not be there."""
        nothing = (0,) * len(self._spines)
        return self._remembered(Counter(self._kinds.get(leaf, nothing) for leaf in leaves))

    def _remembered(self, alike: Mapping[_Kind, int]) -> int | None:
        columns = Counter(zip(*alike, strict=True))
        key = (tuple(alike.values()), frozenset(columns.items()))
        if key not in self.known:
            self.known[key] = _least(list(alike.values()), columns)
        return self.known[key]


def _least(counts: Sequence[int], columns: Mapping[_Kind, int]) -> int | None:
    """Gb/s of the worst split of `counts` leaves of each kind.

    `columns` has the Gb/s of each kind to a spine, and how many spines are like it. Each carries the lesser of what its
    two sides have.
    """
    if prod(count + 1 for count in counts) > MOST_SPLITS:
        return None
    half = sum(counts) // 2
    spines = [(kinds, alike, sum(map(int.__mul__, kinds, counts))) for kinds, alike in columns.items()]
    splits = (taken for taken in product(*(range(count + 1) for count in counts)) if sum(taken) == half)
    return min((sum(_through(spine, taken) for spine in spines) for taken in splits), default=0)


def _through(spine: tuple[_Kind, int, int], taken: _Kind) -> int:
    """Gb/s through alike spines between the leaves that are taken and the others."""
    kinds, alike, total = spine
    here = sum(map(int.__mul__, kinds, taken))
    return alike * min(here, total - here)
