"""The HTTP face: signatures, faults, the rate limit and the count of writes, before and after the service."""

from __future__ import annotations

import json
import logging
import secrets
import socket
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from podwright.lab.intersight.counters import RequestCounters
from podwright.lab.intersight.errors import ApiError, bad_key, not_authorized
from podwright.lab.intersight.forms import Forms
from podwright.lab.intersight.service import Call, Service, parse_query
from podwright.lab.intersight.signature import PublicKey, Request, verified

log = logging.getLogger("lab.intersight")
MODES = ("hang", "cut")
"""Beside these, every error status is a mode: "500", "502", "429"."""
REFUSED = {
    429: ("ServiceUnavailable", "lab_rate_limited", "Too many requests."),
    500: ("InternalServerError", "lab_internal_error", "An internal error occurred."),
    503: ("ServiceUnavailable", "lab_unavailable", "The service is unavailable."),
}
GATEWAY = {502: "Bad Gateway", 504: "Gateway Time-out"}
"""Answered by what stands before the service, as a page: nothing of it is the API's."""
COUNTERS = "/counters"
"""Answered without a signature, and not counted: it is the lab's page, not the API's."""
BULK = "/api/v1/bulk/Requests"
PAGE = "<html>\r\n<head><title>{0}</title></head>\r\n<body>\r\n<center><h1>{0}</h1></center>\r\n</body>\r\n</html>\r\n"


@dataclass
class Fault:
    """What goes wrong with the next `times` requests that match. `verb` and `path` narrow it down.

    cut: the request is carried out, the connection closes without a reply. `seconds` is the length of a hang.
    A status such as 502 is answered instead of carrying the request out, or, with `carried_out`, afterwards.
    The first `after` requests that match are left alone.
    """

    mode: str
    times: int = 1
    seconds: float = 30.0
    verb: str = ""
    path: str = ""
    retry_after: bool = False
    carried_out: bool = False
    after: int = 0


class GatewayError(Exception):
    """The request ends before the service: a status and no answer of the API's."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Gate:
    """WSGI application. `keys` finds the public key of a key id."""

    def __init__(self, service: Service, keys: Callable[[str], PublicKey | None]) -> None:
        self._service = service
        self._keys = keys
        self._lock = threading.Lock()
        self._fault: Fault | None = None
        self._healed = threading.Event()
        self._recent: list[float] = []
        self.per_second: float = 0.0
        self.latency_ms: float = 0.0
        """Added to every answer: the way to the cloud and back."""
        self.read_only: set[str] = set()
        """Ids of keys whose role is Read-Only."""
        self.clock_ahead = 0.0
        """Seconds that this side's clock is ahead of the client's; less than none: behind."""
        self.forms: Forms | None = None
        """Other forms of the answers, where there are any."""
        self.writes = 0
        self.counters = RequestCounters()

    def break_(self, fault: Fault | None) -> None:
        """Let requests go wrong; None heals, and ends hangs under way."""
        with self._lock:
            self._fault = fault
            self._healed.set()
            self._healed = threading.Event()

    @property
    def requests(self) -> int:
        """Requests taken since start."""
        return self.counters.total()

    @property
    def broken(self) -> bool:
        """True while a fault waits for requests that match."""
        return self._fault is not None

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Serve one request."""
        request = _request(environ)
        if request.target == COUNTERS and request.method == "GET":
            return _reply(start_response, 200, self.counters.document(), [])
        self.counters.took(request.method, request.target)
        if request.target.startswith(BULK):
            self.counters.took_in_bulk(request.body)
        trace = secrets.token_hex(16)
        fault = self._next_fault(request)
        try:
            status, document = self._answer(request, fault)
        except ApiError as problem:
            status, document = problem.status, problem.body(trace)
        except GatewayError as gone:
            self.counters.answered(gone.status)
            page = PAGE.format(f"{gone.status} {GATEWAY[gone.status]}").encode()
            return _send(start_response, gone.status, page, [("Content-Type", "text/html")])
        except Exception:  # a bug of the lab must reach the client as the 500 it is, and the log with its traceback
            log.exception("%s %s", request.method, request.target)
            broken = ApiError(500, "InternalServerError", "lab_internal_error", "An internal error occurred.")
            status, document = broken.status, broken.body(trace)
        self.counters.answered(status)
        if fault is not None and fault.mode == "cut":
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        headers = [("x-starship-traceid", trace)]
        if status in (429, 503) and fault is not None and fault.retry_after:
            headers.append(("Retry-After", "1"))
        return _reply(start_response, status, document, headers)

    def _answer(self, request: Request, fault: Fault | None) -> tuple[int, Any]:
        with self._lock:
            healed = self._healed
        if self.latency_ms:
            healed.wait(self.latency_ms / 1000)
        if fault is not None and fault.mode == "hang":
            healed.wait(fault.seconds)
        if fault is not None and not fault.carried_out:
            _refuse(fault)
        if self._too_fast():
            raise ApiError(429, *REFUSED[429])
        key = verified(request, self._keys, time.time() + self.clock_ahead)
        if key is None:
            raise bad_key()
        if key in self.read_only and request.method != "GET":
            raise not_authorized(request.method)
        path, _, query = request.target.partition("?")
        call = Call(request.method, urllib.parse.unquote(path), parse_query(query), request.headers, request.body)
        reply = self._service.handle(call)
        if request.method != "GET":
            with self._lock:
                self.writes += 1
        if fault is not None:
            _refuse(fault)
        with self._lock:
            told = self.forms.told(reply.document, "$orderby" in call.query) if self.forms else reply.document
        return reply.status, told

    def _next_fault(self, request: Request) -> Fault | None:
        with self._lock:
            fault = self._fault
            if fault is None or (fault.verb and fault.verb != request.method) or fault.path not in request.target:
                return None
            if fault.after > 0:
                fault.after -= 1
                return None
            fault.times -= 1
            if fault.times <= 0:
                self._fault = None
            return fault

    def _too_fast(self) -> bool:
        """More than `per_second` requests within the last second; 0 means no limit."""
        now = time.monotonic()
        with self._lock:
            self._recent = [t for t in self._recent if now - t < 1]
            if self.per_second and len(self._recent) >= self.per_second:
                return True
            self._recent.append(now)
            return False


def known_mode(mode: object) -> bool:
    """True for hang, cut and every error status."""
    return mode in MODES or (str(mode).isdecimal() and 400 <= int(str(mode)) <= 599)


def _refuse(fault: Fault) -> None:
    """Raise what a fault with a status answers; a hang and a cut answer nothing of their own."""
    if not fault.mode.isdecimal():
        return
    status = int(fault.mode)
    if status == 401:
        raise bad_key()
    if status in GATEWAY:
        raise GatewayError(status)
    named = REFUSED.get(status, ("InvalidRequest", "lab_fault", _phrase(status)))
    raise ApiError(status, *named)


def _phrase(status: int) -> str:
    """A fault may ask for a status that has no name."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unnamed"


def _request(environ: dict[str, Any]) -> Request:
    headers = {k[5:].replace("_", "-").lower(): v for k, v in environ.items() if k.startswith("HTTP_")}
    if "CONTENT_TYPE" in environ:
        headers["content-type"] = environ["CONTENT_TYPE"]
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    target = environ["REQUEST_URI"].encode("latin-1").decode("utf-8", "replace")
    return Request(environ["REQUEST_METHOD"], target, headers, body)


def _reply(
    start_response: Callable[..., Any], status: int, document: Any, headers: list[tuple[str, str]]
) -> Iterable[bytes]:
    body = b"" if document is None else json.dumps(document).encode()
    return _send(start_response, status, body, [("Content-Type", "application/json"), *headers])


def _send(
    start_response: Callable[..., Any], status: int, body: bytes, headers: list[tuple[str, str]]
) -> Iterable[bytes]:
    start_response(f"{status} {_phrase(status)}", [("Content-Length", str(len(body))), *headers])
    return [body]
