"""What answers and tasks of a BMC say (DMTF DSP0266, "Asynchronous operations"), without a library that reaches one."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

FAILED = ("Exception", "Killed", "Cancelled", "Interrupted")
"""States in which a task has come to nothing (DMTF DSP2046, Task, TaskState)."""


def document(reply: Any) -> Mapping[str, Any]:
    """The object that an answer holds; empty for none."""
    with contextlib.suppress(ValueError):
        found = reply.json() if reply.content else {}
        return found if isinstance(found, Mapping) else {}
    return {}


def monitor(reply: Any) -> str | None:
    """Where a task is watched: by its monitor, or by itself where the answer names no other place."""
    found = document(reply)
    place = reply.headers.get("Location") or found.get("TaskMonitor") or found.get("@odata.id")
    return str(place) if place else None


def messages(reply: Any) -> str:
    """What a task says of itself."""
    texts = (each.get("Message") or each.get("MessageId") for each in document(reply).get("Messages") or ())
    return " ".join(str(text) for text in texts if text)
