"""HTTP and HTTPS listeners on loopback for WSGI applications, many in one process, one thread each."""

# ruff: noqa: ARG002 - a handler keeps the signatures of the library that calls it

from __future__ import annotations

import logging
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

log = logging.getLogger("lab.listener")
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
HUNG_UP = (ConnectionError, TimeoutError, ssl.SSLError)
HANDSHAKE_SECONDS = 120.0
"""For a client on a busy machine: a connection that stalls holds up its own thread only."""


class _Handler(WSGIRequestHandler):  # type: ignore[misc]  # the library is seen untyped
    # Header and body leave in one segment: two would wait for each other's acknowledgement (40 ms a request).
    wbufsize = -1
    disable_nagle_algorithm = True
    protocol_version = "HTTP/1.1"

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The date of an answer, by the clock of the application where it has one of its own."""
        now = time.time() + getattr(self.server.app, "clock_ahead", 0.0)
        return str(super().date_time_string(now if timestamp is None else timestamp))

    def finish(self) -> None:
        """As the base class, which leaves the request's file open where the answer can no longer be written."""
        try:
            super().finish()
        finally:
            self.rfile.close()

    def log(self, type: str, message: str, *args: Any) -> None:
        log.debug(message, *args)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Requests are the application's to log."""


class _Server(ThreadedWSGIServer):  # type: ignore[misc]  # the library is seen untyped
    daemon_threads = True
    request_queue_size = 128

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Shake hands in the connection's own thread: a client that stalls must not stall the others."""
        if self.ssl_context is None:
            super().finish_request(request, client_address)
            return
        request.settimeout(HANDSHAKE_SECONDS)
        try:
            secure = self.ssl_context.wrap_socket(request, server_side=True)
        except OSError as problem:
            log.debug("no TLS with %s: %s", client_address, problem)
            return
        secure.settimeout(None)
        try:
            super().finish_request(secure, client_address)
        finally:
            _close(secure)

    def log(self, type: str, message: str, *args: Any) -> None:
        """The library's "Error on request", with a traceback, also for a TLS client that is gone before its answer."""
        if isinstance(sys.exception(), HUNG_UP):
            log.debug("a client hung up: %s", sys.exception())
        else:
            log.error(message, *args)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no event; anything else goes to the log with its traceback."""
        problem = sys.exception()
        if isinstance(problem, HUNG_UP):
            log.debug("%s hung up: %s", client_address, problem)
        else:
            log.error("connection from %s ended badly", client_address, exc_info=True)


def _close(connection: ssl.SSLSocket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        log.debug("the peer had closed first")
    connection.close()


class Listener:
    """One port of 127.0.0.1 that serves one application until `stop`.

    `tls` holds the paths of a certificate chain and its key; None means plain HTTP. Port 0 takes a free one.
    """

    def __init__(self, application: Wsgi, name: str, tls: tuple[Path, Path] | None = None, port: int = 0) -> None:
        self._server = _Server("127.0.0.1", port, application, _Handler)
        if tls is not None:
            self.present(*tls)
        self.port: int = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name=name, daemon=True)
        self._thread.start()

    def present(self, chain: Path, key: Path) -> None:
        """Show this certificate to clients that connect from now on. Raises ssl.SSLError where the key is not its."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain, key)
        self._server.ssl_context = context

    @property
    def address(self) -> str:
        """ "127.0.0.1:<port>"."""
        return f"127.0.0.1:{self.port}"

    def stop(self) -> None:
        """Close the port; requests under way are dropped with their connections."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)
