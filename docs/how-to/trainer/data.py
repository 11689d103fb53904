"""Tokens in an order that follows from the seed and the number of a sequence: a training that goes on goes on in it."""

from pathlib import Path

import torch

_MADE_UP = 1 << 20
"""Tokens of a text that is made up."""


class Tokens:
    """Sequences of a file of tokens (four bytes each, as `numpy.int32` writes them), or of a text that is made up.

    Every epoch has an order of its own. Which process takes which sequence is the caller's matter, so that the order is
    the same for any number of processes.
    """

    def __init__(self, path: Path | None, words: int, context: int, seed: int) -> None:
        self._context, self._seed = context, seed
        self._tokens = _made_up(words, seed) if path is None else _read(path)
        self._count = (len(self._tokens) - 1) // context
        if self._count < 1:
            raise SystemExit(f"{path}: fewer tokens than a sequence of {context}")
        self._epoch, self._order = -1, torch.empty(0, dtype=torch.long)

    def batch(self, first: int, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Sequences number `first` to `first + count` since the start of training, and what follows each token."""
        rows = [self._sequence(number) for number in range(first, first + count)]
        found = torch.stack(rows).long()
        return found[:, :-1], found[:, 1:]

    def _sequence(self, number: int) -> torch.Tensor:
        epoch, place = divmod(number, self._count)
        if epoch != self._epoch:
            order = torch.Generator().manual_seed(self._seed * 1_000_003 + epoch)
            self._epoch, self._order = epoch, torch.randperm(self._count, generator=order)
        start = int(self._order[place]) * self._context
        return self._tokens[start : start + self._context + 1]


def _read(path: Path) -> torch.Tensor:
    """The file itself, read as it is needed."""
    return torch.from_file(str(path), shared=False, size=path.stat().st_size // 4, dtype=torch.int32)


def _made_up(words: int, seed: int) -> torch.Tensor:
    """A walk with short steps: the next token is near the last one, which a model learns in a few steps."""
    steps = torch.randint(-2, 3, (_MADE_UP,), generator=torch.Generator().manual_seed(seed))
    return (steps.cumsum(0) % words).int()
