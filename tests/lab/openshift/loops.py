"""Event loops that Pulumi's automation leaves open."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

_SECONDS = 2.0
"""How long a program that was stopped has to close its loop by itself."""


@contextmanager
def closing() -> Iterator[None]:
    """Close the loops of programs that fail: their engine is gone while they still run, in threads of their own, and an
    error of a task that was pending comes before their `close` (pulumi 3, pulumi/automation/_server.py, Run). Whoever
    runs afterwards in this process would be warned."""
    made: list[asyncio.AbstractEventLoop] = []
    new = asyncio.new_event_loop

    def noted() -> asyncio.AbstractEventLoop:
        made.append(new())
        return made[-1]

    with mock.patch.object(asyncio, "new_event_loop", noted):
        yield
    for loop in made:
        if loop.is_running():
            loop.call_soon_threadsafe(loop.stop)
        end = time.monotonic() + _SECONDS
        while not loop.is_closed() and (loop.is_running() or time.monotonic() < end):
            time.sleep(0.05)
        loop.close()
