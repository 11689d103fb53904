"""A store of its own, at which members of a job meet: whoever goes, the launchers of the others stay. With real
PyTorch, as test_trains; PODWRIGHT_TRAINER_SEED says at which steps. Opt-in: `make soak SUITE=trainer`."""

import os
import random
import signal
from typing import Any

import pytest

from tests.trainer.test_trains import EVERY, SEED, curve, goes_on, lost, started, torch

__all__ = ["started", "torch"]
pytestmark = [pytest.mark.soak, pytest.mark.timeout(2400)]
STORE = {"pool": "inference"}


def launchers(running: Any) -> dict[int, int]:
    """Process 1 of each pod, by member."""
    return {member: pod.first() for member, pod in running.pods.items()}


def ranks(running: Any) -> list[int]:
    return [each["ranks"] for each in running.lines() if "resumed" in each]


def loses(running: Any, member: int) -> None:
    """Its node is gone, with everything on it."""
    running.pods[member].drained = True
    running.pods[member].kill()


@pytest.mark.parametrize("apart", [True, False], ids=["store", "member-0"])
def test_launchers_stay_when_member_0_is_lost_if_the_store_is_not_in_it(started: Any, apart: bool) -> None:
    """Three members; member 0 goes twice. Without a store of its own the launchers of the others end with it."""
    running = started(f"apart-{apart}", nodes=3, gpus=1, batch=12, rendezvous_store=STORE if apart else None)
    choice = random.Random(SEED)
    for starts in (1, 2):
        at = 12 * starts + choice.randint(0, 12)
        running.until(lambda at=at: running.step() >= at, 400, f"step {at}")
        before = launchers(running)
        loses(running, 0)
        goes_on(running, starts)
        after = launchers(running)
        stayed = {member for member in (1, 2) if before[member] == after[member]}
        assert stayed == ({1, 2} if apart else set())
    running.until(running.finished, 600, "the job ends")
    assert [running.failures[each] for each in (1, 2)] == ([0, 0] if apart else [2, 2])
    assert ranks(running) == [3, 3, 3]
    assert max(lost(running.lines())) <= EVERY
    if apart:
        assert running.store.starts == 1


def test_those_who_are_left_go_on_without_member_0_and_take_it_in_again(started: Any) -> None:
    """With `min_nodes`: each time that they are fewer they wait a minute for more."""
    running = started("left", nodes=3, min_nodes=2, gpus=1, batch=12, steps=100_000, rendezvous_store=STORE)
    running.until(lambda: running.step() >= EVERY + 2, 400, "three members train")
    before = launchers(running)
    running.held.add(0)
    loses(running, 0)
    goes_on(running, 1)
    running.held.clear()
    goes_on(running, 2)
    assert ranks(running) == [3, 2, 3]
    assert not running.failures.total()
    assert {member: before[member] for member in (1, 2)} == {k: v for k, v in launchers(running).items() if k}
    assert max(lost(running.lines())) <= EVERY


def test_a_rendezvous_that_is_closed_is_forgotten_and_members_meet_again(started: Any) -> None:
    """A launcher that has no starts left ends with an error and closes the rendezvous, for all that come after."""
    running = started("closed", nodes=2, gpus=1, restarts=1, rendezvous_store=STORE)
    for starts in (1, 2):
        running.until(lambda starts=starts: running.step() >= 12 * starts, 400, "it trains")
        os.kill(running.pods[1].workers()[0], signal.SIGKILL)
        goes_on(running, starts)
    assert running.failures.total() >= 2, "the second failure was one too many for both launchers"
    assert running.store.starts == 2, "in the store that they left nobody is let in"
    running.until(running.finished, 600, "the job ends")
    assert max(lost(running.lines())) <= EVERY
    assert sorted(curve(running.lines())) == list(range(1, 81))


def test_a_job_that_is_stopped_whole_starts_again_at_the_same_store(started: Any) -> None:
    """As Kueue does it for another job. New members come before the store takes those before for dead."""
    running = started("stopped", nodes=2, gpus=1, rendezvous_store=STORE)
    running.until(lambda: running.step() >= 12, 400, "it trains")
    for member in (0, 1):
        loses(running, member)
    goes_on(running, 1)
    assert not running.failures.total()
    assert running.store.starts == 1
    assert max(lost(running.lines())) <= EVERY


def test_a_store_that_is_lost_takes_all_launchers_along_and_they_meet_at_an_empty_one(started: Any) -> None:
    """What member 0 was before: each launcher ends with an error, which counts, and its pod is made again."""
    running = started("lost", nodes=2, gpus=1, rendezvous_store=STORE)
    running.until(lambda: running.step() >= 12, 400, "it trains")
    running.store.process.kill()
    goes_on(running, 1)
    assert running.failures == {0: 1, 1: 1}
    assert running.store.starts == 2
    running.until(running.finished, 600, "the job ends")
    assert max(lost(running.lines())) <= EVERY
