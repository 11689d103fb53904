"""One line per piece of work: what, how long so far, how long expected, what comes next.

On a terminal the line is rewritten every second; elsewhere it is printed at the start, every
30 s, and at the end.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_BEAT_S = 30.0


def clock(seconds: float) -> str:
    """Minutes and seconds, as 4:07."""
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


class Progress:
    """Lines about a known list of pieces of work, in order: (name, expected seconds)."""

    def __init__(self, pieces: list[tuple[str, float]], stream: TextIO | None = None) -> None:
        self.pieces = pieces
        self.stream = stream if stream is not None else sys.stderr
        self.live = self.stream.isatty()
        self.beat = 1.0 if self.live else _BEAT_S

    def _next(self, name: str) -> str:
        names = [piece for piece, _ in self.pieces]
        after = names[names.index(name) + 1 :]
        left = sum(seconds for piece, seconds in self.pieces if piece in after)
        return f"next: {after[0]} ({len(after)} more, about {clock(left)})" if after else "the last one"

    def _line(self, name: str, elapsed: float) -> str:
        names = [piece for piece, _ in self.pieces]
        expected = dict(self.pieces)[name]
        place = f"[{names.index(name) + 1}/{len(names)}]"
        return f"{place} {name}  {clock(elapsed)} of about {clock(expected)}  {self._next(name)}"

    def _write(self, text: str, end: str) -> None:
        start = "\r\x1b[K" if self.live else ""
        self.stream.write(start + text + end)
        self.stream.flush()

    def say(self, text: str) -> None:
        """A line of its own between pieces of work."""
        self._write(text, "\n")

    @contextmanager
    def work(self, name: str) -> Iterator[None]:
        """Report on one piece while the block runs."""
        started, done = time.monotonic(), threading.Event()
        end = "" if self.live else "\n"

        def tick() -> None:
            while not done.wait(self.beat):
                self._write(self._line(name, time.monotonic() - started), end)

        self._write(self._line(name, 0), end)
        ticker = threading.Thread(target=tick, daemon=True)
        ticker.start()
        outcome = "stopped"
        try:
            yield
            outcome = "done"
        finally:
            done.set()
            ticker.join()
            self._write(f"{name} {outcome} in {clock(time.monotonic() - started)}", "\n")
