"""Huge pages of a pool: what fits together is accepted, what does not is named, whatever the numbers."""

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components import model
from podwright.components.model.coherence import huge_pages
from tests.model.changes import LAB, put
from tools.generated import ROOT

ASKS = st.lists(st.tuples(st.integers(1, 6), st.integers(0, 20)), min_size=1, max_size=4)


def _cluster(reserved: int, nodes: int, asks: list[tuple[int, int]]) -> model.Cluster:
    """The lab with `nodes` servers in pool inference and one service per (replicas, GiB)."""
    stack = copy.deepcopy(LAB)
    (server,) = (each for each in stack["servers"].values() if each["pool"] == "inference")
    stack["servers"] |= {f"more-{n}": {**server, "index": 50 + n} for n in range(nodes - 1)}
    put("pools/inference/hugepages_gib", reserved)(stack)
    service: dict[str, Any] = stack["workloads"]["inference"].pop("chat")
    stack["workloads"]["inference"] = {
        f"s{n}": {**service, "replicas": replicas, "hugepages_gib": gib} for n, (replicas, gib) in enumerate(asks)
    }
    return model.Cluster.model_validate(stack)


def _placed(reserved: int, nodes: int, asks: list[tuple[int, int]]) -> bool:
    """Whether the largest pods first, each on the first node with room, all find one."""
    free = [reserved] * nodes
    for gib in sorted((gib for replicas, gib in asks for _ in range(replicas)), reverse=True):
        room = next((n for n, left in enumerate(free) if left >= gib), None)
        if room is None:
            return False
        free[room] -= gib
    return True


def _found(cluster: model.Cluster) -> list[str]:
    found = [each for check in huge_pages.CLUSTER for each in check(cluster)]
    nodes = sum(server.pool == "inference" for server in cluster.servers.values())
    for job in cluster.workloads.inference.values():
        found += huge_pages.one(job, cluster.pools[job.pool], nodes)
    return [problem.message for problem in found]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 40), st.integers(1, 4), ASKS)
def test_what_finds_a_place_is_accepted_and_what_is_too_much_is_not(
    reserved: int, nodes: int, asks: list[tuple[int, int]]
) -> None:
    messages = _found(_cluster(reserved, nodes, asks))
    total = sum(replicas * gib for replicas, gib in asks)
    unused = reserved > 0 and total == 0
    assert any("no workload asks" in each for each in messages) == unused
    if _placed(reserved, nodes, asks):
        assert messages == [] or unused
    if total > nodes * reserved:
        assert messages


def test_the_caret_stands_at_pages_that_nothing_asks_for(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.prod.yaml"
    file.write_text((ROOT / file.name).read_text().replace("          hugepages_gib: 16\n", ""))
    with pytest.raises(model.SpecErrors) as caught:
        model.load(file)
    (problem,) = caught.value.problems
    assert "no workload asks for them" in problem.message
    assert "serves nothing else" in (problem.hint or "")
    lines = str(caught.value).splitlines()
    (caret,) = (n for n, line in enumerate(lines) if line.strip().startswith("^"))
    assert lines[caret - 1][lines[caret].index("^") :].startswith("16")
