"""Signed HTTPS to Intersight: one client per account, patient with busy servers, honest about cut connections.

Replies are raw JSON: the SDK's typed models refuse a whole list over one enum value that is newer than they are.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import ssl
import time
import urllib.request
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlencode

import urllib3

from podwright.components.providers.exchange import Limits, Pool, TooLargeError, exchange
from podwright.components.providers.intersight.signing import Signer
from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.reach import Reach

BASE = "/api/v1/"
CONCURRENT = 8
"""Requests under way at once per account; Intersight publishes no rate limit, so stay modest."""
BUSY = {429, 503}
"""Answers that mean: not now. The documentation names 429; the API's own code table has ServiceUnavailable."""
LOST = {500, 502, 504}
"""Answers after which nobody knows whether a write was carried out; a read is asked again."""
PATIENCE = 180.0
"""Seconds to keep asking a busy or silent server before giving up."""
LONGEST_PAUSE = 20.0
SKEW = 90.0
"""Seconds that two clocks may differ before a refused signature is put down to them."""
LIMITS = Limits(seconds=120, most_bytes=16_000_000)
"""Where one exchange ends. A page of a hundred objects is some 1 MB; a query over a whole account takes seconds."""


UNKNOWN_PROPERTY = re.compile(r"^The property '[^']+' does not exist")
"""What it says to a property that it has not (CiscoDevNet/terraform-provider-intersight, issue 252)."""
OLDER = "; this Intersight is older than the property: upgrade the appliance, then run again, or leave the property out"
GONE = "; where it was deleted in the meantime, run again: what is missing is made anew"
"""To a write on what was there a moment ago: somebody deletes it while it is worked on."""


class ApiError(ProviderError):
    """An answer that is an error; fields as in Cisco's error body (`code`, `message`, `messageId`, `traceId`)."""

    def __init__(self, status: int, body: Any, what: str) -> None:
        error: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
        self.status = status
        self.message = str(error.get("message") or f"HTTP {status}")
        self.message_id = str(error.get("messageId") or "")
        self.trace = str(error.get("traceId") or "")
        self.what = what
        super().__init__(self.sentence())

    def sentence(self) -> str:
        """For people: what was asked, what was answered, and what Cisco's support will ask for."""
        notes = [f"HTTP {self.status}", self.message_id, f"trace {self.trace}" if self.trace else ""]
        verb = "failed" if self.status in LOST | BUSY else "refused"
        hint = GONE if self.status == 404 else ""
        if self.status == 400 and UNKNOWN_PROPERTY.search(self.message):
            hint = OLDER
        return f"Intersight {verb} to {self.what}: {self.message} ({', '.join(n for n in notes if n)}){hint}"


class UnansweredError(ProviderError):
    """A write went out and no answer came back: it may or may not have happened. Look it up.

    `reason` says what was tried and what came back.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"{reason}; it may have happened all the same, run again to look it up")


class _NotJsonError(Exception):
    """A good status over something else than an answer of the API: a page of a proxy, most likely."""


@dataclass(frozen=True)
class Reply:
    """A good answer: status and JSON object (empty where there was no body)."""

    status: int
    body: Any


class Client:
    """Requests of one key to one Intersight. Methods may be called from any number of tasks at once."""

    def __init__(self, host: str, port: int, reach: Reach, signer: Signer, patience: float = PATIENCE) -> None:
        self._name = host if port == 443 else f"{host}:{port}"
        self._signer = signer
        self._patience = patience
        self._threads = ThreadPoolExecutor(CONCURRENT, thread_name_prefix="intersight")
        self._base, self._pool = _pool(host, port, reach)

    async def get(self, path: str, query: list[tuple[str, str]] | None = None, what: str = "") -> Any:
        """The JSON at `path` (below /api/v1/). Busy and silent servers are asked again for `patience` seconds."""
        return (await self._persist("GET", path, query or [], None, {}, what or f"read {path}")).body

    async def write(self, method: str, path: str, body: Any | None, headers: Mapping[str, str], what: str) -> Any:
        """POST, PATCH or DELETE once it gets through a busy server.

        Raises ApiError for a refusal, and UnansweredError when the connection broke after the request was sent, or
        something on the way answered 500, 502 or 504: the caller looks up what happened, nothing is sent twice
        blindly.
        """
        return (await self._persist(method, path, [], body, headers, what)).body

    async def _persist(
        self, method: str, path: str, query: list[tuple[str, str]], body: Any, headers: Mapping[str, str], what: str
    ) -> Reply:
        """Ask until there is an answer that is not "busy". A 429 or 503 was refused before it was acted on."""
        until = time.monotonic() + self._patience
        pause = 0.5
        while True:
            try:
                status, answer, wait, date = await asyncio.get_running_loop().run_in_executor(
                    self._threads, self._once, method, path, query, body, headers
                )
            except (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError) as gone:
                # Never sent: safe to repeat, but a wrong address should not take minutes to show.
                if pause > 4 or time.monotonic() > until:
                    raise ProviderError(f"Intersight at {self._name} cannot be reached: {_reason(gone)}") from None
                wait = None
            except urllib3.exceptions.SSLError as untrusted:
                raise ProviderError(
                    f"Intersight at {self._name} shows a certificate that is not trusted: {_reason(untrusted)}"
                ) from None
            except (urllib3.exceptions.HTTPError, OSError, _NotJsonError) as broken:
                if method != "GET":
                    raise UnansweredError(f"Intersight gave no answer to {what}: {_reason(broken)}") from None
                if time.monotonic() > until or isinstance(broken, _NotJsonError | TooLargeError):
                    raise ProviderError(f"Intersight at {self._name} gives no answer: {_reason(broken)}") from None
                wait = None
            else:
                passing = BUSY | LOST if method == "GET" else BUSY
                if status not in passing or time.monotonic() > until:
                    return _judge(method, status, answer, what, date)
            await asyncio.sleep(wait if wait is not None else pause * random.uniform(0.8, 1.2))  # noqa: S311
            pause = min(pause * 2, LONGEST_PAUSE)

    def _once(
        self, method: str, path: str, query: list[tuple[str, str]], body: Any, extra: Mapping[str, str]
    ) -> tuple[int, Any, float | None, str]:
        """One exchange in a worker thread: status, JSON, seconds the server asks to wait, its date."""
        target = BASE + path
        headers = {"Accept": "application/json", "User-Agent": "podwright"} | dict(extra)
        if body is not None:
            headers["Content-Type"] = "application/json"
        headers |= self._signer.headers(method, target, query, body)
        url = self._base + target + ("?" + urlencode(query) if query else "")
        text = None if body is None else json.dumps(body).encode()
        reply = exchange(self._pool, method, url, headers, LIMITS, text)
        try:
            answer = json.loads(reply.data) if reply.data else {}
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            if reply.status < 300:
                kind = reply.headers.get("Content-Type", "no type")
                raise _NotJsonError(f"no object of the API, but {kind}; is a proxy or a login page in between?")
            answer = {"message": f"an answer that is no object ({len(reply.data)} bytes)"}
        after = reply.headers.get("Retry-After", "")
        wait = min(float(after), LONGEST_PAUSE) if after.isdecimal() else None
        return reply.status, answer, wait, reply.headers.get("Date", "")


def _judge(method: str, status: int, answer: Any, what: str, date: str) -> Reply:
    if status in LOST and method != "GET":
        raise UnansweredError(ApiError(status, answer, what).sentence())
    if status == 401:
        refusal = ApiError(status, answer, what)
        rejected = f"Intersight does not accept the API key ({refusal.message}); "
        raise ProviderError(rejected + (clock_off(date) or "check key_id, the secret and this clock"))
    if status >= 300:
        raise ApiError(status, answer, what)
    return Reply(status, answer)


def clock_off(date: str) -> str:
    """What to do about this machine's clock, by the date of an answer; empty where it is right or nobody knows.

    A signature holds its date, and is refused when that is too far from the server's own.
    """
    try:
        seconds = time.time() - parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError, OverflowError):
        return ""
    if abs(seconds) < SKEW:
        return ""
    side = "ahead of" if seconds > 0 else "behind"
    return (
        f"every request is signed with the time, and this machine's clock is {abs(seconds) / 60:.0f} minutes {side} "
        "Intersight's: set it right (NTP), then run again"
    )


def _pool(host: str, port: int, reach: Reach) -> tuple[str, Any]:
    """URL prefix and connection pool for `host`, through a forward or a proxy where there is one."""
    dialled, number = reach.endpoint(host, port)
    context = ssl.create_default_context(cafile=str(reach.ca) if reach.ca else None)
    timeout = urllib3.Timeout(connect=10, read=120)
    proxy = reach.environ.get("HTTPS_PROXY") or reach.environ.get("https_proxy") or ""
    exempt = reach.environ.get("NO_PROXY") or reach.environ.get("no_proxy") or ""
    bypass = urllib.request.proxy_bypass_environment(host, {"no": exempt})  # type: ignore[attr-defined]  # not in stubs
    if proxy and (dialled, number) == (host, port) and not bypass:
        name = host if port == 443 else f"{host}:{port}"
        manager = urllib3.ProxyManager(proxy, maxsize=CONCURRENT, ssl_context=context, timeout=timeout)
        manager.pool_classes_by_scheme = {"https": Pool}
        return f"https://{name}", manager
    # The certificate is that of the name in the stack file, whatever address a forward dials.
    pool = Pool(
        dialled,
        number,
        maxsize=CONCURRENT,
        ssl_context=context,
        timeout=timeout,
        server_hostname=host,
        assert_hostname=host,
    )
    return "", pool


def _reason(error: BaseException) -> str:
    text = str(error)
    return text.split("): ", 1)[-1] if "): " in text else text or type(error).__name__
