"""GET /metrics, and nothing else: no page names a secret, a path of this machine or the program's version."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6

from podwright.components.providers.status.export.exposition import OPENMETRICS, PLAIN, accepts_openmetrics

Text = Callable[[bool], str]
"""The metrics; the argument asks for OpenMetrics."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, host: str, port: int, text: Text) -> None:
        self.address_family = AF_INET6 if ":" in host else AF_INET
        self.text = text
        super().__init__((host, port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version, sys_version = "podwright", ""
    timeout = 10

    def do_GET(self) -> None:
        """Answer a scrape."""
        if self.path.partition("?")[0] != "/metrics":
            self._answer(404, PLAIN, "metrics are at /metrics\n")
            return
        openmetrics = accepts_openmetrics(self.headers.get("Accept", ""))
        self._answer(200, OPENMETRICS if openmetrics else PLAIN, self.server.text(openmetrics))

    def log_message(self, format: str, *args: object) -> None:
        """A scrape every few seconds is no news."""

    def _answer(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving(listen: str, text: Text) -> Iterator[str]:
    """Serve at `host:port`, port 0 for any; yields the URL. Raises ValueError in words for people."""
    host, _, number = listen.rpartition(":")
    host = host.strip("[]")
    if not host or not number.isdigit() or int(number) > 65535:
        raise ValueError(f"--listen takes host:port, as 127.0.0.1:9417; {listen!r} is not")
    try:
        server = _Server(host, int(number), text)
    except OSError as error:
        raise ValueError(f"nobody can listen at {listen}: {error.strerror or type(error).__name__}") from None
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    try:
        shown = f"[{host}]" if ":" in host else host
        yield f"http://{shown}:{server.server_address[1]}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
