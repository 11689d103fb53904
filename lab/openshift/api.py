"""The lab's client of its own API server: plain HTTPS, JSON in and out; few verbs, many kinds, plain dictionaries."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from podwright.lab.openshift.kubeconfig import Access

Object = dict[str, Any]
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
FIELD_MANAGER = "lab"
REQUEST_SECONDS = 75
"""Longer than the API server's own limit of 60 s: on a busy machine the server says when it gives up."""


class ApiError(RuntimeError):
    """The API server refused. `code` is the HTTP status, 0 when no answer came; `reason` its own word."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason

    @property
    def passing(self) -> bool:
        """True when the same request may well be taken a moment later: no answer, too many requests, a server's 5xx."""
        return self.code in (0, 429) or self.code >= 500


def path_of(api_version: str, plural: str, namespace: str | None = None, name: str | None = None) -> str:
    """URL path of a resource, e.g. ("apps/v1", "deployments", "ns", "x")."""
    parts = ["/api" if api_version == "v1" else "/apis", api_version]
    if namespace is not None:
        parts += ["namespaces", namespace]
    parts.append(plural)
    if name is not None:
        parts.append(urllib.parse.quote(name))
    return "/".join(parts)


class Api:
    """One identity at one API server. Thread-safe: each thread keeps its own connection."""

    def __init__(self, access: Access, impersonate: str = "") -> None:
        url = urllib.parse.urlsplit(access.server)
        self._host, self._port = str(url.hostname), int(url.port or 443)
        self._headers = {"Impersonate-User": impersonate} if impersonate else {}
        self._local = threading.local()
        self._closed = False
        self._open: list[http.client.HTTPSConnection] = []
        self._tls = ssl.create_default_context(cadata=access.ca.decode())
        with TemporaryDirectory() as folder:
            pem = Path(folder) / "client.pem"
            pem.touch(mode=0o600)
            pem.write_bytes(access.client.certificate + access.client.key)
            self._tls.load_cert_chain(pem)

    def ready(self) -> bool:
        """True when /readyz says ok."""
        try:
            self.request("GET", "/readyz", raw=True)
        except ApiError:
            return False
        return True

    def get(self, path: str) -> Object | None:
        """The object, or None when it is not there."""
        try:
            found: Object = self.request("GET", path)
        except ApiError as problem:
            if problem.code == 404:
                return None
            raise
        return found

    def create(self, path: str, body: Mapping[str, Any]) -> Object:
        """POST to a collection path."""
        made: Object = self.request("POST", f"{path}?fieldManager={FIELD_MANAGER}", body)
        return made

    def ensure(self, path: str, body: Mapping[str, Any]) -> None:
        """Create, unless an object of that name exists: it is then left as it is."""
        try:
            self.create(path, body)
        except ApiError as problem:
            if problem.reason != "AlreadyExists":
                raise

    def merge(self, path: str, body: Mapping[str, Any], subresource: str = "", manager: str = FIELD_MANAGER) -> Object:
        """JSON merge patch of an object or of one of its subresources."""
        where = f"{path}/{subresource}" if subresource else path
        patched: Object = self.request("PATCH", f"{where}?fieldManager={manager}", body, content=MERGE)
        return patched

    def apply_text(self, path: str, text: bytes, manager: str = FIELD_MANAGER) -> Object:
        """Server-side apply of YAML as it stands in a file."""
        query = f"{path}?fieldManager={urllib.parse.quote(manager, safe='')}&force=true"
        applied: Object = self.request("PATCH", query, text, content=APPLY)
        return applied

    def delete(self, path: str) -> None:
        """Delete; being gone already is fine."""
        try:
            self.request("DELETE", path)
        except ApiError as problem:
            if problem.code != 404:
                raise

    def request(
        self, method: str, path: str, body: Any = None, content: str = "application/json", raw: bool = False
    ) -> Any:
        """One request. Raises ApiError; a connection the server closed meanwhile is opened again once."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = {"Accept": "application/json", "Content-Type": content, **self._headers}
        for attempt in (1, 2):
            connection = self._connection()
            try:
                connection.request(method, path, data, headers)
                reply = connection.getresponse()
                text = reply.read()
            except (OSError, http.client.HTTPException) as problem:
                self._drop()
                if attempt == 2 or method == "POST":
                    raise ApiError(0, "Unreachable", f"{method} {path}: {problem}") from problem
                continue
            if reply.status >= 400:
                raise _refusal(reply.status, text)
            return text if raw else json.loads(text or b"{}")
        raise AssertionError("unreachable")

    def watch(self, path: str, version: str, seconds: int) -> Iterator[Object]:
        """Events of a collection from `version` on, for at most `seconds`. Raises ApiError on 410 and on cuts."""
        connection = http.client.HTTPSConnection(
            self._host, self._port, context=self._tls, timeout=seconds + REQUEST_SECONDS
        )
        self._keep(connection)
        query = f"watch=1&allowWatchBookmarks=true&resourceVersion={version}&timeoutSeconds={seconds}"
        try:
            connection.request("GET", f"{path}?{query}", headers={"Accept": "application/json"})
            reply = connection.getresponse()
            if reply.status >= 400:
                raise _refusal(reply.status, reply.read())
            while line := reply.readline():
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise ApiError(int(event["object"].get("code", 500)), "Watch", str(event["object"].get("message")))
                yield event
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as problem:
            # ValueError and AttributeError: `close` took the connection away under a running read.
            raise ApiError(0, "Unreachable", f"watch {path}: {problem}") from problem
        finally:
            connection.close()
            self._forget(connection)

    def close(self) -> None:
        """Close every thread's connection, for good: one that is used once more is not opened again."""
        self._closed = True
        while self._open:
            connection = self._open.pop()
            connection.auto_open = 0
            connection.close()

    def _keep(self, connection: http.client.HTTPSConnection) -> None:
        if self._closed:
            raise ApiError(0, "Unreachable", "this client was closed")
        self._open.append(connection)

    def _forget(self, connection: http.client.HTTPSConnection) -> None:
        with suppress(ValueError):  # `close` took it meanwhile
            self._open.remove(connection)

    def _connection(self) -> http.client.HTTPSConnection:
        connection: http.client.HTTPSConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = http.client.HTTPSConnection(self._host, self._port, context=self._tls, timeout=REQUEST_SECONDS)
            self._keep(connection)
            self._local.connection = connection
        return connection

    def _drop(self) -> None:
        connection: http.client.HTTPSConnection | None = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None
            self._forget(connection)


def _refusal(status: int, text: bytes) -> ApiError:
    try:
        body = json.loads(text)
        return ApiError(status, str(body.get("reason", "")), str(body.get("message", "")))
    except ValueError:
        return ApiError(status, "", text.decode(errors="replace")[:300])
