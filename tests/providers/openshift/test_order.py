"""A roll-out of NIC drivers begins when the Machine Config Operator is through: the SR-IOV operator takes no node
before, and a node that waits for its functions under our pause would wait for ever."""

from __future__ import annotations

import copy
from typing import Any, cast

import pytest

from podwright.components.providers.openshift.kube import Kube, SilentError
from podwright.components.providers.openshift.pools.budget import PAUSED, Budget
from podwright.components.providers.protocol.kind import Context, ProviderError


class Pool:
    """A MachineConfigPool whose nodes reach its configuration one a look, unless it is paused."""

    def __init__(self, behind: int, *, paused: bool = False, notes: tuple[str, ...] = (), moves: bool = True) -> None:
        self.looks, self._behind, self._moves = 0, behind, moves
        self._spec: dict[str, Any] = {"configuration": {"name": "new"}, "paused": paused}
        self._notes: dict[str, Any] = dict.fromkeys(notes, "yes")

    async def find(self, path: str) -> Any:
        assert path.endswith("/machineconfigpools/training")
        self.looks += 1
        reached = "old" if self._behind else "new"
        counts = {"machineCount": 30, "updatedMachineCount": 30 - self._behind}
        if self._moves and not self._spec["paused"] and self._behind:
            self._behind -= 1
        found = {"metadata": {"annotations": self._notes}, "spec": self._spec,
                 "status": {"configuration": {"name": reached}, **counts}}  # fmt: skip
        return copy.deepcopy(found)

    async def silent(self, path: str) -> Any:
        """The API server is away for the second look."""
        if self.looks == 1:
            self.looks += 1
            raise SilentError("no answer")
        return await Pool.find(self, path)

    async def merge(self, path: str, change: dict[str, Any]) -> None:
        self._spec |= change.get("spec", {})
        self._notes = {key: value for key, value in {**self._notes,
                       **change.get("metadata", {}).get("annotations", {})}.items() if value is not None}  # fmt: skip


async def _waited(pool: Pool, limit: float = 0) -> list[str]:
    logged: list[str] = []
    context = Context(log=logged.append)
    context.timeout = limit
    await Budget(cast(Kube, pool), {"pool": "training"}, ["gpu-01"]).behind_machine_configs(context)
    return [line.partition("; ")[0] for line in logged]


async def test_it_waits_until_the_pool_has_its_configuration_and_says_how_far_it_is() -> None:
    # The first look is for a pause that was left behind.
    assert await _waited(Pool(behind=3)) == [
        "MachineConfigPool training: 28 of 30 nodes are at new",
        "MachineConfigPool training: 29 of 30 nodes are at new",
    ]


async def test_an_api_server_that_restarts_meanwhile_ends_no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(behind=2)
    monkeypatch.setattr(pool, "find", pool.silent)
    assert (await _waited(pool))[0] == "MachineConfigPool training: the cluster's API is silent"


async def test_a_pool_that_stands_and_one_that_a_person_paused_are_not_waited_for() -> None:
    assert await _waited(Pool(behind=0)) == []
    assert await _waited(Pool(behind=5, paused=True)) == []


async def test_a_pause_that_a_killed_run_left_behind_is_ended_first() -> None:
    pool = Pool(behind=1, paused=True, notes=(PAUSED,))
    await _waited(pool)
    assert pool.looks > 2 and not (await pool.find("/machineconfigpools/training"))["spec"]["paused"]


async def test_one_that_stands_still_ends_the_wait_with_how_far_it_is() -> None:
    pool = Pool(behind=3, moves=False)
    with pytest.raises(ProviderError, match="MachineConfigPool training to be updated: 27 of 30 nodes are at new"):
        await _waited(pool, limit=0.2)
