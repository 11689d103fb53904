"""A program ends with its engine.

The SDK takes an engine that died for one that shuts down in order, and goes on waiting for registrations that nobody
answers. Its language host then waits for the program, and both stay for good.
"""

import os
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import grpc
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.settings import get_monitor

EVERY_SECONDS: Final = 5.0
MISSES: Final = 3
"""Questions in a row without an engine: one that ends in order closes its side a moment before the program ends."""


def end_with_the_engine() -> None:
    """Ask the engine now and then, beside the program; end this process when nobody is there any more."""
    monitor = get_monitor()
    if monitor is None:
        return
    question = resource_pb2.SupportsFeatureRequest(id="secrets")
    watching = (lambda: monitor.SupportsFeature(question, timeout=EVERY_SECONDS), lambda: os._exit(1))
    threading.Thread(target=watch, args=watching, daemon=True, name="engine").start()


def watch(ask: Callable[[], Any], end: Callable[[], Any], every: float = EVERY_SECONDS) -> None:
    """Call `end` once `ask` found nobody `MISSES` times in a row; a slow engine is one that is there."""
    misses = 0
    while misses < MISSES:
        time.sleep(every)
        try:
            ask()
            misses = 0
        except grpc.RpcError as failed:
            misses = misses + 1 if failed.code() == grpc.StatusCode.UNAVAILABLE else 0
    end()
