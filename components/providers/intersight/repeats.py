"""How often a write is repeated, and with which pauses; between two tries, the caller looks the object up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from podwright.components.providers.intersight.transport import ApiError, UnansweredError
from podwright.components.providers.protocol.kind import ProviderError

Reply = TypeVar("Reply")

TIMES = 8
"""Tries of one write without an answer; with the pauses between them it is half a minute, and each look-up waits out a
silent server."""
ATTEMPTS = 5
"""Tries of one write against other writers before we ask a person; a write without an answer has its own count."""
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0
VALIDATING_PAUSE = 2.0
"""Seconds between tries while Intersight validates an object and refuses writes to it."""
VALIDATING_TIMES = 150
"""Tries while it does: five minutes."""


def passing(refused: ApiError) -> bool:
    """True when trying again can help: another writer was faster, or the object is being validated.

    Writes during validation are refused with HTTP 400 and a text that says so (terraform-provider-intersight #16).
    """
    return refused.status in {409, 412} or (refused.status == 400 and "validat" in refused.message.lower())


class Repeats:
    """Counts the tries of one write that got no answer."""

    def __init__(self) -> None:
        self._tries = 0

    async def attempt(self, write: Awaitable[Reply]) -> Reply | ApiError | UnansweredError:
        """Carry `write` out and return its answer, or else why the caller looks the object up and tries again.

        The pause that this takes is over then: a write that another writer was faster than (412) needs none. Raises
        ApiError for a refusal that no other try changes, and ProviderError when the last try got no answer.
        """
        try:
            return await write
        except UnansweredError as lost:
            await self.pause(lost)
            return lost
        except ApiError as refused:
            if not passing(refused):
                raise
            if refused.status != 412:
                await asyncio.sleep(VALIDATING_PAUSE)
            return refused

    async def pause(self, lost: UnansweredError) -> None:
        """Wait before the object is looked up. Raises ProviderError when that was the last try."""
        self._tries += 1
        if self._tries >= TIMES:
            raise ProviderError(f"{lost.reason}; tried {TIMES} times; run again to go on from there") from None
        await asyncio.sleep(min(FIRST_PAUSE * 2 ** (self._tries - 1), LONGEST_PAUSE))
