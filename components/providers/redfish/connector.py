"""How requests reach one BMC: to its own address, over TLS, with an end; whatever it answers or points to.

A BMC hands out addresses of its resources, and a session adds the password to each request. Followed blindly, one
absolute address in an answer would carry the password to another machine, in the clear if it says http.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit, urlunsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter

from podwright.components.providers.exchange import EndlessError, Pool, body, ending
from podwright.components.providers.redfish.conversation import Conversation
from podwright.components.providers.redfish.turns import TIMEOUT_SECONDS, SpentError, Turns

RETRIES = 4
"""Tries of one request against a BMC that is busy or closes connections."""
RETRY_SECONDS = 2
CONNECT_SECONDS = 10
MOST_BYTES = 8_000_000
"""Of one answer: the attribute registry of a large server's BIOS is some 2 MB."""


class HostileError(requests.exceptions.RequestException):
    """The server's answer is not acted upon; the message says why. Not asked again."""


class _Adapter(HTTPAdapter):
    """To one server only, whose certificate must name `address`, whatever a forward dials."""

    def __init__(self, address: str, dialled: tuple[str, int], turns: Turns) -> None:
        self._address = address
        self._dialled = f"{dialled[0]}:{dialled[1]}"
        self._turns = turns
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """As the base class, with the original's name and connections that can be ended."""
        super().init_poolmanager(*args, assert_hostname=self._address, server_hostname=self._address, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"https": Pool}

    def send(self, request: Any, stream: bool = False, **kwargs: Any) -> Any:  # type: ignore[override]
        """One exchange. Raises HostileError where it would leave the server, and where it does not end."""
        del stream
        request.url = self._own(request.url)
        try:
            with ending(self._turns.take()):
                response = super().send(request, stream=True, **kwargs)
                # As the library leaves it once it was read.
                response._content = bytes(body(response.raw, MOST_BYTES))
                response._content_consumed = True  # type: ignore[attr-defined]
        except (EndlessError, SpentError) as endless:
            raise HostileError(str(endless)) from None
        except urllib3.exceptions.HTTPError as broken:
            raise requests.exceptions.ConnectionError(broken) from None  # the library tries again
        return response

    def _own(self, url: str) -> str:
        """The same place as it is dialled. Raises HostileError for another server's, or one without TLS."""
        parts = urlsplit(url)
        ours = {self._dialled, self._address, f"{self._address}:443"}
        if parts.scheme != "https" or parts.netloc not in ours:
            raise HostileError(
                f"it points to {parts.scheme}://{parts.netloc}, another place than its own; nothing was sent there"
            )
        return urlunsplit(parts._replace(netloc=self._dialled))


def connector_to(address: str, dialled: tuple[str, int], verify: str | bool, turns: Turns) -> Any:
    """sushy's connector to the BMC at `address`: no proxy of the environment, no netrc, nobody else."""
    made = Conversation(
        f"https://{dialled[0]}:{dialled[1]}",
        verify=verify,
        server_side_retries=RETRIES,
        server_side_retries_delay=RETRY_SECONDS,
        default_request_timeout=TIMEOUT_SECONDS,
        connect_timeout=CONNECT_SECONDS,
    )
    made._session.trust_env = False
    adapter = _Adapter(address, dialled, turns)
    for scheme in ("https://", "http://"):
        made._session.mount(scheme, adapter)
    return made
