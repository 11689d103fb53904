"""Queues of several pools: a flavor and a topology of each, and one queue of each team with a quota of every one."""

import copy
from typing import Any

from podwright.components.model import Cluster, granted
from podwright.components.model.coherence import check
from tests.design import whole
from tests.model.changes import LAB, both, put
from tests.model.queue_cases import QUEUED, QUEUES
from tests.model.queue_pool_cases import SEVERAL


def _stack(*changes: Any) -> Cluster:
    written = copy.deepcopy(LAB)
    both(*changes)(written)
    return Cluster.model_validate(written)


def _kueue(stack: Cluster) -> list[dict[str, Any]]:
    (found,) = (each for each in whole.operators(stack) if each.name == "kueue-operator")
    return list(found.settings)


def _named(stack: Cluster, kind: str) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each["spec"] for each in _kueue(stack) if each["kind"] == kind}


def _gpus(spec: dict[str, Any]) -> dict[str, str]:
    """GPUs of a queue by flavor."""
    (group,) = spec["resourceGroups"]
    rows = {each["name"]: {row["name"]: row["nominalQuota"] for row in each["resources"]} for each in group["flavors"]}
    assert all([*each] == group["coveredResources"] for each in rows.values()), "Kueue takes no other order"
    return {name: each["nvidia.com/gpu"] for name, each in rows.items()}


def test_each_pool_has_a_flavor_and_a_topology_and_each_team_one_queue_with_a_quota_of_every_pool() -> None:
    stack = _stack(SEVERAL)
    assert check(stack) == []
    own = {"training-group-rack-host": "training", "tuning-rack-host": "tuning"}
    assert set(_named(stack, "Topology")) == set(own)
    flavors = _named(stack, "ResourceFlavor")
    assert {name: each["nodeLabels"]["podwright.io/pool"] for name, each in flavors.items()} == own
    assert all(each["topologyName"] == name for name, each in flavors.items())
    queues = {name: _gpus(each) for name, each in _named(stack, "ClusterQueue").items()}
    assert queues == {
        "research": dict(zip(own, ("16", "8"), strict=True)),
        "vision": dict(zip(own, ("8", "8"), strict=True)),
    }
    local = [each for each in _kueue(stack) if each["kind"] == "LocalQueue"]
    assert [(each["metadata"]["namespace"], each["metadata"]["name"]) for each in local] == [
        (team, pool) for team in ("research", "vision") for pool in ("training", "tuning")
    ]
    assert all(each["spec"]["clusterQueue"] == each["metadata"]["namespace"] for each in local)


def test_a_queue_has_nothing_of_rails_where_a_pool_is_off_them() -> None:
    (group,) = _named(_stack(SEVERAL), "ClusterQueue")["vision"]["resourceGroups"]
    rails = {
        each["name"]: {row["nominalQuota"] for row in each["resources"] if "rail" in row["name"]}
        for each in group["flavors"]
    }
    assert rails == {"training-group-rack-host": {"3"}, "tuning-rack-host": {"0"}}


def test_each_job_waits_in_the_queue_of_its_pool_and_nodes_of_every_such_pool_have_their_rack() -> None:
    stack = _stack(SEVERAL)
    jobs = {each["metadata"]["name"]: each for each in whole.workloads(stack) if each["kind"] == "Job"}
    named = {name: each["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] for name, each in jobs.items()}
    assert named == {"pretrain": "training", "tune": "tuning"}
    racked = {
        node["metadata"]["labels"]["podwright.io/pool"]
        for node in whole.platform(stack).nodes
        if "podwright.io/rack" in node["metadata"]["labels"]
    }
    assert racked == {"training", "tuning"}


def test_a_pool_is_of_the_teams_that_have_a_quota_of_it_alone() -> None:
    """A pool named by no quota of a team is none that its queue covers, borrowing or not."""
    own = put(f"{QUEUES}/teams/research", {"nominal": {"training": 16}})
    stack = _stack(SEVERAL, own, put(f"{QUEUES}/borrow", True))
    assert set(_gpus(_named(stack, "ClusterQueue")["research"])) == {"training-group-rack-host"}
    # Its own 24, 8 of training that vision may leave idle, and none of tuning.
    assert granted(stack, "research").gpus == 32
    assert granted(stack, "vision").gpus == 32, "16 of its own, 16 of training that research may leave idle"


def test_one_pool_by_either_key_is_the_same_plan() -> None:
    assert _kueue(_stack(QUEUED, put(QUEUES, {"pools": ["training"]}))) == _kueue(_stack(QUEUED))
    given = put(QUEUES, {"pool": "training", "teams": {"research": {"nominal": {"training": 24}}}})
    assert _kueue(_stack(QUEUED, given)) == _kueue(_stack(QUEUED))
