"""The plugin as a webhook on loopback, a process of its own beside the API server that asks it.

Unmodified Kubernetes has no such plugin; everything it needs to know it watches, so that an answer takes no request.
"""

from __future__ import annotations

import argparse
import base64
import json
import logging
import socket
import ssl
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from podwright.lab.openshift import kubeconfig
from podwright.lab.openshift.api import Api, ApiError, Object
from podwright.lab.openshift.cache import Cache, Kind
from podwright.lab.openshift.kinds import NAMESPACES
from podwright.lab.openshift.scc import admission
from podwright.lab.openshift.scc.grants import WATCHED, Grants, Subject
from podwright.lab.openshift.scc.resolve import MCS, UID_RANGE
from podwright.lab.openshift.scc.shipped import API_VERSION, PLURAL, STANDARD

log = logging.getLogger("lab.openshift.scc")
SCCS = Kind(API_VERSION, PLURAL)
PATIENCE_SECONDS = 10.0
"""How long the plugin waits for an SCC or a namespace's annotations before it refuses."""
LOOK_SECONDS = 0.02


class Plugin:
    """What it knows of the cluster, and its answers."""

    def __init__(self, api: Api, cache: Cache, over: threading.Event) -> None:
        self._api, self._cache = api, cache
        cache.listen(SCCS, lambda: None)
        cache.listen(NAMESPACES, lambda: None)
        self._grants = Grants(cache)
        for kind in (NAMESPACES, *WATCHED):
            cache.settle(kind, over)

    def answer(self, review: Mapping[str, Any], *, final: bool) -> Object:
        """The response to an AdmissionReview."""
        request = review["request"]
        response: Object = {"uid": request["uid"], "allowed": True}
        pod, before = request["object"], request.get("oldObject")
        if not admission.ignored(pod, before):
            judge = partial(_judged, final=final)
            try:
                try:
                    patch = judge(self._asked(request, pod, before))
                except admission.RefusedError:
                    self._read(str(request["namespace"]))
                    patch = judge(self._asked(request, pod, before))
                if patch:
                    response |= {"patchType": "JSONPatch", "patch": _encoded(patch)}
            except admission.RefusedError as problem:
                response |= {"allowed": False, "status": _forbidden(request, problem)}
        return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}

    def _read(self, namespace: str) -> None:
        """Before a refusal: a right or an SCC of this moment may have been on its way."""
        with suppress(ApiError):
            for each in self._api.request("GET", SCCS.path())["items"]:
                self._cache.replace(SCCS, each)
            self._grants.read(self._api, namespace)

    def _asked(self, request: Mapping[str, Any], pod: Object, before: Object | None) -> admission.Review:
        user = request["userInfo"]
        return admission.Review(
            pod=pod, before=before, subresource=request.get("subResource") or "",
            creates=request["operation"] == "CREATE", namespace=self._namespace(str(request["namespace"])),
            user=Subject(user.get("username", ""), tuple(user.get("groups") or ())), sccs=self._sccs(),
            rights=self._grants,
        )  # fmt: skip

    def _namespace(self, name: str) -> Object:
        """The namespace, with its annotations unless they do not come."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            found = self._cache.get(NAMESPACES, name)
            notes = (found or {"metadata": {}})["metadata"].get("annotations") or {}
            if found is not None and UID_RANGE in notes and MCS in notes:
                return found
            if time.monotonic() > deadline:
                return found or {"metadata": {"name": name}}
            time.sleep(LOOK_SECONDS)

    def _sccs(self) -> tuple[Object, ...]:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            found = tuple(self._cache.list(SCCS))
            if {each["metadata"]["name"] for each in found} >= STANDARD or time.monotonic() > deadline:
                return found
            time.sleep(LOOK_SECONDS)


def _judged(asked: admission.Review, *, final: bool) -> list[dict[str, Any]]:
    """What is to be changed. Raises RefusedError."""
    if final:
        admission.validate(asked)
        return []
    return admission.changes(asked.pod, admission.admitted(asked))


def _encoded(patch: Any) -> str:
    return base64.b64encode(json.dumps(patch).encode()).decode()


def _forbidden(request: Mapping[str, Any], problem: Exception) -> Object:
    meta = request["object"]["metadata"]
    name = request.get("name") or meta.get("name") or meta.get("generateName") or "Unknown"
    return {
        "status": "Failure", "code": 403, "reason": "Forbidden", "message": f'pods "{name}" is forbidden: {problem}',
        "details": {"name": name, "kind": "pods"},
    }  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    """One connection of the API server, which keeps it open."""

    plugin: ClassVar[Plugin]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        """Answer an AdmissionReview."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            text = json.dumps(self.plugin.answer(json.loads(body), final=self.path.startswith("/validate"))).encode()
            self.send_response(200)
        except Exception as problem:
            # The API server refuses the pod then, and says that nobody judged it.
            log.exception("no answer")
            text = str(problem).encode()
            self.send_response(500)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the API server's audit log has every request."""


class Server(ThreadingHTTPServer):
    """A thread for each connection, which also shakes hands there."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, certificate: Path, key: Path) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self._tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._tls.load_cert_chain(certificate, key)

    def get_request(self) -> tuple[socket.socket, Any]:
        """A connection; its handshake waits until its own thread reads."""
        connection, address = super().get_request()
        return self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the server's signature
        """A connection that breaks is the API server's business."""
        log.info("connection from %s: %s", client_address, sys.exception())


def main() -> None:
    """Serve until ended."""
    parser = argparse.ArgumentParser(prog="scc-admission")
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--certificate", type=Path, required=True)
    parser.add_argument("--key", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    api = Api(kubeconfig.parse(given.kubeconfig.read_text(encoding="utf-8")))
    Handler.plugin = Plugin(api, Cache(api), threading.Event())
    Server(given.port, given.certificate, given.key).serve_forever()


if __name__ == "__main__":
    main()
