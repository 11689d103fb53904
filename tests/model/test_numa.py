"""NUMA alignment: what kubelet's topology manager admits on an empty server is accepted, what it never does is not."""

import copy
import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components import model
from podwright.components.model.coherence import numa
from tests.model.changes import LAB, both, put

POLICIES = st.sampled_from(("best-effort", "restricted", "single-numa-node"))
SOCKETS = 2
HAVE = {"gpus": 8, "cpus": 256, "memory_gib": 1536, "hugepages_gib": 64}
"""Of inf-01, with 64 GiB of huge pages."""


def _cluster(policy: str, **asked: int) -> model.Cluster:
    stack: dict[str, Any] = copy.deepcopy(LAB)
    both(
        put("pools/inference", {"purpose": "inference", "hugepages_gib": 64, "numa": {"policy": policy}}),
        put("workloads/inference/chat/slice", None),
        *(put(f"workloads/inference/chat/{field}", amount) for field, amount in asked.items()),
    )(stack)
    return model.Cluster.model_validate(stack)


def _found(cluster: model.Cluster) -> list[str]:
    job = cluster.workloads.inference["chat"]
    servers = {name: each for name, each in cluster.servers.items() if each.pool == job.pool}
    return [problem.message for problem in numa.one(job, cluster.pools[job.pool], servers)]


def _admitted(policy: str, asked: dict[str, int]) -> bool:
    """Kubelet's merge, as it is written: every permutation of the resources' hints, preferred where all of them are and
    all masks are equal."""
    have = {**HAVE, "memory_gib": HAVE["memory_gib"] - HAVE["hugepages_gib"]}
    masks = [set(each) for count in (1, 2) for each in itertools.combinations(range(SOCKETS), count)]
    every: list[list[tuple[set[int], bool]]] = []
    for field, amount in asked.items():
        if not amount:
            continue
        fitting = [mask for mask in masks if len(mask) * (have[field] // SOCKETS) >= amount]
        least = min(map(len, fitting), default=0)
        hints = [(mask, len(mask) == least) for mask in fitting]
        every.append([each for each in hints if policy != "single-numa-node" or (len(each[0]) == 1 and each[1])])
    merged = (
        all(preferred for _, preferred in some) and all(mask == some[0][0] for mask, _ in some)
        for some in itertools.product(*every)
    )
    return policy == "best-effort" or any(merged)


@settings(max_examples=300, deadline=None)
@given(POLICIES, st.integers(1, 8), st.integers(1, 128), st.integers(1, 1400), st.integers(0, 64))
def test_it_is_refused_exactly_where_kubelet_would_never_admit_it(
    policy: str, gpus: int, cpus: int, memory: int, pages: int
) -> None:
    asked = {"gpus": gpus, "cpus": cpus, "memory_gib": memory, "hugepages_gib": pages}
    assert bool(_found(_cluster(policy, **asked))) == (not _admitted(policy, asked))


@pytest.mark.parametrize(("smt", "found"), [(True, 1), (False, 0)])
def test_half_a_core_is_only_one_where_cores_have_two_threads(smt: bool, found: int) -> None:
    stack: dict[str, Any] = copy.deepcopy(LAB)
    both(
        put("pools/inference/numa", {"policy": "single-numa-node"}),
        put("workloads/inference/chat/cpus", 3),
        put("servers/inf-01/smt", {"enabled": smt, "reason": "measured here"}),
    )(stack)
    cluster = model.Cluster.model_validate(stack)
    assert len([each for check in numa.CLUSTER for each in check(cluster)]) == found


def test_a_job_off_the_rails_of_its_servers_is_aligned_with_its_gpus_alone() -> None:
    stack: dict[str, Any] = copy.deepcopy(LAB)
    both(put("pools/training", {"purpose": "training", "numa": {"policy": "restricted"}}),
         put("workloads/training/pretrain/gpus", 4))(stack)  # fmt: skip
    cluster = model.Cluster.model_validate(stack)
    job = cluster.workloads.training["pretrain"]
    servers = {name: each for name, each in cluster.servers.items() if each.pool == "training"}
    assert list(numa.one(job, cluster.pools["training"], servers)) == []


def test_a_pod_may_have_more_processors_than_there_are_cores() -> None:
    stack: dict[str, Any] = copy.deepcopy(LAB)
    put("workloads/training/pretrain/cpus", 255)(stack)
    assert model.load(stack)


@pytest.mark.parametrize(("cpus", "hint"), [(1, "write 2"), (3, "write 4 or 2"), (5, "write 6 or 4")])
def test_half_a_core_is_made_a_whole_one(cpus: int, hint: str) -> None:
    assert [each.hint for problem in numa.CLUSTER for each in problem(_cluster("single-numa-node", cpus=cpus))] == [
        hint
    ]
