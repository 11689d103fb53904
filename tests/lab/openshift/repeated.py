"""Somebody who does a thing again and again while a test does others."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def repeated(work: Callable[[], object], pause: float) -> Iterator[None]:
    """Do it every `pause` seconds, in a thread of its own, until the block ends."""
    over = threading.Event()

    def again() -> None:
        while not over.is_set():
            work()
            over.wait(pause)

    thread = threading.Thread(target=again)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
