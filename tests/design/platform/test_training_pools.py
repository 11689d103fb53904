"""Admission policies of training pools: the facts of a cluster that they know, and when there are none."""

import json
from typing import Any

from podwright.components import model
from podwright.components.design.platform import training_pools
from podwright.components.design.platform.training_pools import lawful
from tests.design.platform.test_admission import _cluster
from tests.model.changes import LAB


def _policies(cluster: model.Cluster) -> dict[str, dict[str, Any]]:
    assert cluster.openshift is not None
    facts = lawful(cluster.pools, cluster.servers, cluster.openshift.teams, ["nvidia-gpu-operator"], rdma=True)
    return {
        each["metadata"]["name"]: each["spec"]
        for each in training_pools.policies(facts)
        if each["kind"] == "ValidatingAdmissionPolicy"
    }


def _facts(cluster: model.Cluster) -> dict[str, Any]:
    rows = _policies(cluster)[training_pools.PODS]["variables"]
    return {row["name"]: json.loads(row["expression"]) for row in rows if row["expression"].startswith(("{", "["))}


def test_the_policies_know_pools_nodes_teams_and_who_belongs_to_the_system() -> None:
    cluster = _cluster()
    assert cluster.openshift is not None
    facts = _facts(cluster)
    assert facts["pools"] == {"training": ["training"], "inference": ["inference"]}
    members = [name for name, each in cluster.servers.items() if each.pool == "training"]
    assert facts["nodes"] == {"training": sorted(members)} and not set(members) & set(facts["elsewhere"])
    assert set(members) | set(facts["elsewhere"]) == set(cluster.servers)
    assert facts["teams"] == sorted(cluster.openshift.teams)
    assert facts["system"] == ["nvidia-gpu-operator", "podwright-acceptance", "podwright-admission-training"]


def test_a_cluster_without_such_pools_has_no_policies() -> None:
    assert list(training_pools.policies(lawful({}, {}, (), None, rdma=False))) == []
    cpu = {"work": model.Pool(purpose="cpu")}
    assert list(training_pools.policies(lawful(cpu, {}, (), None, rdma=False))) == []


def test_a_pool_without_servers_is_kept_before_its_first_one_joins() -> None:
    cluster = model.Cluster.model_validate(LAB)
    facts = lawful(cluster.pools, {}, (), None, rdma=False)
    (policy, _) = training_pools.policies(facts)
    assert policy["metadata"]["name"] == training_pools.PODS and facts.labels["training"]
    assert facts.nodes == {}


def test_refusals_say_what_to_do() -> None:
    for spec in _policies(_cluster()).values():
        for each in spec["validations"]:
            words = each["messageExpression"]
            assert any(way in words for way in ("take its toleration", "leave it out", "select one of them", "leave "))


def test_the_bindings_of_the_clusters_own_schedulers_are_not_asked_about() -> None:
    (condition,) = _policies(_cluster())[training_pools.BINDINGS]["matchConditions"]
    assert "== 'system:kube-scheduler'" in condition["expression"]
