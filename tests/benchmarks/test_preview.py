"""The benchmark of previews reads plans as Pulumi saves them, counts edges as its bounds mean them, and tells all."""

import json
from pathlib import Path
from typing import Any

import pytest

from podwright.components import model
from tests.benchmarks.clusters import pod
from tests.benchmarks.preview.__main__ import Run, lines
from tests.benchmarks.preview.measure import Taken, least
from tests.benchmarks.preview.registrations import edges, read

A, B, READY, ROOT = "urn:p::k:m:T::a", "urn:p::k:m:T::b", "urn:p::podwright:index:Join::ready", "urn:p::x:y:Z::root"


def goal(token: str, name: str, **more: Any) -> dict[str, Any]:
    return {"goal": {"type": token, "name": name, "custom": not token.startswith("x"), **more}}


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """A component with two resources and a join: b takes a value of a and waits for the join, which waits for a."""
    resources = {
        B: goal("k:m:T", "b", parent=ROOT, dependencies=[READY, A], propertyDependencies={"x": [A], "y": None},
                inputDiff={"adds": {"x": 1}}),
        READY: goal("podwright:index:Join", "ready", parent=ROOT, dependencies=[A]),
        A: goal("k:m:T", "a", parent=ROOT),
        ROOT: goal("x:y:Z", "root"),
        "urn:p::pulumi:providers:k::k": goal("pulumi:providers:k", "k", dependencies=[A]),
    }  # fmt: skip
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({"resourcePlans": resources}))
    return file


def test_what_others_need_comes_first_and_edges_are_counted_apart(plan: Path) -> None:
    found = read(plan)
    names = [each.name for each in found]
    assert names.index("root") < names.index("a") < names.index("ready") < names.index("b")
    assert found[names.index("b")].inputs == {"x": 1}
    counted = edges(found)
    assert (counted.resources, counted.joins, counted.to_joins, counted.data) == (4, 1, 2, 1)
    assert (counted.most, counted.of) == (1, "urn:p::k:m:T::b")


def test_an_object_referred_to_by_name_is_no_mere_wait(tmp_path: Path) -> None:
    mac = {"object_type": "macpool.Pool", "name": "mac"}
    spec = {"object_type": "vnic.LanConnectivityPolicy", "name": "lan", "children": [{"references": {"MacPool": mac}}]}
    resources = {
        A: goal("k:m:T", "a", inputDiff={"adds": {"spec": mac}}),
        B: goal("k:m:T", "b", dependencies=[A], inputDiff={"adds": {"spec": spec}}),
    }
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({"resourcePlans": resources}))
    assert edges(read(file)).most == 0
    resources[A]["goal"]["inputDiff"]["adds"]["spec"] = {**mac, "name": "other"}
    file.write_text(json.dumps({"resourcePlans": resources}))
    assert edges(read(file)).most == 1


def test_what_disturbs_one_run_of_several_does_not_count() -> None:
    assert least([Taken(9, 4, 30), Taken(7, 6, 20), Taken(8, 5, 10)]) == Taken(7, 4, 10)


def test_each_bound_is_told_with_its_figure(plan: Path) -> None:
    told = "\n".join(lines(Run("small", edges(read(plan)), Taken(20, 10, 2**30), Taken(18, 9, 0), Taken(18, 7, 0))))
    assert "preview ÷ floor           1.43 processor    1.11 wall   at most 1.3  NOT HELD" in told
    assert "pack ÷ empty pack         1.11 processor    1.11 wall   at most 1.25  held" in told
    assert "edges ÷ resources         0.75   at most 2  held" in told


@pytest.mark.parametrize("servers", [32, 224])
def test_pods_of_other_sizes_are_coherent(servers: int) -> None:
    cluster = model.Cluster.model_validate(pod(servers))
    assert sum(name.startswith("gpu-") for name in cluster.servers) == servers
    assert model.coherence.check(cluster) == []
