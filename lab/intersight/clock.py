"""Things that happen later: one thread that runs steps at their time, under the side's lock."""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger("lab.intersight")


class Clock:
    """`after` schedules; `stop` drops what has not happened."""

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._steps: list[tuple[float, int, Callable[[], None]]] = []
        self._number = itertools.count()
        self._changed = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="intersight-clock", daemon=True)
        self._thread.start()

    def after(self, seconds: float, step: Callable[[], None]) -> None:
        """Run `step` in `seconds`."""
        with self._changed:
            heapq.heappush(self._steps, (time.monotonic() + seconds, next(self._number), step))
            self._changed.notify()

    def stop(self) -> None:
        """End the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._thread.join(timeout=5)

    def _due(self) -> Callable[[], None] | None:
        """The next step when its time has come; None when the clock was stopped."""
        with self._changed:
            while not self._stopped:
                wait = self._steps[0][0] - time.monotonic() if self._steps else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._steps)[2]
                self._changed.wait(wait)
        return None

    def _run(self) -> None:
        while (step := self._due()) is not None:
            try:
                with self._lock:
                    step()
            except Exception:  # a failed step must be seen, and must not end the side's time
                log.exception("a scheduled step failed")
