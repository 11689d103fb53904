"""Envoy's part of a Gateway: TLS ends here, the name finds a route, its pool's picker the replica, and that answers.

After Istio's configuration of a cluster of an InferencePool (pilot/pkg/networking/core): the picker's address first,
the others by turns where it does not take the connection; without an answer of the picker its failureMode decides.
"""

from __future__ import annotations

import http.client
import itertools
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final

from podwright.lab.openshift.gateway.ext_proc import Picking, RefusedError, UnavailableError
from podwright.lab.openshift.kuadrant.authorino import Denied
from podwright.lab.openshift.kuadrant.keeper import Keeper, Policies
from podwright.lab.openshift.loopback import TlsLoopback

SECONDS: Final = 10.0
_HOP: Final = {"connection", "host", "content-length", "accept-encoding"}
_turn = itertools.count()


@dataclass(frozen=True)
class Target:
    """A pool as the gateway has it at this moment."""

    picker: int | None
    """Port of external processing on 127.0.0.1; None where no picker runs, or policies do not let the gateway to it."""
    tls: bool | None
    """How the gateway speaks to it: with TLS that checks nothing, without TLS; None where TLS cannot be had."""
    opens: bool
    """failureMode FailOpen."""
    replicas: Sequence[str]
    """Addresses and ports of those that are ready and that policies let the gateway to."""
    policies: Policies = field(default_factory=Policies)
    """What Kuadrant's filter asks of a request for it, and counts."""
    without: Sequence[str] = ()
    """Headers that no replica gets."""


Find = Callable[[str], Target | None]
"""The pool behind a name."""


class Proxy:
    """HTTPS on one port of loopback."""

    def __init__(self, certificate: Path, key: Path, find: Find, keeper: Keeper) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.context, self._server.find, self._server.keeper = context, find, keeper
        self.port = self._server.begin("gateway")

    @property
    def passed_by(self) -> int:
        """Requests that were given to a replica by turns, since no picker answered."""
        return self._server.passed_by

    def stop(self) -> None:
        """Give the port back."""
        self._server.end()


class _Server(TlsLoopback):
    find: Find
    keeper: Keeper
    passed_by = 0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""

    def do_POST(self) -> None:
        """As GET."""
        self.do_GET()

    def do_GET(self) -> None:
        """The answer of the replica that is chosen."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        target = self.server.find((self.headers.get("Host") or "").partition(":")[0].lower())
        if target is None:
            self._reply(404, b"", {})
            return
        try:
            with Picking(target.picker, tls=target.tls) as picking:
                chosen = picking.destination(self._sent(), body)
                status, answer, headers = self._ask(chosen, target, body)
                with suppress(UnavailableError, RefusedError):
                    picking.answered(status, answer)
        except RefusedError as refused:
            status, answer, headers = refused.status, refused.text, {}
        except UnavailableError:
            if target.opens:
                self.server.passed_by += 1
                status, answer, headers = self._ask("", target, body)
            else:
                status, answer, headers = 500, b"", {}
        self._reply(status, answer, headers)

    def _sent(self) -> dict[str, str]:
        own = {":method": self.command, ":path": self.path, ":scheme": "https"}
        return own | {key: value for key, value in self.headers.items() if key.lower() != "connection"}

    def _ask(self, chosen: str, target: Target, body: bytes) -> tuple[int, bytes, Mapping[str, str]]:
        """Kuadrant's filter, then a replica. It stands right before Envoy's router, behind the picker's
        (kuadrant-operator v1.5.2, internal/istio/utils.go: INSERT_BEFORE the router; Istio has the picker's there)."""
        asked = {
            "method": self.command, "path": self.path, "url_path": self.path.partition("?")[0],
            "headers": {key.lower(): value for key, value in self.headers.items()},
        }  # fmt: skip
        passed = self.server.keeper.judge(target.policies, asked)
        if isinstance(passed, Denied):
            return passed.status, passed.body, passed.headers
        status, text, headers = self._forward(chosen, target, body)
        refused = self.server.keeper.answered(passed, headers.get("Content-Type", ""), text)
        return (refused, b"", {}) if refused else (status, text, headers)

    def _forward(self, chosen: str, target: Target, body: bytes) -> tuple[int, bytes, Mapping[str, str]]:
        start = next(_turn)
        turns = [target.replicas[(start + at) % len(target.replicas)] for at in range(len(target.replicas))]
        for each in ([chosen] if chosen in target.replicas else []) + [each for each in turns if each != chosen]:
            host, _, port = each.rpartition(":")
            connection = http.client.HTTPConnection(host, int(port), timeout=SECONDS)
            with suppress(OSError):
                headers = {
                    key: value for key, value in self.headers.items() if key.lower() not in {*_HOP, *target.without}
                }
                connection.request(self.command, self.path, body or None, headers)
                found = connection.getresponse()
                kind, text = found.headers.get("Content-Type") or "text/plain", found.read()
                connection.close()
                return found.status, text, {"Content-Type": kind}
            connection.close()
        return 503, b"no healthy upstream", {}

    def _reply(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
