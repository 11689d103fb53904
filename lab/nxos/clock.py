"""The clock of a switch, which need not agree with anybody's."""

from __future__ import annotations

import time


class Clock:
    """The switch's clock, UTC. `offset` seconds are how far it is ahead of the host's: it can be shifted."""

    def __init__(self, offset: float = 0.0) -> None:
        self.offset = offset
        self.booted = self.now()

    def now(self) -> float:
        """The moment as this switch sees it."""
        return time.time() + self.offset

    def stamp(self, when: float | None = None) -> str:
        """A moment as running-config headers show it."""
        return time.strftime("%a %b %e %H:%M:%S %Y", time.gmtime(self.now() if when is None else when))

    def uptime(self) -> tuple[int, int, int, int]:
        """Days, hours, minutes, seconds since boot."""
        minutes, seconds = divmod(int(self.now() - self.booted), 60)
        hours, minutes = divmod(minutes, 60)
        days, hours = divmod(hours, 24)
        return days, hours, minutes, seconds
