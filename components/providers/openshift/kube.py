"""A small client of the Kubernetes API, made of a kubeconfig text.

Only what this module needs: JSON requests with a client certificate or a token. The `kubernetes` package would write
the private key of an administrator to temporary files that a killed process leaves behind, and takes a second to
import.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import ssl
import tempfile
import urllib.parse
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import urllib3
import yaml

from podwright.components.providers.exchange import Limits, Pool, exchange
from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.reach import Reach

MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
MOST_BYTES = 64_000_000
"""Of one answer: the pods of a cluster of a hundred nodes are some 40 MB."""
PAGE = 500
"""Objects of a list that are asked for at once; kubectl's own number."""
MOST_PAGES = 100
_threads = ThreadPoolExecutor(16, thread_name_prefix="kube")


class KubeError(Exception):
    """The API server refused; `status` is the HTTP status, `reason` Kubernetes' word for it (NotFound, Conflict …)."""

    def __init__(self, status: int, body: Any, what: str) -> None:
        error: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
        self.status = status
        self.reason = str(error.get("reason") or "")
        self.message = str(error.get("message") or f"HTTP {status}")
        super().__init__(f"the cluster refused to {what}: {self.message}")


class SilentError(Exception):
    """The API server does not answer (down, unreachable, or not up yet), or something else answers in its place."""


@dataclass(frozen=True)
class Access:
    """What a kubeconfig says about its current context."""

    host: str
    port: int
    name: str
    """The name that the server's certificate must carry."""
    ca: str
    certificate: bytes
    key: bytes
    token: str


def parse(kubeconfig: str) -> Access:
    """Read a kubeconfig. Raises ProviderError when it has no usable current context."""
    try:
        document = yaml.safe_load(kubeconfig)
        context = _named(document, "contexts", document["current-context"])["context"]
        cluster = _named(document, "clusters", context["cluster"])["cluster"]
        user = _named(document, "users", context["user"])["user"]
        server = urllib.parse.urlsplit(cluster["server"])
        host = str(server.hostname)
        return Access(
            host=host,
            port=server.port or 443,
            name=str(cluster.get("tls-server-name") or host),
            ca=_decoded(cluster, "certificate-authority-data").decode(),
            certificate=_decoded(user, "client-certificate-data"),
            key=_decoded(user, "client-key-data"),
            token=str(user.get("token") or ""),
        )
    except (KeyError, TypeError, StopIteration, ValueError, yaml.YAMLError):
        raise ProviderError("the kubeconfig is not one: it has no usable current context") from None


def rehomed(kubeconfig: str, reach: Reach) -> str:
    """The kubeconfig with its server dialled the way `reach` says; the certificate is still checked by name."""
    document = yaml.safe_load(kubeconfig)
    for entry in document.get("clusters") or []:
        cluster = entry["cluster"]
        server = urllib.parse.urlsplit(cluster["server"])
        name = str(cluster.get("tls-server-name") or server.hostname)
        original = 6443 if cluster.get("tls-server-name") else server.port or 443
        host, port = reach.endpoint(name, original)
        cluster["server"] = f"https://{host}:{port}"
        if host != name:
            cluster["tls-server-name"] = name
        else:
            cluster.pop("tls-server-name", None)
    return str(yaml.safe_dump(document, sort_keys=True))


def _named(document: Mapping[str, Any], part: str, name: str) -> Any:
    return next(entry for entry in document[part] if entry["name"] == name)


def _decoded(entry: Mapping[str, Any], key: str) -> bytes:
    return base64.b64decode(entry.get(key) or "")


class Kube:
    """JSON requests to one API server. Raises KubeError for refusals, SilentError for no answer."""

    def __init__(self, kubeconfig: str, timeout: float = 30.0) -> None:
        access = parse(kubeconfig)
        context = ssl.create_default_context(cadata=access.ca or None)
        if access.certificate and access.key:
            with _loadable(access.certificate + b"\n" + access.key) as path:
                context.load_cert_chain(path)
        self._headers = {"Authorization": f"Bearer {access.token}"} if access.token else {}
        # A read may be as long as the server is silent for; the whole exchange twice that.
        self._limits = Limits(2 * timeout, MOST_BYTES)
        self._pool = Pool(
            access.host,
            access.port,
            maxsize=8,
            ssl_context=context,
            server_hostname=access.name,
            assert_hostname=access.name,
            timeout=urllib3.Timeout(connect=min(timeout, 5.0), read=timeout),
        )

    async def get(self, path: str) -> Any:
        """The object or list at `path`; a list is whole, whatever its length: `items` reads long ones."""
        return await self.request("GET", path)

    async def items(self, path: str) -> list[Any]:
        """The objects of the list at `path`, page by page. Raises SilentError where they do not end in time."""
        found: list[Any] = []
        ahead = ""
        for _ in self._limits.pages(MOST_PAGES):
            asked = {"limit": str(PAGE), **({"continue": ahead} if ahead else {})}
            page = await self.request("GET", f"{path}{'&' if '?' in path else '?'}{urllib.parse.urlencode(asked)}")
            found += page.get("items") or []
            ahead = (page.get("metadata") or {}).get("continue") or ""
            if not ahead:
                return found
        raise SilentError(f"the list {path} does not end ({len(found)} objects)")

    async def text(self, path: str) -> str:
        """What stands at a path that is no object: `/readyz`."""
        return str(await self._in_thread("GET", path, None, "text/plain"))

    async def find(self, path: str) -> Any | None:
        """The object at `path`, None when it (or its kind) is not there."""
        try:
            return await self.request("GET", path)
        except KubeError as refused:
            if refused.status == 404:
                return None
            raise

    async def merge(self, path: str, change: Mapping[str, Any]) -> Any:
        """Merge-patch the object at `path`."""
        return await self.request("PATCH", path, change, MERGE)

    async def apply(self, path: str, fields: Mapping[str, Any], manager: str, *, dry: bool = False) -> Any:
        """Say what `manager` wants of the object at `path`: these fields become its own, those it no longer says go.

        `dry`: the object as it would be then; nothing is written.
        """
        asked = urllib.parse.urlencode({"fieldManager": manager, "force": "true", **({"dryRun": "All"} if dry else {})})
        return await self.request("PATCH", f"{path}?{asked}", fields, APPLY)

    async def remove(self, path: str) -> None:
        """Delete the object at `path`; gone already is fine."""
        try:
            await self.request("DELETE", path)
        except KubeError as refused:
            if refused.status != 404:
                raise

    async def request(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> Any:
        """One request; the reply's JSON object, None where there is no reply but a good status."""
        raw = await self._in_thread(method, path, body, kind)
        if not raw and method != "GET":
            return None
        answer = _document(raw)
        if not isinstance(answer, dict):
            raise SilentError(f"{method} {path} is answered with {len(raw)} characters that are no object")
        return answer

    async def _in_thread(self, method: str, path: str, body: Any, kind: str) -> str:
        return await asyncio.get_running_loop().run_in_executor(_threads, self._request, method, path, body, kind)

    def _request(self, method: str, path: str, body: Any, kind: str) -> str:
        headers = {"Accept": "application/json", "User-Agent": "podwright", **self._headers}
        text = None if body is None else json.dumps(body).encode()
        if text is not None:
            headers["Content-Type"] = kind
        try:
            reply = exchange(self._pool, method, path, headers, self._limits, text)
        except (urllib3.exceptions.HTTPError, OSError) as silent:
            raise SilentError(f"{type(silent).__name__}: {silent}") from None
        raw = reply.data.decode(errors="replace")
        if reply.status >= 300:
            raise KubeError(reply.status, _document(raw), f"{method} {path}")
        return raw


def _document(raw: str) -> Any:
    """JSON, or None for what is none."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


@contextlib.contextmanager
def _loadable(pem: bytes) -> Iterator[str]:
    """A path that the TLS library can load `pem` from, without the key resting on a disk where that can be had."""
    if hasattr(os, "memfd_create"):
        handle = os.memfd_create("podwright")
        try:
            os.write(handle, pem)
            yield f"/proc/self/fd/{handle}"
        finally:
            os.close(handle)
        return
    with tempfile.NamedTemporaryFile() as file:
        file.write(pem)
        file.flush()
        yield file.name
