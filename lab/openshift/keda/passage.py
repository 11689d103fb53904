"""A way for a program that knows names of the cluster's network alone: CONNECT to them leads to a port of loopback.

The lab has no DNS of services and no data path. A program that honours HTTPS_PROXY reaches through this what the lab
has of them, with the name on its certificate, and nothing else.
"""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_BYTES = 65536


class Passage:
    """Names and ports, such as thanos-querier.openshift-monitoring.svc:9092, and where each is on 127.0.0.1."""

    def __init__(self, leads: Mapping[str, int]) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.leads = leads
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.1,), name="passage", daemon=True).start()

    def stop(self) -> None:
        """Give the port back."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    leads: Mapping[str, int]


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""

    def do_CONNECT(self) -> None:
        """Carry bytes both ways until one side is done."""
        port = self.server.leads.get(self.path)
        if port is None:
            self.send_error(502, f"no such host {self.path}")
            return
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as behind:
                self.send_response(200)
                self.end_headers()
                _carry(self.connection, behind)
        except OSError as problem:
            self.close_connection = True
            self.log_message("%s", problem)


def _carry(one: socket.socket, other: socket.socket) -> None:
    ways = {one: other, other: one}
    while True:
        ready, _, _ = select.select(list(ways), [], [], 120)
        if not ready:
            return
        for each in ready:
            data = each.recv(_BYTES)
            if not data:
                return
            ways[each].sendall(data)
