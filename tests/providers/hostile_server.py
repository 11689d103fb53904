"""A server that means harm, one port for each way, and another machine that hears what leaks."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podwright.lab.pki import Authority

NAME = "192.0.2.101"
"""What the stack file calls the server, and its certificate."""
SEED = os.environ.get("PODWRIGHT_HOSTILE_SEED", "")
"""Any seed must pass; it draws how fast, how long and how much. Without one the server is as hostile as always."""
_LOT = random.Random(SEED)


def drawn(usual: float, least: float, most: float) -> float:
    """A measure of this run."""
    return _LOT.uniform(least, most) if SEED else usual


PAUSE = drawn(0.05, 0.001, 0.9)
"""Seconds between two bytes that drip."""
CHUNK = int(drawn(65_536, 1, 400_000))
"""Bytes that a flood sends at once."""
MEMBERS = int(drawn(5000, 1, 40_000))
"""Entries of a page that has another one behind it."""
DEPTH = int(drawn(1_000_000, 500, 3_000_000))
BOMB = gzip.compress(bytes(int(drawn(300_000_000, 70_000_000, 900_000_000))), 9)
LONGEST = 13.0
"""Seconds after which even this server gives up: a client that never does fails a test, and hangs none."""
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@dataclass
class Elsewhere:
    """Another machine, which speaks plain HTTP: whatever reaches it has leaked."""

    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    heard: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> bytes:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/redfish/v1/Systems/1".encode()

    def serve(self) -> None:
        """Take whatever comes until the listener is closed."""
        while True:
            try:
                taken, _ = self.listener.accept()
            except OSError:
                return
            with taken:
                taken.settimeout(2)
                with contextlib.suppress(OSError):
                    self.heard.append(taken.recv(65_536) or b"a connection")


Send = Callable[[bytes], None]
Way = Callable[[Send, bytes, Elsewhere], None]
"""What the server does with a request."""


def _whole(send: Send, body: bytes, kind: bytes = b"application/json", more: bytes = b"") -> None:
    send(b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n%s" % (kind, len(body), more, body))


def _drip(send: Send, text: bytes) -> None:
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        for byte in text:
            send(bytes([byte]))
            time.sleep(PAUSE)


def _flood(send: Send, text: bytes) -> None:
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        send(text)


def _pages(send: Send, request: bytes, elsewhere: Elsewhere) -> None:
    """A full page, whatever is asked for; in Redfish each member has the members of all."""
    if b"/redfish/" in request:
        members = [{"@odata.id": f"/redfish/v1/Systems/{number}"} for number in range(MEMBERS)]
        system = {"Id": "1", "Name": "1", "SerialNumber": "", "@odata.id": "/redfish/v1/Systems/1"}
        root = {"Id": "r", "Name": "root", "RedfishVersion": "1.8.0", "Systems": {"@odata.id": "/redfish/v1/Systems"}}
        at = request.split(b" ")[1].rstrip(b"/")
        body: dict[str, Any] = root if at == b"/redfish/v1" else {"Name": "x", "Members": members}
        body = system if at.count(b"/") > 3 else body
    else:
        objects = [{"Moid": str(number), "metadata": {"name": str(number)}} for number in range(max(1, MEMBERS // 50))]
        body = {"Results": objects, "items": objects, "metadata": {"continue": "more"}}
    _whole(send, json.dumps(body).encode())


def _pointing(send: Send, request: bytes, elsewhere: Elsewhere) -> None:
    """A root and a collection as they should be, whose first member is another machine's."""
    url = elsewhere.url.decode()
    root = {"Id": "r", "Name": "root", "RedfishVersion": "1.8.0", "Systems": {"@odata.id": "/redfish/v1/Systems"}}
    rest = {"Name": "systems", "Members": [{"@odata.id": url}], "Results": [], "items": []}
    at = request.split(b" ")[1].rstrip(b"/")
    _whole(send, json.dumps(root if at == b"/redfish/v1" else rest).encode())


def _drip_after(head: bytes, text: bytes) -> Way:
    def answer(send: Send, request: bytes, elsewhere: Elsewhere) -> None:
        send(head)
        _drip(send, text)

    return answer


def _flood_after(head: bytes, text: bytes) -> Way:
    def answer(send: Send, request: bytes, elsewhere: Elsewhere) -> None:
        send(head)
        _flood(send, text)

    return answer


def _body(body: bytes, kind: bytes = b"application/json", more: bytes = b"") -> Way:
    return lambda send, request, elsewhere: _whole(send, body, kind, more)


def _redirect(send: Send, request: bytes, elsewhere: Elsewhere) -> None:
    send(b"HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\nLocation: " + elsewhere.url + b"\r\n\r\n")


ANSWERS: dict[str, Way] = {
    "drip in headers": _drip_after(b"HTTP/1.1 200 OK\r\nX-Long: ", b"a"),
    "drip in body": _drip_after(OK + b"Content-Length: 1000000\r\n\r\n{", b" "),
    "flood": _flood_after(OK + b"\r\n", b" " * CHUNK),
    "flood of headers": _flood_after(b"HTTP/1.1 200 OK\r\n", b"X-Much: " + b"a" * min(CHUNK, 60_000) + b"\r\n"),
    "flood in a chunk's size": _flood_after(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0" * CHUNK),
    "redirect": _redirect,
    "pointer": _pointing,
    "gzip": _body(BOMB, more=b"Content-Encoding: gzip\r\n"),
    "html": _body(b"<!doctype html><title>Log in</title>" + b" " * 4000, b"text/html"),
    "list": _body(b"[]"),
    "nested": _body(b"[" * DEPTH),
    "pages": _pages,
}
WAYS = ("silent", *ANSWERS)


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[tuple[dict[str, int], Path, Elsewhere]]:
    """Ports by way, the certificate authority's file, and the other machine."""
    authority, elsewhere = Authority(folder / "pki", "hostile CA"), Elsewhere()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*authority.issue(NAME))
    listeners = {way: socket.create_server(("127.0.0.1", 0)) for way in WAYS}
    threading.Thread(target=elsewhere.serve, daemon=True).start()
    for way, listener in listeners.items():
        threading.Thread(target=_accept, args=(way, listener, context, elsewhere), daemon=True).start()
    try:
        yield {way: each.getsockname()[1] for way, each in listeners.items()}, authority.path, elsewhere
    finally:
        for each in (*listeners.values(), elsewhere.listener):
            each.close()


def _accept(way: str, listener: socket.socket, context: ssl.SSLContext, elsewhere: Elsewhere) -> None:
    while True:
        try:
            taken, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_converse, args=(way, taken, context, elsewhere), daemon=True).start()


def _converse(way: str, taken: socket.socket, context: ssl.SSLContext, elsewhere: Elsewhere) -> None:
    with taken, contextlib.suppress(OSError):
        taken.settimeout(30)
        if way == "silent":
            taken.recv(1)
            time.sleep(30)
            return
        with context.wrap_socket(taken, server_side=True) as secure:
            while request := secure.recv(65_536):
                ANSWERS[way](secure.sendall, request, elsewhere)
