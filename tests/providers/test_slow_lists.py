"""A list of many slow pages ends in time, although each page does."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from podwright.components.providers.exchange import Limits
from podwright.components.providers.intersight import listing, transport
from podwright.components.providers.intersight.account import Account
from podwright.components.providers.openshift.kube import Kube, SilentError
from podwright.components.providers.protocol.kind import ProviderError

PAGE_SECONDS = 0.05
BOUND = 3.0
"""Five exchanges of a tenth of a second, and a busy machine; fifty pages and more would take longer."""


class SlowPages:
    """A client whose every page is full, and comes a moment before its time is over."""

    pages = 0

    async def get(self, *_: Any) -> dict[str, Any]:
        self.pages += 1
        await asyncio.sleep(PAGE_SECONDS)
        return {"Results": [{"Moid": str(number)} for number in range(listing.PAGE)]}


async def test_intersight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "LIMITS", Limits(0.1, transport.LIMITS.most_bytes))
    client: Any = SlowPages()
    begun = time.monotonic()
    with pytest.raises(ProviderError, match="does not end"):
        await Account(client).query("ntp.Policy", "Name eq 'x'")
    assert time.monotonic() - begun < BOUND
    assert client.pages < listing.MOST_PAGES


async def test_kubernetes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def request(_: Kube, method: str, path: str) -> dict[str, Any]:
        asked.append(f"{method} {path}")
        await asyncio.sleep(PAGE_SECONDS)
        return {"items": [{}], "metadata": {"continue": "more"}}

    monkeypatch.setattr(Kube, "__init__", lambda kube: setattr(kube, "_limits", Limits(0.1, 1000)))
    monkeypatch.setattr(Kube, "request", request)
    begun = time.monotonic()
    made: Any = Kube
    with pytest.raises(SilentError, match="does not end"):
        await made().items("/api/v1/pods")
    assert time.monotonic() - begun < BOUND
    assert len(asked) < 50
