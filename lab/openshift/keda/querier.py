"""Thanos Querier's port of tenants: who asks is known to the API server, and asks of a namespace that it may read.

After openshift/cluster-monitoring-operator, manifests of thanos-querier (port 9092: kube-rbac-proxy, which reviews the
token and whether it may `get pods` of metrics.k8s.io in the namespace that parameter `namespace` names, then
prom-label-proxy, which holds the query to that namespace).
"""

from __future__ import annotations

import json
import ssl
import threading
import urllib.parse
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from podwright.lab.openshift.api import Api, ApiError
from podwright.lab.openshift.keda.gauges import QueryError

NAMES = ("thanos-querier.openshift-monitoring.svc", "thanos-querier.openshift-monitoring.svc.cluster.local")
PORT = 9092
Vector = list[dict[str, Any]]
Asked = Callable[[str, str], Vector]
"""What a query of a namespace gives. Raises QueryError."""


class Querier:
    """HTTPS on a port of loopback."""

    def __init__(self, api: Api, certificate: Path, key: Path, asked: Asked) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._server.api, self._server.asked = api, asked
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, args=(0.1,), name="thanos-querier", daemon=True).start()

    def stop(self) -> None:
        """Give the port back."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    api: Api
    asked: Asked


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        """One instant query."""
        path, _, text = self.path.partition("?")
        given = urllib.parse.parse_qs(text)
        namespace = (given.get("namespace") or [""])[0]
        try:
            refused = self._refused(namespace)
            if refused:
                self._say(*refused)
            elif path != "/api/v1/query":
                self._say(404, "404 page not found")
            else:
                found = self.server.asked((given.get("query") or [""])[0], namespace)
                data = {"resultType": "vector", "result": found}
                self._say(200, json.dumps({"status": "success", "data": data}))
        except QueryError as problem:
            self._say(400, json.dumps({"status": "error", "errorType": "bad_data", "error": str(problem)}))
        except ApiError as problem:
            self._say(500, str(problem))

    def _refused(self, namespace: str) -> tuple[int, str] | None:
        """Status and text where kube-rbac-proxy lets nobody by."""
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
        path = "/apis/authentication.k8s.io/v1/tokenreviews"
        status = self.server.api.request("POST", path, review)["status"] if token else {}
        if not status.get("authenticated"):
            return 401, "Unauthorized"
        if not namespace:
            return 400, "Bad Request. The request or configuration is malformed."
        user = status["user"]
        wanted = {"group": "metrics.k8s.io", "version": "v1beta1", "resource": "pods", "verb": "get"}
        access = {
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
            "spec": {
                "user": user["username"], "groups": user.get("groups") or [],
                "resourceAttributes": {**wanted, "namespace": namespace},
            },
        }  # fmt: skip
        allowed = self.server.api.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", access)
        if not allowed["status"].get("allowed"):
            name = f"user={user['username']}, verb=get, resource=pods, namespace={namespace}"
            return 403, f"Forbidden ({name})"
        return None

    def _say(self, status: int, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if text.startswith("{") else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
