"""The router's port: TLS ends here, the Host header finds the backend, and the pod's stand-in answers.

What a pod answers is its own name, unless it is a server of models that the lab knows (lab/openshift/serving): no model
runs here. `?seconds=2` lets it take that long.
"""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from podwright.lab.openshift.ingress.backend import Backend, identity
from podwright.lab.openshift.ingress.endpoints import Endpoint
from podwright.lab.openshift.loopback import TlsLoopback
from podwright.lab.openshift.serving.box import Answer, Request
from podwright.lab.openshift.serving.listener import request_of

Find = Callable[[str, str], Backend | None]
"""The backend for a host and a path."""
Connect = Callable[[Endpoint], bool]
"""Whether a connection to an endpoint comes about."""
Ask = Callable[[Endpoint, Request], Answer | None]
"""What the server behind an endpoint answers; None where nothing is known of it."""
Count = Callable[[Backend, Endpoint, str], None]
"""Told what came of a request: a class of status such as 2xx, RESPONSE or CONNECTION."""
RESPONSE, CONNECTION = "response_errors", "connection_errors"
UNAVAILABLE = b"<html><body><h1>Application is not available</h1></body></html>"


class Listener:
    """HTTPS on one loopback port, with one certificate for every name."""

    def __init__(
        self, certificate: Path, key: Path, find: Find, connect: Connect, ask: Ask, count: Count, port: int = 0
    ) -> None:
        self.find, self.connect, self.ask, self.count = find, connect, ask, count
        self.redispatched = 0
        """Connections that one pod did not take and another one did."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.context, self._server.listener = context, self
        self.port = self._server.begin("router")

    def stop(self) -> None:
        """Give the port back."""
        self._server.end()


class _Server(TlsLoopback):
    allow_reuse_port = True
    """Its port is kept for it before it listens."""
    listener: Listener


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a probe every 100 ms fills a log."""

    def do_POST(self) -> None:
        """As GET."""
        self.do_GET()

    def do_GET(self) -> None:
        """The answer of the backend that has the name, or 503."""
        self._body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        host = (self.headers.get("Host") or "").partition(":")[0].lower()
        backend = self.server.listener.find(host, urlsplit(self.path).path)
        source = str(self.client_address[0])
        if backend is None:
            self._reply(503, UNAVAILABLE, "text/html")
            return
        with backend.counted(source) as within:
            if within and backend.allows(source):
                self._pass(backend, source)
            else:
                self.close_connection = True
                with suppress(OSError):
                    self.connection.shutdown(socket.SHUT_RDWR)

    def _pass(self, backend: Backend, source: str) -> None:
        endpoints = backend.chosen(source, self._cookie(backend))
        for tried, endpoint in enumerate(endpoints):
            with backend.opened(endpoint):  # leastconn counts one that is still waited for
                if self.server.listener.connect(endpoint):
                    self.server.listener.redispatched += bool(tried)
                    self._answer(backend, endpoint)
                    return
        if endpoints:
            self.server.listener.count(backend, endpoints[-1], CONNECTION)
        self._reply(503, UNAVAILABLE, "text/html")

    def _answer(self, backend: Backend, endpoint: Endpoint) -> None:
        takes = float(parse_qs(urlsplit(self.path).query).get("seconds", ["0"])[0])
        time.sleep(min(takes, backend.seconds))
        if takes > backend.seconds:
            self.server.listener.count(backend, endpoint, RESPONSE)
            self._reply(504, b"", "text/plain")
            return
        extra = {"Strict-Transport-Security": backend.hsts} if backend.hsts else {}
        if backend.cookie and self._cookie(backend) != identity(endpoint):
            flags = "path=/; HttpOnly; Secure; SameSite=None"
            extra["Set-Cookie"] = f"{backend.cookie}={identity(endpoint)}; {flags}"
        body = json.dumps({"pod": endpoint.pod, "namespace": endpoint.namespace, "path": self.path})
        known = self.server.listener.ask(endpoint, request_of(self, self._body))
        found = known or Answer(200, body.encode())
        self.server.listener.count(backend, endpoint, f"{found.status // 100}xx")
        self._reply(found.status, found.body, found.kind, extra)

    def _cookie(self, backend: Backend) -> str:
        rows = (each.strip().partition("=") for each in (self.headers.get("Cookie") or "").split(";"))
        return next((value for name, _, value in rows if name == backend.cookie), "")

    def _reply(self, status: int, body: bytes, kind: str, extra: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(extra or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
