"""The lab's listener closes what it opened, whatever its client does."""

from __future__ import annotations

import socket
import ssl
import struct
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from podwright.lab.pki import Authority
from podwright.lab.redfish.listener import Listener
from tests.waiting import until


@pytest.mark.parametrize("reset", [False, True], ids=["answered", "hung-up"])
def test_a_connection_is_closed_even_where_its_client_hung_up(tmp_path: Path, reset: bool) -> None:
    """What stays open is closed by the garbage collector in the middle of something else, with a warning."""
    asked: list[dict[str, Any]] = []

    def application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        asked.append(environ)
        time.sleep(0.2)
        start("200 OK", [("Content-Length", "4"), ("Connection", "close")])
        return [b"here"]

    authority = Authority(tmp_path / "pki", "listener CA")
    listener = Listener(application, "listener", authority.issue("127.0.0.1"))
    try:
        with socket.create_connection(("127.0.0.1", listener.port)) as plain:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close by reset
            trust = ssl.create_default_context(cafile=authority.path)
            with trust.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
                secure.sendall(b"GET / HTTP/1.1\r\nHost: bmc\r\n\r\n")
                if reset:  # only once the listener works on it: a reset also throws away what was not read yet
                    until(lambda: asked, 5, "the request is read")
                else:
                    assert b"here" in b"".join(iter(lambda: secure.recv(4096), b""))
        assert until(lambda: bool(asked) and asked[0]["werkzeug.socket"].fileno() == -1, 5, "the socket is closed")
    finally:
        listener.stop()
