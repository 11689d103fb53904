"""A server of models at a port of loopback: what `oc port-forward` would reach, for people and for tests."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from podwright.lab.openshift.serving.box import Answer, Request

Answering = Callable[[Request], Answer]


class Listener:
    """HTTP on one port of loopback, for as long as its pod runs."""

    def __init__(self, answering: Answering) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.answering = answering
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, args=(0.1,), name="served", daemon=True).start()

    def stop(self) -> None:
        """Give the port back."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    answering: Answering


def request_of(handler: BaseHTTPRequestHandler, body: bytes) -> Request:
    """What a handler of the standard library has read."""
    headers = {name.lower(): value for name, value in handler.headers.items()}
    return Request(handler.command, handler.path, headers, body)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        """Any request."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        answer = self.server.answering(request_of(self, body))
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def do_POST(self) -> None:
        """Any request."""
        self.do_GET()
