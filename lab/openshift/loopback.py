"""HTTP servers of the lab on loopback: a thread for each connection, with TLS or without."""

from __future__ import annotations

import ssl
import sys
import threading
from contextlib import suppress
from http.server import ThreadingHTTPServer
from typing import Any


class Loopback(ThreadingHTTPServer):
    """Answers from `begin` to `end`. A client that goes in the middle of an answer is no error of it."""

    daemon_threads = True

    def begin(self, name: str) -> int:
        """Answer, in a thread of this name; the port."""
        threading.Thread(target=self.serve_forever, args=(0.05,), name=name, daemon=True).start()
        return int(self.server_address[1])

    def end(self) -> None:
        """Give the port back."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whatever is not the client's is printed."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class TlsLoopback(Loopback):
    """One with a certificate."""

    context: ssl.SSLContext

    def finish_request(self, request: Any, client_address: Any) -> None:
        """The handshake is the connection's own thread's matter: one that says nothing holds nobody up."""
        with suppress(OSError):
            request.settimeout(30)
            with self.context.wrap_socket(request, server_side=True) as tls:
                super().finish_request(tls, client_address)
