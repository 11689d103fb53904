"""How often a write is repeated that got no answer, and with which pauses; between two, the caller looks it up."""

from __future__ import annotations

import asyncio

from podwright.components.providers.intersight.transport import UnansweredError
from podwright.components.providers.protocol.kind import ProviderError

TIMES = 8
"""Tries of one write; with the pauses between them it is half a minute, and each look-up waits out a silent server."""
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0


class Repeats:
    """Counts the tries of one write."""

    def __init__(self) -> None:
        self._tries = 0

    async def pause(self, lost: UnansweredError) -> None:
        """Wait before the object is looked up. Raises ProviderError when that was the last try."""
        self._tries += 1
        if self._tries >= TIMES:
            raise ProviderError(f"{lost.reason}; tried {TIMES} times; run again to go on from there") from None
        await asyncio.sleep(min(FIRST_PAUSE * 2 ** (self._tries - 1), LONGEST_PAUSE))
