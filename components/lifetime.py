"""A program ends with its engine.

The SDK takes an engine that died for one that shuts down in order, and goes on waiting for registrations that nobody
answers. Its language host then waits for the program, and asks every five minutes whether somebody answers at the
engine's address: another process that was given the same port does, and both stay for as long as that one. So the
program also looks at who its parents are, and asks the host of an engine that died to end (docs/cursed-knowledge.md).
"""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import grpc
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.settings import get_monitor

EVERY_SECONDS: Final = 5.0
MISSES: Final = 3
"""Questions in a row without an engine: one that ends in order closes its side a moment before the program ends."""
_NOBODY: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNIMPLEMENTED})
"""No engine is there, or somebody else at its port: every engine can be asked for its features."""
LANGUAGE_HOST: Final = "pulumi-language-python"


def end_with_the_engine() -> None:
    """Ask the engine now and then, beside the program; end this process when nobody is there any more."""
    monitor = get_monitor()
    if monitor is None:
        return
    question = resource_pb2.SupportsFeatureRequest(id="secrets")
    host = LanguageHost()
    watching = (lambda: monitor.SupportsFeature(question, timeout=EVERY_SECONDS), host.leave, host.orphaned)
    threading.Thread(target=watch, args=watching, daemon=True, name="engine").start()


class LanguageHost:
    """The process that started this one, and which one started that: the engine. Where `/proc` does not say, nobody."""

    def __init__(self) -> None:
        self._pid = os.getppid()
        self._engine = _parent(self._pid)

    def orphaned(self) -> bool:
        """Whether one of the two is gone."""
        return os.getppid() != self._pid or _parent(self._pid) != self._engine

    def leave(self) -> None:
        """End this process, and the host, which serves one engine, with it."""
        if os.getppid() == self._pid and _name(self._pid) == LANGUAGE_HOST:
            os.kill(self._pid, signal.SIGINT)
        os._exit(1)


def _parent(process: int) -> int | None:
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()[1])
    except OSError:
        return None


def _name(process: int) -> str:
    try:
        return Path(os.fsdecode(Path(f"/proc/{process}/cmdline").read_bytes().partition(b"\0")[0])).name
    except OSError:
        return ""


def watch(
    ask: Callable[[], Any],
    end: Callable[[], Any],
    orphaned: Callable[[], bool] = lambda: False,
    every: float = EVERY_SECONDS,
) -> None:
    """Call `end` once `ask` found nobody `MISSES` times in a row, or `orphaned` says so; a slow engine is there."""
    misses = 0
    while misses < MISSES:
        time.sleep(every)
        if orphaned():
            break
        try:
            ask()
            misses = 0
        except grpc.RpcError as failed:
            misses = misses + 1 if failed.code() in _NOBODY else 0
    end()
