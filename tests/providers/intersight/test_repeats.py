"""One write, tried until it is answered: what each answer costs in pauses, and which ends it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from podwright.components.providers.intersight import boot, repeats
from podwright.components.providers.intersight.repeats import Repeats
from podwright.components.providers.intersight.transport import ApiError, UnansweredError
from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.intersight.conftest import KEY_ID, Stand

LOGIN = {"endpoint": "intersight.com", "key_id": KEY_ID, "secret": "intersight-key"}
HOST = {"name": "cp-01", "serial": "WZP00000011", "intersight": True}
VALIDATING = ApiError(400, {"message": "The object is being validated."}, "update it")
STALE = ApiError(412, {}, "update it")
CLASH = ApiError(409, {}, "update it")
WRONG = ApiError(400, {"message": "The property does not exist."}, "update it")
LOST = UnansweredError("no answer to update it")


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds of each pause, which nobody waits for."""
    taken: list[float] = []

    async def sleep(seconds: float) -> None:
        taken.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return taken


async def answering(answer: Exception | str) -> str:
    if isinstance(answer, Exception):
        raise answer
    return answer


@pytest.mark.parametrize(
    ("answer", "pauses"),
    [
        ("what was written", []),
        (STALE, []),
        (CLASH, [repeats.VALIDATING_PAUSE]),
        (VALIDATING, [repeats.VALIDATING_PAUSE]),
        (LOST, [repeats.FIRST_PAUSE]),
    ],
)
async def test_an_answer_and_what_may_pass_is_handed_back_after_its_pause(
    paused: list[float], answer: Any, pauses: list[float]
) -> None:
    assert await Repeats().attempt(answering(answer)) is answer
    assert paused == pauses


async def test_a_refusal_for_good_is_raised_at_once(paused: list[float]) -> None:
    with pytest.raises(ApiError, match="does not exist"):
        await Repeats().attempt(answering(WRONG))
    assert paused == []


async def test_the_last_try_without_an_answer_is_a_sentence(paused: list[float]) -> None:
    tries = Repeats()
    for _ in range(repeats.TIMES - 1):
        await tries.attempt(answering(LOST))
    with pytest.raises(ProviderError, match=f"no answer to update it; tried {repeats.TIMES} times; run again"):
        await tries.attempt(answering(LOST))
    assert paused == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


async def test_a_power_order_that_is_refused_for_a_while_is_given_at_a_pace(stand: Stand) -> None:
    """While Intersight refuses it, it is not asked again without any pause."""
    stand.fault(mode="409", verb="PATCH", times=100_000)
    order = asyncio.create_task(boot.power(stand.context(), LOGIN, HOST, "PowerOn"))
    await asyncio.sleep(1.0)
    assert stand.side.gate.requests < 20
    stand.fault(mode="none")
    await order
