"""Waves of a roll-out: every switch once, and never what stands in for each other."""

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components import model
from podwright.components.design.fabric import waves
from tests.model.changes import LAB, PROD
from tests.model.fabric_cases import STORAGE


def planned(said: dict[str, Any], spines: int, rollout: dict[str, Any] | None) -> tuple[model.Cluster, list[set[str]]]:
    """The waves of a stack with as many spines; they need not be cabled for this."""
    said = json.loads(json.dumps(said))
    one = next(iter(said["fabric"]["spines"].values()))
    said["fabric"]["spines"] = {
        f"spine-{n:02}": one | {"index": n, "management": f"10.9.9.{n}", "serial": None} for n in range(1, spines + 1)
    }
    said["fabric"]["rollout"] = rollout
    cluster = model.Cluster.model_validate_json(json.dumps(said))
    return cluster, [set(wave) for wave in waves(cluster.network)]


def with_storage() -> dict[str, Any]:
    said = copy.deepcopy(dict(PROD))
    said["fabric"]["storage"] = STORAGE
    return said


@settings(max_examples=200, deadline=None)
@given(
    stack=st.sampled_from([LAB, PROD, with_storage()]),
    spines=st.integers(1, 9),
    batch=st.none() | st.integers(1, 20),
    canary=st.sampled_from([None, "leaf-01", "spine-01"]),
)
def test_waves_hold_every_switch_once_and_never_all_that_stand_in_for_each_other(
    stack: dict[str, Any], spines: int, batch: int | None, canary: str | None
) -> None:
    cluster, found = planned(stack, spines, None if batch is None else {"batch": batch, "canary": canary})
    pairs = [pair for pair in (cluster.fabric.frontend, cluster.fabric.storage) if pair]
    names = [*cluster.fabric.leaves, *cluster.fabric.spines, *(name for pair in pairs for name in pair.leaves)]
    assert sorted(name for wave in found for name in wave) == sorted(names)
    for wave in found:
        assert wave
        assert spines == 1 or not set(cluster.fabric.spines) <= wave
        assert all(not set(pair.leaves) <= wave for pair in pairs)
        assert batch is None or len(wave) <= batch
    if batch is not None and canary in names:
        assert found[0] == {canary}


def test_the_lab_and_small_sites_change_at_once() -> None:
    assert planned(LAB, 1, None)[1] == [{"leaf-01", "leaf-02", "spine-01"}]


def test_without_a_rollout_two_waves_are_enough() -> None:
    assert len(planned(with_storage(), 8, None)[1]) == 2
