"""What operations of one provider instance read together: one request answers all who ask for objects of a type.

An answer counts for a question when its request was *sent* after a moment that the question names (`since`):

- What an operation writes or waits for is read after the question: `since` is now. Questions that wait at the same
  time share the request; nothing that was read before is used.
- What an operation only refers to, and what a refresh shows, is read after the command began (`Context.fresh_from`),
  after this process last wrote to it, and within the last MOST_AGE seconds.

So nobody is answered with a value older than a write of this process, or older than the command that asks.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

LINGER = 0.01
"""Seconds that a question waits for others to share its request with."""
SLOW = 3.0
"""Seconds after which the next request goes out although the one before has no answer yet."""
MOST_AGE = 30.0
"""Seconds that what is referred to, or shown by a refresh, may be old."""

Value = TypeVar("Value")
Ask = Callable[[Sequence[str]], Awaitable[Mapping[str, Value]]]
"""Keys → what was found for each."""


@dataclass
class _Request(Generic[Value]):
    sent: float
    waiting: dict[str, asyncio.Future[Value]]


class Lookup(Generic[Value]):
    """Questions by one key (a name, a serial number), answered many at a time.

    `ask` is called with up to `most` keys, and answers every one of them.
    """

    def __init__(self, ask: Ask[Value], most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._ask = ask
        self._most = most
        self._clock = clock
        self._known: dict[str, tuple[float, Value]] = {}
        self._asked: dict[str, asyncio.Future[Value]] = {}
        self._under_way: list[_Request[Value]] = []
        self._sender: asyncio.Task[None] | None = None

    async def get(self, key: str, since: float | None = None) -> Value:
        """What a request sent after `since` finds for `key`; None means after this call. Raises what `ask` raises."""
        since = self._clock() if since is None else since
        if key in self._known and self._known[key][0] > since:
            return self._known[key][1]
        shared = [each.waiting[key] for each in self._under_way if key in each.waiting and each.sent > since]
        if shared:
            return await asyncio.shield(shared[-1])
        if key not in self._asked:
            self._asked[key] = asyncio.get_running_loop().create_future()
        waited = self._asked[key]
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send())
        # A caller that is cancelled leaves the others their answer.
        return await asyncio.shield(waited)

    async def _send(self) -> None:
        """Send what was asked, request after request, until nobody waits."""
        try:
            while self._asked:
                await asyncio.sleep(LINGER)
                keys = list(self._asked)[: self._most]
                request = _Request(self._clock(), {key: self._asked.pop(key) for key in keys})
                self._under_way.append(request)
                await asyncio.wait([asyncio.create_task(self._answer(request))], timeout=SLOW)
        finally:
            for future in self._asked.values():
                future.cancel()
            self._asked.clear()

    async def _answer(self, request: _Request[Value]) -> None:
        try:
            found = await self._ask(list(request.waiting))
        except Exception as error:  # noqa: BLE001 - it is every asker's
            for future in request.waiting.values():
                if not future.done():
                    future.set_exception(error)
                    future.exception()  # an asker may be gone
        else:
            for key, future in request.waiting.items():
                if key not in self._known or self._known[key][0] < request.sent:
                    self._known[key] = (request.sent, found[key])
                if not future.done():
                    future.set_result(found[key])
        finally:
            for future in request.waiting.values():
                future.cancel()  # does nothing where there is an answer
            with contextlib.suppress(ValueError):
                self._under_way.remove(request)


class Writes:
    """When this process last wrote to objects of a type."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ended: dict[str, float] = {}

    @contextlib.contextmanager
    def write(self, object_type: str) -> Iterator[None]:
        """A write of an object of that type; it counts from its end, answered or not."""
        try:
            yield
        finally:
            self._ended[object_type] = self._clock()

    def since(self, fresh_from: float, object_type: str | None = None) -> float:
        """From when on a shared answer counts: to objects of a type, or, without one, to any object.

        Without a type it is for values that a write of another type changes too: the state of a profile follows its
        policies.
        """
        ended = self._ended.values() if object_type is None else [self._ended.get(object_type, 0.0)]
        return max(fresh_from, self._clock() - MOST_AGE, *ended)
