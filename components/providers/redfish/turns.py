"""How much of a BMC's answers one call may take: time and number of requests, all tries together."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

TIMEOUT_SECONDS = 60.0
"""One exchange, from the first packet to the last byte."""


class SpentError(Exception):
    """Nothing is left for another request; the message says of what."""


class Turns:
    """The requests of one call: how long they may take together, and how many they may be."""

    def __init__(self) -> None:
        self._until = float("inf")
        self._left = 0
        self._depth = 0
        self._each = TIMEOUT_SECONDS

    @contextlib.contextmanager
    def of(self, seconds: float, most: int, each: float = TIMEOUT_SECONDS) -> Iterator[None]:
        """The requests of the outermost such block are one call; `each` of them has so many seconds."""
        if not self._depth:
            self._until, self._left, self._each = time.monotonic() + seconds, most, each
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def take(self) -> float:
        """One request: seconds that it may take. Raises SpentError when there is nothing left."""
        seconds = self._until - time.monotonic()
        if not self._depth:
            return TIMEOUT_SECONDS
        if self._left <= 0:
            raise SpentError("its answers lead to more and more requests")
        if seconds <= 0:
            raise SpentError("it takes too long, all requests together")
        self._left -= 1
        return min(seconds, self._each)
