"""HTTP JSON on loopback: faults, counters, state and traffic, for tests and for the demo's screen."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from podwright.lab.sides import Side
from podwright.lab.world.model import World, WorldError
from podwright.lab.world.state import snapshot
from podwright.lab.world.traffic import as_data, parse_flows


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no event; anything else goes to the log with its traceback."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class ControlServer:
    """Serves one world. GET /state, /counters, /counters/writes, /counters/requests; POST /fault, /traffic, /power."""

    def __init__(self, world: World, sides: Mapping[str, Side]) -> None:
        self._world = world
        self._sides = sides
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, name="control", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close the listener."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def get(self, path: str) -> Mapping[str, Any]:
        """Answer of one GET. Raises WorldError for an unknown path."""
        if path == "/counters/writes":
            return {name: side.writes for name, side in self._sides.items()}
        if path == "/counters/requests":
            # Sides that count them: by verb, path and status since start.
            return {name: count() for name, side in self._sides.items() if (count := getattr(side, "requests", None))}
        if path == "/counters":
            with self._world.lock:
                return {f"{d}:{p}": dict(row) for (d, p), row in sorted(self._world.counters.items())}
        if path == "/state":
            return snapshot(self._world)
        for side in self._sides.values():
            # A side may serve pages of its own: what only it can know of the world, such as how fast pods are.
            pages: Mapping[str, Callable[[], Mapping[str, Any]]] = getattr(side, "pages", {})
            if path in pages:
                return pages[path]()
        raise WorldError(f"no such page: {path}")

    def post(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Answer of one POST. Raises WorldError for an unknown path or a request that makes no sense."""
        if path == "/fault":
            return self._world.fault(body)
        if path == "/traffic":
            flows = parse_flows(body.get("flows", []))
            return {"flows": as_data(self._world.traffic(flows, float(body.get("seconds", 1))))}
        if path == "/power":
            self._world.power(str(body.get("server")), body.get("action"))  # type: ignore[arg-type]
            return {"server": body.get("server")}
        raise WorldError(f"no such page: {path}")

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        control = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(lambda: control.get(self.path))

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                raw = self.rfile.read(length) or b"{}"
                self._answer(lambda: control.post(self.path, _body(raw)))

            def _answer(self, work: Any) -> None:
                try:
                    status, reply = 200, work()
                except WorldError as problem:
                    status, reply = 400, {"error": str(problem)}
                data = json.dumps(reply, default=str).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                """Keep requests out of the daemon's log: tests poll."""

        return Handler


def _body(raw: bytes) -> Mapping[str, Any]:
    try:
        data = json.loads(raw)
    except ValueError as problem:
        raise WorldError(f"the body is not JSON: {problem}") from problem
    if not isinstance(data, dict):
        raise WorldError("the body must be a JSON object")
    return data
