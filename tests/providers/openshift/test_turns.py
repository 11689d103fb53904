"""The order in which nodes of a pool are taken: one alone, watched, then as many as the budget allows."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.openshift.pools.budget import in_turn
from podwright.components.providers.protocol.kind import Context, ProviderError

NODES = ["gpu-01", "gpu-02", "gpu-03", "gpu-04"]


class Pool:
    """Nodes that are taken, and what is wrong with them afterwards."""

    def __init__(self, *, idle: tuple[str, ...] = (), failing: str = "", lost: str = "") -> None:
        self.idle, self.failing, self.lost = idle, failing, lost
        self.taken: list[str] = []
        self.watched: list[str] = []
        self.warned: list[str] = []

    async def take(self, name: str) -> bool:
        self.taken.append(name)
        if name == self.failing:
            raise ProviderError(f"{name} does not come back")
        return name not in self.idle

    async def lacks(self, name: str) -> str:
        self.watched.append(name)
        return f"{name} is not ready" if name == self.lost else ""

    async def roll(self, **spec: Any) -> None:
        wanted = {"pool": "training", "max_unavailable": 3, **spec}
        await in_turn(NODES, wanted, self.take, self.lacks, Context(warn=self.warned.append))


async def test_the_first_node_that_fails_is_the_only_one() -> None:
    pool = Pool(failing="gpu-01")
    with pytest.raises(ProviderError, match="gpu-01 does not come back"):
        await pool.roll()
    assert pool.taken == ["gpu-01"]


async def test_a_node_that_had_nothing_to_activate_proves_nothing() -> None:
    pool = Pool(idle=("gpu-01",), failing="gpu-02")
    with pytest.raises(ProviderError, match="gpu-02 does not come back"):
        await pool.roll()
    assert pool.taken == ["gpu-01", "gpu-02"]


async def test_a_first_node_that_is_lost_again_while_it_is_watched_stops_the_rest() -> None:
    pool = Pool(lost="gpu-01")
    with pytest.raises(ProviderError, match="gpu-01 is not ready after it came back; no further node of pool training"):
        await pool.roll()
    assert pool.taken == ["gpu-01"]


async def test_only_the_first_one_is_watched() -> None:
    pool = Pool()
    await pool.roll(soak_seconds=1)
    assert pool.taken == NODES
    assert set(pool.watched) == {"gpu-01"}
    assert len(pool.watched) > 1, "to the end of the soak"


async def test_of_a_paused_pool_no_node_is_taken_and_how_many_wait_is_reported() -> None:
    pool = Pool()
    await pool.roll(pause=True)
    assert pool.taken == []
    assert pool.warned == ["pool training is paused (pools.training.rollout.pause): 4 nodes wait"]
