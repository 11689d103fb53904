"""Who is answered with what: never with a value older than the question allows, and never with somebody's error."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components.providers.intersight import readings
from podwright.components.providers.intersight.readings import MOST_AGE, Lookup, Writes


class Server:
    """Holds a number that goes up with every write; each request reads it somewhere between its start and its end."""

    def __init__(self, seed: int = 0) -> None:
        self.now = 100.0
        self.value = 0
        self.requests: list[list[str]] = []
        self.running = 0
        self._random = random.Random(seed)

    def clock(self) -> float:
        self.now += 0.001
        return self.now

    async def ask(self, keys: Sequence[str]) -> dict[str, int]:
        self.requests.append(list(keys))
        for _ in range(self._random.randrange(4)):
            await asyncio.sleep(0)
        value = self.value
        for _ in range(self._random.randrange(4)):
            await asyncio.sleep(0)
        return dict.fromkeys(keys, value)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "LINGER", 0)


async def test_those_who_ask_at_the_same_time_share_one_request() -> None:
    server = Server()
    lookup = Lookup(server.ask, 50, server.clock)
    assert await asyncio.gather(*(lookup.get(f"k{n % 8}") for n in range(64))) == [0] * 64
    assert server.requests == [[f"k{n}" for n in range(8)]]


async def test_more_keys_than_fit_are_asked_in_turn() -> None:
    server = Server()
    lookup = Lookup(server.ask, 3, server.clock)
    await asyncio.gather(*(lookup.get(f"k{n}") for n in range(7)))
    assert [len(keys) for keys in server.requests] == [3, 3, 1]


async def test_a_question_without_a_moment_is_asked_anew() -> None:
    server = Server()
    lookup = Lookup(server.ask, 50, server.clock)
    assert await lookup.get("k") == 0
    server.value = 1
    assert await lookup.get("k") == 1


async def test_what_is_known_since_the_moment_is_not_asked_again() -> None:
    server = Server()
    lookup = Lookup(server.ask, 50, server.clock)
    since = server.clock()
    await lookup.get("k", since)
    await lookup.get("k", since)
    assert len(server.requests) == 1
    await lookup.get("k", server.clock())
    assert len(server.requests) == 2


async def test_a_request_under_way_answers_nobody_who_asks_for_what_is_now() -> None:
    """It may have read before what the asker wants to see."""
    server, begun, release = Server(), asyncio.Event(), asyncio.Event()

    async def ask(keys: Sequence[str]) -> dict[str, int]:
        value = server.value
        if not begun.is_set():
            begun.set()
            await release.wait()
        return dict.fromkeys(keys, value)

    lookup = Lookup(ask, 50, server.clock)
    first = asyncio.create_task(lookup.get("k"))
    await begun.wait()
    server.value = 1
    second = asyncio.create_task(lookup.get("k"))
    release.set()
    assert (await first, await second) == (0, 1)


async def test_a_silent_request_does_not_keep_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "SLOW", 0.01)
    release, asked = asyncio.Event(), []

    async def ask(keys: Sequence[str]) -> dict[str, int]:
        asked.append(keys)
        number = len(asked)
        if number == 1:
            await release.wait()
        return dict.fromkeys(keys, number)

    lookup = Lookup(ask, 50)
    silent = asyncio.create_task(lookup.get("k"))
    await asyncio.sleep(0.005)
    assert await asyncio.wait_for(lookup.get("k"), 5) == 2
    release.set()
    assert await silent == 1
    assert await lookup.get("k", 0.0) == 2, "what was sent first and answered last is not what is known"


async def test_an_error_is_everybodys_and_forgotten() -> None:
    broken = True

    async def ask(keys: Sequence[str]) -> dict[str, int]:
        if broken:
            raise OSError("no answer")
        return dict.fromkeys(keys, 1)

    lookup = Lookup(ask, 50)
    found = await asyncio.gather(lookup.get("a"), lookup.get("b"), return_exceptions=True)
    assert [str(each) for each in found] == ["no answer", "no answer"]
    broken = False
    assert await lookup.get("a", 0.0) == 1


async def test_one_who_is_cancelled_leaves_the_others_their_answer() -> None:
    server = Server()
    lookup = Lookup(server.ask, 50, server.clock)
    leaving, staying = asyncio.create_task(lookup.get("k")), asyncio.create_task(lookup.get("k"))
    await asyncio.sleep(0)
    leaving.cancel()
    assert await staying == 0


def test_a_loop_that_ended_under_a_question_does_not_stop_the_next() -> None:
    async def never(keys: Sequence[str]) -> dict[str, int]:
        if endless:
            await asyncio.Event().wait()
        return dict.fromkeys(keys, 1)

    async def left() -> None:
        asking = asyncio.create_task(lookup.get("k"))
        await asyncio.sleep(0.02)
        assert not asking.done()

    endless = True
    lookup = Lookup(never, 50)
    asyncio.run(left())
    endless = False
    assert asyncio.run(lookup.get("k")) == 1


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**9), steps=st.lists(st.sampled_from(["write", "fresh", "shared", "rest"]), max_size=30))
def test_no_answer_is_older_than_a_write_that_ended_before_the_question(seed: int, steps: list[str]) -> None:
    """Operations side by side, each writing and asking in an order of its own."""

    async def operation(number: int) -> None:
        own = random.Random(f"{seed} {number}")
        fresh_from = server.clock()
        for step in steps:
            await asyncio.sleep(0)
            if step == "write":
                with writes.write("ntp.Policy"):
                    await asyncio.sleep(0)
                    server.value += 1
                    await asyncio.sleep(0)
            elif step == "rest":
                for _ in range(own.randrange(5)):
                    await asyncio.sleep(0)
            else:
                written = server.value if step == "fresh" else ended[0]
                since = None if step == "fresh" else writes.since(fresh_from, own.choice(["ntp.Policy", None]))
                assert await lookup.get(own.choice("ab"), since) >= written
            ended[0] = max(ended[0], server.value if step == "write" else 0)

    async def all_of_them() -> None:
        await asyncio.gather(*(operation(number) for number in range(4)))

    server, ended = Server(seed), [0]
    lookup, writes = Lookup(server.ask, 50, server.clock), Writes(server.clock)
    asyncio.run(all_of_them())


def test_a_shared_answer_counts_from_the_last_of_command_write_and_age() -> None:
    now = [1000.0]
    writes = Writes(lambda: now[0])
    assert writes.since(990.0) == 990.0
    assert writes.since(900.0) == 1000.0 - MOST_AGE
    with writes.write("bios.Policy"):
        now[0] = 1005.0
    now[0] = 1010.0
    assert writes.since(990.0, "bios.Policy") == 1005.0
    assert writes.since(990.0, "ntp.Policy") == 990.0
    assert writes.since(990.0) == 1005.0, "what follows any write"
    with pytest.raises(OSError, match="cut"), writes.write("ntp.Policy"):
        raise OSError("cut")
    assert writes.since(990.0, "ntp.Policy") == 1010.0, "a write without an answer may have happened"
