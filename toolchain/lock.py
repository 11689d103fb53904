"""One set-up at a time per part of the cache; the others wait and are told for whom."""

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from podwright.toolchain.errors import SetupError


def _holder(handle: TextIO) -> str:
    handle.seek(0)
    return handle.read().strip() or "unknown"


def _try(handle: TextIO) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def locked(path: Path, *, wait: bool = True, poll: float = 0.2) -> Iterator[None]:
    """Hold the lock file `path`; with `wait` False raise at once if another process holds it.

    The kernel drops the lock with its process, however that ends: there is no stale lock.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = path.open("a+")
    except OSError as problem:
        raise SetupError(
            f"the cache folder {path.parent} cannot be written: {problem.strerror}",
            "make it writable, or name another folder in PODWRIGHT_CACHE",
        ) from problem
    with handle:
        if not _try(handle):
            _stand_in_line(handle, path, wait, poll)
        handle.seek(0)
        handle.truncate()
        handle.write(f"{os.getpid()}\n")
        handle.flush()
        yield


def _stand_in_line(handle: TextIO, path: Path, wait: bool, poll: float) -> None:
    pid = _holder(handle)
    if not wait:
        raise SetupError(
            f"another set-up, process {pid}, is working on this cache ({path})",
            f"let it finish, or end it with `kill {pid}`; what it has built so far is kept",
        )
    sys.stderr.write(f"another set-up, process {pid}, is at work: waiting for it (Ctrl-C leaves it running)\n")
    while not _try(handle):
        time.sleep(poll)
