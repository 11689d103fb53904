"""HTTPS with a server that is not trusted: every exchange has an end in time and in size, whatever the server sends.

A read timeout ends silence only: a server that sends a byte a second is never silent, and a gzip of 300 kB may hold
1 GB. Here a clock beside the exchange shuts the socket down, in the TLS handshake and between header lines too, and
the body is counted after it was decompressed.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import urllib3
from urllib3.connection import HTTPSConnection

PIECE = 65_536
LIST_EXCHANGES = 5
"""A list may take as long as so many exchanges at their slowest, however many pages it has."""


class EndlessError(urllib3.exceptions.HTTPError):
    """No whole answer within the time or the size that was given; the message says which."""


class TooLargeError(EndlessError):
    """More than was given; asking again would bring the same."""


@dataclass(frozen=True)
class Limits:
    """Where one exchange ends: `seconds` from the first packet to the last byte, `most_bytes` of decompressed body."""

    seconds: float
    most_bytes: int

    def pages(self, most: int) -> Iterator[int]:
        """Numbers of the pages of one list: no more than `most`, and none that begins after its time is up."""
        until = time.monotonic() + LIST_EXCHANGES * self.seconds
        for number in range(most):
            if time.monotonic() > until:
                return
            yield number


@dataclass(frozen=True)
class Answer:
    """A whole answer."""

    status: int
    headers: Mapping[str, str]
    data: bytes | bytearray


class _Clock:
    """Ends one exchange from another thread."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._handles: list[socket.socket] = []
        self.over = False

    def watch(self, handle: int) -> None:
        """Shut this socket down when time is up; a handle of its own stays good when the library closes its."""
        with self._lock:
            if self.over:
                _shut(socket.socket(fileno=os.dup(handle)))
            else:
                self._handles.append(socket.socket(fileno=os.dup(handle)))

    def ring(self) -> None:
        """Time is up."""
        with self._lock:
            self.over = True
            for handle in self._handles:
                with contextlib.suppress(OSError):
                    handle.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """The exchange is over."""
        with self._lock:
            for handle in self._handles:
                handle.close()
            self._handles.clear()


def _shut(handle: socket.socket) -> None:
    with handle, contextlib.suppress(OSError):
        handle.shutdown(socket.SHUT_RDWR)


_running = threading.local()
"""`clock` of the exchange that this thread is in."""


def _watch(handle: int) -> None:
    clock: _Clock | None = getattr(_running, "clock", None)
    if clock is not None:
        clock.watch(handle)


class _Connection(HTTPSConnection):
    """Shows its socket to the clock before the TLS handshake, and again when it is used once more."""

    def _new_conn(self) -> socket.socket:
        made = super()._new_conn()
        _watch(made.fileno())
        return made

    def request(self, *args: Any, **kwargs: Any) -> None:
        """As the base class."""
        if self.sock is not None:
            _watch(self.sock.fileno())
        super().request(*args, **kwargs)


class Pool(urllib3.HTTPSConnectionPool):
    """Connections to one server that `ending` can end."""

    ConnectionCls = _Connection


@contextlib.contextmanager
def ending(seconds: float) -> Iterator[None]:
    """End what this thread does over a Pool after so many seconds. Raises EndlessError then."""
    clock = _Clock(seconds)
    timer = threading.Timer(seconds, clock.ring)
    timer.daemon = True
    _running.clock = clock
    timer.start()
    try:
        yield
    except Exception:
        if clock.over:
            raise EndlessError(f"no whole answer within {seconds:g} s") from None
        raise
    else:
        # A body without a length looks whole when its connection ends.
        if clock.over:
            raise EndlessError(f"no whole answer within {seconds:g} s")
    finally:
        timer.cancel()
        _running.clock = None
        clock.close()


def body(reply: Any, most_bytes: int) -> bytearray:
    """The decompressed body of a urllib3 response. Raises TooLargeError beyond `most_bytes`."""
    found = bytearray()
    whole = False
    try:
        while (piece := reply.read(PIECE, decode_content=True)) and len(found) <= most_bytes:
            found += piece
        whole = not piece
    finally:
        if not whole:
            reply.close()
    if not whole:
        raise TooLargeError(f"an answer of more than {most_bytes / 1e6:g} MB")
    reply.release_conn()
    return found


def exchange(
    pool: Any, method: str, url: str, headers: Mapping[str, str], limits: Limits, data: bytes | None = None
) -> Answer:
    """One request and its whole answer; redirects are answers. Raises EndlessError and what urllib3 raises."""
    with ending(limits.seconds):
        reply = pool.urlopen(
            method, url, body=data, headers=headers, retries=False, redirect=False, preload_content=False
        )
        return Answer(reply.status, reply.headers, body(reply, limits.most_bytes))
