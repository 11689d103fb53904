"""GET /metrics, and nothing else: no page names a secret, a path of this machine or the program's version."""

import re
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socket import AF_INET, AF_INET6, SHUT_RDWR
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

_REFUSED = re.compile(r";\s*q=0(?:\.0*)?\s*(?:;|$)")
"""A form that an Accept header names to refuse it (RFC 9110, 12.4.2); the library does not look at weights."""


MOST_CONNECTIONS = 32
"""At once; a scrape takes one for less than a second."""
MOST_OF_ONE = 8
"""Of them from one address: nobody alone keeps the others out."""
CONNECTION_SECONDS = 30.0
"""A connection, from its first byte to its last; Prometheus gives up after ten seconds itself."""
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class _Limited(ThreadingWSGIServer):
    """A thread a connection, but so many at once, and none for ever."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()
        super().__init__(*args, **kwargs)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Take a connection, or say that there are too many."""
        with self._lock:
            full = self._open.total() >= MOST_CONNECTIONS or self._open[client_address[0]] >= MOST_OF_ONE
            self._open[client_address[0]] += not full
        if full:
            with suppress(OSError):
                request.setblocking(False)
                request.send(_FULL)
            self.shutdown_request(request)
        else:
            super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection until its time is up."""
        timer = threading.Timer(CONNECTION_SECONDS, _end, (request,))
        timer.daemon = True
        timer.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            timer.cancel()
            with self._lock:
                self._open -= Counter({client_address[0]: 1})

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away, or was ended, is no news."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _end(request: Any) -> None:
    with suppress(OSError):
        request.shutdown(SHUT_RDWR)


class _Server4(_Limited):
    address_family = AF_INET


class _Server6(_Limited):
    address_family = AF_INET6


class _Handler(WSGIRequestHandler):
    timeout = 10

    def log_message(self, format: str, *args: object) -> None:
        """A scrape every few seconds is no news."""


def _application(registry: CollectorRegistry) -> WSGIApplication:
    """The library answers on every path; here other paths are not found, and no header names Python's version."""
    metrics = make_wsgi_app(registry)

    def answer(environ: WSGIEnvironment, start: StartResponse) -> list[bytes]:
        def named(status: str, headers: list[tuple[str, str]]) -> object:
            return start(status, [*headers, ("Server", "podwright")])

        if environ["PATH_INFO"] != "/metrics":
            named("404 Not Found", [("Content-Type", "text/plain; charset=utf-8")])
            return [b"metrics are at /metrics\n"]
        accepted = [each for each in environ.get("HTTP_ACCEPT", "").split(",") if not _REFUSED.search(each)]
        return list(metrics({**environ, "HTTP_ACCEPT": ",".join(accepted)}, named))

    return answer


@contextmanager
def serving(listen: str, registry: CollectorRegistry) -> Iterator[str]:
    """Serve at `host:port`, port 0 for any; yields the URL. Raises ValueError in words for people."""
    host, _, number = listen.rpartition(":")
    host = host.strip("[]")
    if not host or not number.isdigit() or int(number) > 65535:
        raise ValueError(f"--listen takes host:port, as 127.0.0.1:9417; {listen!r} is not")
    kind = _Server6 if ":" in host else _Server4
    try:
        server = make_server(host, int(number), _application(registry), kind, _Handler)
    except OSError as error:
        raise ValueError(f"nobody can listen at {listen}: {error.strerror or type(error).__name__}") from None
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    try:
        place = f"[{host}]" if ":" in host else host
        yield f"http://{place}:{server.server_address[1]}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
