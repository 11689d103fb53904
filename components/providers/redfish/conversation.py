"""What a BMC may ask of a client beyond a request and its answer: a log-in session, a precondition, a wait for a task.

DSP0266, "Sessions", "ETags" and "Asynchronous operations"; RFC 6585 for 428.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urljoin

import requests
from sushy import auth, exceptions
from sushy import connector as base

from podwright.components.providers.redfish.tasks import FAILED, document, messages, monitor

TASK_SECONDS = 240.0
"""How long a task may take; staging BIOS settings takes some ten seconds, inserting an image a minute."""
PENDING_SECONDS = 10.0
"""A task that is Pending for so long waits for the machine's next reset, which is not ours to bring."""
LONGEST_PAUSE = 10.0
REFUSED_PRECONDITION = (412, 428)
RESET = "ComputerSystem.Reset"
"""Not followed: what a reset does is seen by the power state."""


class TaskError(exceptions.SushyError):  # type: ignore[misc]  # the library is untyped
    """A task came to nothing, or to no end; the message says which."""

    message = "%(reason)s"


class Login(auth.SessionAuth):  # type: ignore[misc]  # the library is untyped
    """A session where the BMC offers them, so that the password is sent once; else the password with each request."""

    def __init__(self, username: str, password: str) -> None:
        super().__init__(username, password)
        self.refusal = ""
        """Why there is no session although the BMC offers them."""

    def _do_authenticate(self) -> None:
        links = self._root_resource.json.get("Links")
        if not isinstance(links, Mapping) or "Sessions" not in links:
            self._without_session()
            return
        try:
            super()._do_authenticate()
        except exceptions.ConnectionError:
            raise
        except exceptions.SushyError as refused:
            if getattr(refused, "status_code", None) == 401:
                raise  # a wrong password: trying it once more would count towards the account's lock
            self.refusal = getattr(refused, "detail", None) or str(refused)
            self._without_session()

    def _without_session(self) -> None:
        self.reset_session_attrs()
        self._connector.set_http_basic_auth(self._username, self._password)


class Conversation(base.Connector):  # type: ignore[misc]  # the library is untyped
    """sushy's connector, which meets preconditions by the ETag of the resource itself and follows tasks."""

    def patch(self, path: str = "", data: Any = None, headers: Any = None, etag: str | None = None, **rest: Any) -> Any:
        """PATCH, with the state's ETag where one is asked for. A changed state is read again, and the change repeated:
        a PATCH names only what it changes.
        """
        refusal: exceptions.HTTPError | None = None
        for each in self._etags(path, etag):
            given = {**(headers or {}), **({"If-Match": each} if each else {})}
            try:
                return self._followed(self._op("PATCH", path, data=data, headers=given, **rest))
            except exceptions.HTTPError as refused:
                if refused.status_code not in REFUSED_PRECONDITION:
                    raise
                refusal = refused
        assert refusal is not None
        raise refusal

    def post(self, path: str = "", data: Any = None, headers: Any = None, **rest: Any) -> Any:
        """POST, and what it sets off in the background."""
        reply = super().post(path, data=data, headers=headers, **rest)
        return reply if path.endswith(RESET) else self._followed(reply)

    def ordered(self, path: str, data: Any) -> Any:
        """POST, and nothing more: what it sets off is followed by whoever ordered it."""
        return self._op("POST", path, data=data)

    def sent(self, path: str, form: Any, content_type: str) -> Any:
        """POST of a body that is read in pieces, once: a part of it cannot be sent again."""
        url = urljoin(self._url, path)
        try:
            reply = self._session.post(
                url, data=form, headers={"Content-Type": content_type, "OData-Version": "4.0"}, verify=self._verify
            )
        except requests.RequestException as broken:
            raise exceptions.ConnectionError(url=url, error=broken) from broken
        exceptions.raise_for_response("POST", path, reply)
        return reply

    def etag(self, path: str) -> str | None:
        """The ETag of a resource as it stands, None when it has none."""
        reply = self.get(path)
        inside = reply.json().get("@odata.etag") if reply.content else None
        return reply.headers.get("ETag") or inside

    def _etags(self, path: str, first: str | None) -> Iterator[str | None]:
        yield first
        fresh = self.etag(path)
        yield fresh or "*"
        if fresh and fresh.startswith("W/"):
            # If-Match compares strongly (RFC 9110): a weak one never matches by the book.
            yield fresh.removeprefix("W/")
        elif fresh:
            yield self.etag(path)

    def _followed(self, reply: Any) -> Any:
        """The last answer of a task that `reply` began; `reply` itself where there is none."""
        place = monitor(reply) if reply.status_code == 202 else None
        if place is None:
            return reply
        begun = time.monotonic()
        while True:
            state = document(reply).get("TaskState")
            if state in FAILED:
                raise TaskError(reason=f"its task ended as {state}: {messages(reply) or 'it does not say why'}")
            if state == "Completed" or (state is None and reply.status_code != 202):
                return reply
            waited = time.monotonic() - begun
            if state == "Pending" and waited > PENDING_SECONDS:
                return reply
            if waited > TASK_SECONDS:
                raise TaskError(reason=f"its task is still {state or 'under way'} after {TASK_SECONDS:.0f} s ({place})")
            time.sleep(_pause(reply))
            try:
                reply = self._op("GET", place)
            except exceptions.ResourceNotFoundError:
                return reply  # a monitor may go with its task; what came of it is read from the resource


def _pause(reply: Any) -> float:
    """Seconds until the next look: what the BMC asks for, within reason."""
    asked = str(reply.headers.get("Retry-After") or "")
    return min(float(asked), LONGEST_PAUSE) if asked.isdigit() and int(asked) else 1.0
