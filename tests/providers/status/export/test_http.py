"""The exporter's web server among clients that mean harm."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from urllib.parse import urlsplit

import pytest
from prometheus_client import CollectorRegistry

from podwright.components.providers.status.export import http

GET = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"


def connect(url: str, source: str = "127.0.0.1") -> socket.socket:
    parts = urlsplit(url)
    return socket.create_connection((str(parts.hostname), int(parts.port or 0)), 10, source_address=(source, 0))


def answer(url: str, source: str = "127.0.0.1") -> bytes:
    """The first line of an answer; empty where the connection ends without one."""
    with connect(url, source) as client, contextlib.suppress(OSError):
        client.sendall(GET)
        return client.recv(4096).partition(b"\r\n")[0]
    return b""


def test_one_address_takes_some_connections_and_others_are_served() -> None:
    with http.serving("127.0.0.1:0", CollectorRegistry()) as url, contextlib.ExitStack() as held:
        before = threading.active_count()
        for _ in range(http.MOST_OF_ONE):
            held.enter_context(connect(url))
        time.sleep(0.5)
        for _ in range(50):
            held.enter_context(connect(url))
        assert answer(url) in (b"HTTP/1.1 503 Service Unavailable", b"")
        assert threading.active_count() - before <= 2 * http.MOST_OF_ONE
        assert answer(url, "127.0.0.2").endswith(b"200 OK")


def test_many_addresses_take_no_more_than_all_connections() -> None:
    with http.serving("127.0.0.1:0", CollectorRegistry()) as url, contextlib.ExitStack() as held:
        before = threading.active_count()
        for number in range(100):
            held.enter_context(connect(url, f"127.0.0.{number // 8 + 2}"))
        time.sleep(0.5)
        assert threading.active_count() - before <= 2 * http.MOST_CONNECTIONS


def test_a_client_that_drips_is_ended_and_its_place_is_free_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "CONNECTION_SECONDS", 0.5)
    with http.serving("127.0.0.1:0", CollectorRegistry()) as url, contextlib.ExitStack() as held:
        slow = [held.enter_context(connect(url)) for _ in range(http.MOST_OF_ONE)]
        until = time.monotonic() + 20
        while time.monotonic() < until and not answer(url).endswith(b"200 OK"):
            for each in slow:
                with contextlib.suppress(OSError):
                    each.send(b"G")
            time.sleep(0.05)
        assert answer(url).endswith(b"200 OK")
