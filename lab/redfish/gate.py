"""What stands between the network and a BMC's Redfish service: credentials, faults, and the count of writes."""

from __future__ import annotations

import base64
import binascii
import io
import json
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from podwright.lab.redfish.listener import Wsgi
from podwright.lab.redfish.sessions import PLACE, Sessions

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
    """WSGI middleware of one BMC. `logins` is a form of the variant of that name; `away` is true while it restarts."""

    def __init__(
        self, application: Wsgi, log_ins: Sessions, logins: str, wrote: Callable[[], None], away: Callable[[], bool]
    ) -> None:
        self._application = application
        self._log_ins = log_ins
        self._logins = logins
        self._wrote = wrote
        self._away = away
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
        if self._away():
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            return _error(start_response, "503 Service Unavailable", "ServiceTemporarilyUnavailable", [])
        fault, over = self._next_fault()
        if fault is not None and fault.mode == "hang":
            over.wait(fault.seconds)
        elif fault is not None and fault.mode == "503":
            return _error(
                start_response, "503 Service Unavailable", "ServiceTemporarilyUnavailable", [("Retry-After", "1")]
            )
        refused = fault is not None and fault.mode == "401"
        if refused or not (self._open(environ) or self._known(environ)):
            basic = self._logins != "sessions-only"
            challenge = [("WWW-Authenticate", 'Basic realm="BMC"')] if basic else []
            return _error(start_response, "401 Unauthorized", "NoValidSession", challenge)
        reply = self._application(environ, self._counting(environ, start_response))
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

    def _open(self, environ: dict[str, Any]) -> bool:
        """The root, and the log-in itself."""
        path = environ.get("PATH_INFO", "").rstrip("/")
        log_in = self._logins != "basic" and environ["REQUEST_METHOD"] == "POST" and path == PLACE
        return log_in or path.strip("/") in OPEN_PATHS

    def _known(self, environ: dict[str, Any]) -> bool:
        if self._logins != "basic" and (session := environ.get("HTTP_X_AUTH_TOKEN")):
            return self._log_ins.known(session)
        scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != "basic" or self._logins == "sessions-only":
            return False
        try:
            user, _, password = base64.b64decode(token, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return False
        return self._log_ins.right(user, password)

    def _counting(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Callable[..., Any]:
        """Writes are counted; logging in and out changes nothing of the machine."""
        reading = environ["REQUEST_METHOD"] in ("GET", "HEAD") or environ["PATH_INFO"].startswith(PLACE)

        def counted(status: str, *rest: Any) -> Any:
            if not reading and status[0] == "2":
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
