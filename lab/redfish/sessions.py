"""Log-in sessions of one BMC: a token for the password, a few at once, ended by DELETE (DSP0266)."""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable
from typing import Any

import flask

from podwright.lab.redfish import errors

SERVICE = "/redfish/v1/SessionService"
PLACE = f"{SERVICE}/Sessions"
MOST = 4
"""Sessions at once. BMCs differ, and say their number in no resource."""


class Sessions:
    """Who is logged in. `password` is asked at each log-in, so a rotated one counts at once."""

    def __init__(self, user: str, password: Callable[[], str]) -> None:
        self._user = user
        self._password = password
        self._tokens: dict[str, str] = {}
        self._number = 0
        self._lock = threading.Lock()
        self.opened = 0
        """How many there ever were."""

    def right(self, user: str, password: str) -> bool:
        """True for the account's name and password."""
        return hmac.compare_digest(password.encode(), self._password().encode()) and user == self._user

    def open(self) -> tuple[str, str] | None:
        """(number, token) of a new session; None when there are as many as there may be."""
        with self._lock:
            if len(self._tokens) >= MOST:
                return None
            self._number += 1
            self.opened += 1
            self._tokens[str(self._number)] = secrets.token_hex(16)
            return str(self._number), self._tokens[str(self._number)]

    def known(self, token: str) -> bool:
        """True for the token of a session that is open."""
        return any(hmac.compare_digest(token, each) for each in list(self._tokens.values()))

    def close(self, number: str) -> bool:
        """End a session; False when there is none of that number."""
        with self._lock:
            return self._tokens.pop(number, None) is not None

    def forget(self) -> None:
        """End all of them, as a BMC does that restarts."""
        with self._lock:
            self._tokens.clear()

    @property
    def numbers(self) -> list[str]:
        """Sessions that are open."""
        return list(self._tokens)


def attach(app: flask.Flask, sessions: Sessions) -> None:
    """Serve the session service. The log-in itself needs no authentication, which the gate sees to."""

    def service() -> flask.Response:
        return flask.jsonify(
            {
                "@odata.id": SERVICE,
                "@odata.type": "#SessionService.v1_1_8.SessionService",
                "Id": "SessionService",
                "Name": "Session Service",
                "ServiceEnabled": True,
                "SessionTimeout": 1800,
                "Sessions": {"@odata.id": PLACE},
            }
        )

    def collection() -> Any:
        if flask.request.method == "POST":
            return _opened(sessions)
        members = [{"@odata.id": f"{PLACE}/{number}"} for number in sessions.numbers]
        return flask.jsonify(
            {
                "@odata.id": PLACE,
                "@odata.type": "#SessionCollection.SessionCollection",
                "Name": "Session Collection",
                "Members": members,
                "Members@odata.count": len(members),
            }
        )

    def session(number: str) -> Any:
        if number not in sessions.numbers:
            return errors.answer(404, "ResourceNotFound", f"The resource {number} was not found.")
        if flask.request.method == "DELETE":
            sessions.close(number)
            return flask.Response(status=204)
        return flask.jsonify(_document(number))

    app.add_url_rule(SERVICE, "session_service", service)
    app.add_url_rule(PLACE, "sessions", collection, methods=["GET", "POST"])
    app.add_url_rule(f"{PLACE}/<number>", "session", session, methods=["GET", "DELETE"])


def _opened(sessions: Sessions) -> Any:
    body = flask.request.get_json(silent=True)
    if not isinstance(body, dict) or not {"UserName", "Password"} <= set(body):
        return errors.answer(400, "PropertyMissing", "The property UserName or Password is a required property.")
    if not sessions.right(str(body["UserName"]), str(body["Password"])):
        return errors.answer(401, "ResourceAtUriUnauthorized", "The authentication credentials included are invalid.")
    made = sessions.open()
    if made is None:
        return errors.answer(503, "SessionLimitExceeded", "The number of concurrent sessions is at its limit.")
    reply = flask.jsonify(_document(made[0]))
    reply.status_code = 201
    reply.headers["X-Auth-Token"] = made[1]
    reply.headers["Location"] = f"{PLACE}/{made[0]}"
    return reply


def _document(number: str) -> dict[str, Any]:
    return {
        "@odata.id": f"{PLACE}/{number}",
        "@odata.type": "#Session.v1_7_0.Session",
        "Id": number,
        "Name": f"Session {number}",
    }
