"""A picker's way to the API server: with its account's rights, and with pods at addresses of loopback.

Pods of the lab have addresses that lead nowhere. Through this a picker reads the same pods, each at an address of
127/8 where its stand-in listens; nothing else of an answer is changed.
"""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.parse
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from podwright.lab.openshift import kubeconfig
from podwright.lab.openshift.loopback import Loopback

Place = Callable[[Mapping[str, Any]], str]
"""Where a picker finds a pod."""
_DROPPED = {"host", "accept", "accept-encoding", "authorization", "connection", "content-length"}


class ApiPassage:
    """Plain HTTP on one port of loopback, for one account."""

    def __init__(self, access: str, account: str, place: Place) -> None:
        namespace = account.split(":")[2]
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
        parsed = kubeconfig.parse(access)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.url = urllib.parse.urlsplit(parsed.server)
        self._server.tls = ssl.create_default_context(cadata=parsed.ca.decode())
        with TemporaryDirectory() as folder:
            pem = Path(folder) / "client.pem"
            pem.touch(mode=0o600)
            pem.write_bytes(parsed.client.certificate + parsed.client.key)
            self._server.tls.load_cert_chain(pem)
        self._server.account, self._server.groups, self._server.place = account, groups, place
        self.url = f"http://127.0.0.1:{self._server.begin('api-passage')}"

    def stop(self) -> None:
        """Give the port back."""
        self._server.end()


class _Server(Loopback):
    url: urllib.parse.SplitResult
    tls: ssl.SSLContext
    account: str
    groups: tuple[str, ...]
    place: Place


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        """Any request, answered for as long as the API server does: a watch for minutes."""
        upstream = http.client.HTTPSConnection(
            str(self.server.url.hostname), self.server.url.port, context=self.server.tls, timeout=600
        )
        try:
            self._pass(upstream)
        except OSError:
            self.close_connection = True
        finally:
            upstream.close()

    def _pass(self, upstream: http.client.HTTPSConnection) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
        upstream.putrequest(self.command, self.path)
        kept = [(key, value) for key, value in self.headers.items() if key.lower() not in _DROPPED]
        own = [("Accept", "application/json"), ("Impersonate-User", self.server.account)]
        own += [("Impersonate-Group", each) for each in self.server.groups]
        for key, value in (*kept, *own, *([("Content-Length", str(len(body)))] if body else [])):
            upstream.putheader(key, value)
        upstream.endheaders(body)
        answer = upstream.getresponse()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers.get("Content-Type") or "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        path, _, query = self.path.partition("?")
        pods = path.endswith("/pods") and answer.status == http.client.OK
        with suppress(OSError):
            if pods and "watch" in urllib.parse.parse_qs(query):
                while line := answer.readline():
                    self._write(self._event(line))
            elif pods:
                found = json.loads(answer.read())
                self._write(json.dumps({**found, "items": [self._placed(each) for each in found["items"]]}).encode())
            else:
                while chunk := answer.read1(65536):
                    self._write(chunk)

    def _write(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()

    def _event(self, line: bytes) -> bytes:
        event = json.loads(line)
        if event["type"] in ("ADDED", "MODIFIED", "DELETED"):
            event["object"] = self._placed(event["object"])
        return json.dumps(event).encode() + b"\n"

    def _placed(self, pod: dict[str, Any]) -> dict[str, Any]:
        status = pod.get("status") or {}
        if not status.get("podIP"):
            return pod
        address = self.server.place(pod)
        return {**pod, "status": {**status, "podIP": address, "podIPs": [{"ip": address}]}}
