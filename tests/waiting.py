"""Waiting for what happens in the lab's threads, or in the programs that it starts."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 5
"""How often a limit's seconds pass before a test gives up. A limit stands for what never happens, not for a speed: what
takes two seconds here takes many more on a machine with other work."""


def until(condition: Callable[[], Any], seconds: float = 10.0, what: str = "it happens", pause: float = 0.02) -> Any:
    """Look every `pause` seconds until `condition` holds; return what it found, or fail with `what`."""
    end = time.monotonic() + PATIENCE * seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {PATIENCE * seconds:g} s: {what}"
        time.sleep(pause)
    return found


async def soon(condition: Callable[[], Any], seconds: float = 10.0, what: str = "it happens") -> None:
    """`until`, for a test whose own tasks go on meanwhile."""
    end = time.monotonic() + PATIENCE * seconds
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE * seconds:g} s: {what}"
        await asyncio.sleep(0.002)
