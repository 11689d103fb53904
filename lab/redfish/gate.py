"""What stands between the network and a BMC's Redfish service: credentials, faults, and the count of writes."""

from __future__ import annotations

import base64
import binascii
import hmac
import io
import json
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from podwright.lab.redfish.listener import Wsgi

Mode = Literal["hang", "503", "401", "cut"]
MODES: tuple[Mode, ...] = ("hang", "503", "401", "cut")
OPEN_PATHS = ("", "redfish", "redfish/v1")


@dataclass
class Fault:
    """What goes wrong with the next `times` requests; `seconds` is how long a hang lasts."""

    mode: Mode
    times: int
    seconds: float


class Gate:
    """WSGI middleware of one BMC. `password` is asked on every request, so a rotated one counts at once."""

    def __init__(self, application: Wsgi, user: str, password: Callable[[], str], wrote: Callable[[], None]) -> None:
        self._application = application
        self._user = user
        self._password = password
        self._wrote = wrote
        self._fault: Fault | None = None
        self._over = threading.Event()
        self._lock = threading.Lock()

    def break_(self, fault: Fault | None) -> None:
        """Let the next requests go wrong; None heals, and ends hangs under way."""
        with self._lock:
            self._fault = fault
            self._over.set()
            self._over = threading.Event()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Serve one request."""
        # A reply that leaves the request body unread would garble the connection's next request.
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        fault, over = self._next_fault()
        if fault is not None and fault.mode == "hang":
            over.wait(fault.seconds)
        elif fault is not None and fault.mode == "503":
            return _error(
                start_response, "503 Service Unavailable", "ServiceTemporarilyUnavailable", [("Retry-After", "1")]
            )
        refused = fault is not None and fault.mode == "401"
        if refused or not (environ.get("PATH_INFO", "").strip("/") in OPEN_PATHS or self._known(environ)):
            challenge = [("WWW-Authenticate", 'Basic realm="BMC"')]
            return _error(start_response, "401 Unauthorized", "NoValidSession", challenge)
        reply = self._application(environ, self._counting(environ["REQUEST_METHOD"], start_response))
        if fault is not None and fault.mode == "cut":
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        return reply

    def _next_fault(self) -> tuple[Fault | None, threading.Event]:
        with self._lock:
            fault = self._fault
            if fault is not None:
                fault.times -= 1
                if fault.times <= 0:
                    self._fault = None
            return fault, self._over

    def _known(self, environ: dict[str, Any]) -> bool:
        scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != "basic":
            return False
        try:
            user, _, password = base64.b64decode(token, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return False
        right = hmac.compare_digest(password.encode(), self._password().encode())
        return right and user == self._user

    def _counting(self, method: str, start_response: Callable[..., Any]) -> Callable[..., Any]:
        def counted(status: str, *rest: Any) -> Any:
            if method not in ("GET", "HEAD") and status[0] == "2":
                self._wrote()
            return start_response(status, *rest)

        return counted


def _error(
    start_response: Callable[..., Any], status: str, message_id: str, headers: list[tuple[str, str]]
) -> Iterable[bytes]:
    text = {"NoValidSession": "There is no valid session established with the implementation."}.get(
        message_id, "The service is temporarily unavailable. Retry in 1 seconds."
    )
    code = f"Base.1.8.{message_id}"
    body = json.dumps(
        {
            "error": {
                "code": code,
                "message": text,
                "@Message.ExtendedInfo": [
                    {
                        "@odata.type": "#Message.v1_1_1.Message",
                        "MessageId": code,
                        "Message": text,
                        "Severity": "Critical",
                    },
                ],
            }
        }
    ).encode()
    start_response(status, [("Content-Type", "application/json"), ("Content-Length", str(len(body))), *headers])
    return [body]
