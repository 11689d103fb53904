"""What teams of tenants are given: nodes, networks, queues and jobs of their own, and a policy that keeps to it."""

import json
from typing import Any

import pytest

from podwright.components.design.operators import places
from podwright.components.design.platform import rail_tenants
from podwright.components.model import Cluster, Tenants, joined, load
from tests.design import whole
from tests.design.once import refusing
from tests.model.changes import both, put
from tests.model.tenant_cases import JOINED, TENANTS
from tests.model.test_sections import cluster as stack
from tools.generated import ROOT

LABEL = "podwright.io/tenant"
EXAMPLE = load(ROOT / "tests/examples/vrf/Pulumi.tenants.yaml")
BEFORE = load(ROOT / "tests/examples/vrf/Pulumi.vrf.yaml")


def _settings(cluster: Cluster, kind: str) -> dict[str, Any]:
    every = [each for operator in whole.operators(cluster) for each in operator.settings]
    return {each["metadata"]["name"]: each for each in every if each["kind"] == kind}


def _pods(cluster: Cluster) -> dict[str, Any]:
    """Templates of the members of jobs, by the job's name."""
    found: dict[str, Any] = {}
    for each in whole.workloads(cluster):
        spec, name = each["spec"], each["metadata"]["labels"]["app.kubernetes.io/name"]
        if each["kind"] == "Job":
            found[name] = spec["template"]
        elif each["kind"] in ("JobSet", "TrainingRuntime"):
            sets = spec if each["kind"] == "JobSet" else spec["template"]["spec"]
            found[name] = sets["replicatedJobs"][0]["template"]["spec"]["template"]
    return found


def test_nodes_say_whose_their_rails_are() -> None:
    found = {node["metadata"]["name"]: node["metadata"]["labels"].get(LABEL) for node in whole.platform(EXAMPLE).nodes}
    assert {name: tenant for name, tenant in found.items() if tenant} == {
        "gpu-01": "blue", "gpu-02": "blue", "gpu-03": "red", "gpu-04": "red", "gpu-05": "red",
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["job", "jobset", "trainjob"])
def test_a_job_selects_its_tenant_and_attaches_to_its_networks_whatever_kind_it_is(kind: str) -> None:
    pods = _pods(stack(JOINED, put("workloads/training/segment/kind", kind)))
    for name, tenant, group in (("pretrain", "blue", "1"), ("segment", "red", "2")):
        template = pods[name]
        selector = template["spec"]["nodeSelector"]
        assert (selector[LABEL], selector["podwright.io/leaf-group"]) == (tenant, group)
        assert f"group{group}-rail0@rail0" in template["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"]


def test_a_namespace_has_networks_of_its_tenants_leaf_groups_alone_and_acceptance_those_of_all() -> None:
    found: dict[str, set[str]] = {}
    for each in _settings(EXAMPLE, "SriovNetwork").values():
        labels = each["metadata"].get("labels", {})
        group = each["metadata"]["name"].removeprefix(each["spec"]["networkNamespace"]).split("-")[1]
        found.setdefault(each["spec"]["networkNamespace"], set()).add(f"{group} {labels.get(LABEL)}")
    assert found == {
        "research": {"group1 blue"}, "vision": {"group2 red"},
        "podwright-acceptance": {"group1 None", "group2 None"},
    }  # fmt: skip


def test_where_host_ports_route_a_network_is_the_namespaces_and_the_label_says_whose() -> None:
    routed = stack(JOINED, put("fabric/host_ports", "routed"))
    networks = _settings(routed, "SriovNetwork")
    assert networks["vision-rail0"]["metadata"]["labels"] == {LABEL: "red"}
    spec = _pods(routed)["segment"]["spec"]
    assert spec["nodeSelector"][LABEL] == "red"


def test_a_reason_to_share_stands_on_the_networks_of_teams_without_a_tenant() -> None:
    reason = "one research group with two projects"
    cluster = stack(JOINED, put("openshift/shared_rails", reason))
    assert not any("annotations" in each["metadata"] for each in _settings(cluster, "SriovNetwork").values())
    without = BEFORE.model_copy(
        update={"openshift": BEFORE.openshift and BEFORE.openshift.model_copy(update={"shared_rails": reason})}
    )
    marked = {
        each["spec"]["networkNamespace"]: each["metadata"].get("annotations")
        for each in _settings(without, "SriovNetwork").values()
    }
    assert marked == {"research": {"podwright.io/shared-by-teams": reason}, "podwright-acceptance": None}


def test_kueue_has_a_place_of_a_pool_for_each_tenant_and_a_queue_takes_its_own() -> None:
    flavors = _settings(EXAMPLE, "ResourceFlavor")
    assert {name: each["spec"]["nodeLabels"] for name, each in flavors.items()} == {
        f"training-group-rack-host-{tenant}": {"podwright.io/pool": "training", LABEL: tenant}
        for tenant in ("blue", "red")
    }
    assert all(each["spec"]["topologyName"] == name for name, each in flavors.items())
    assert set(_settings(EXAMPLE, "Topology")) == set(flavors)
    for team, tenant, rails in (("research", "blue", "2"), ("vision", "red", "3")):
        ((group),) = _settings(EXAMPLE, "ClusterQueue")[team]["spec"]["resourceGroups"]
        assert [each["name"] for each in group["flavors"]] == [f"training-group-rack-host-{tenant}"]
        amounts = {row["name"]: row["nominalQuota"] for row in group["flavors"][0]["resources"]}
        assert amounts["openshift.io/rail0"] == rails, "as many functions as the tenant's own servers have"


def test_a_pool_without_rails_is_one_place_for_all() -> None:
    cluster = stack(JOINED)
    inference = cluster.pools["inference"]
    (place,) = places("inference", inference, whole.members(cluster, "inference"), joined(cluster))
    assert place.tenant is None


def test_the_policy_knows_each_tenants_teams_nodes_and_leaf_groups() -> None:
    ((policy, binding), (bindings, _)) = rail_tenants.policies(joined(EXAMPLE))
    assert [each["metadata"]["name"] for each in (policy, binding, bindings)] == [
        rail_tenants.PODS, rail_tenants.PODS, rail_tenants.BINDINGS,
    ]  # fmt: skip
    facts = {row["name"]: row["expression"] for row in policy["spec"]["variables"]}
    assert json.loads(facts["teams"]) == {"chat": "default", "research": "blue", "vision": "red"}
    nodes = {"blue": ["gpu-01", "gpu-02"], "default": [], "red": ["gpu-03", "gpu-04", "gpu-05"]}
    assert json.loads(facts["nodes"]) == nodes
    assert json.loads(facts["groups"]) == {"blue": ["1"], "default": [], "red": ["2"]}


def test_a_tenant_without_nodes_and_groups_has_empty_lists_and_none_is_missing() -> None:
    """What a policy cannot evaluate it refuses: each team's tenant is a key of both."""
    ((policy, _), _) = rail_tenants.policies(Tenants(teams={"a": "blue", "b": "default"}, nodes={}, groups={}))
    facts = {row["name"]: row["expression"] for row in policy["spec"]["variables"]}
    assert json.loads(facts["nodes"]) == json.loads(facts["groups"]) == {"blue": [], "default": []}


@pytest.mark.parametrize("change", [put("protect", True), put(f"{TENANTS}/red/index", 7)])
def test_without_a_team_that_names_a_tenant_nothing_of_it_is_planned(change: Any) -> None:
    written = both(change, put("openshift/teams/research", {"gpus": 16}), put("openshift/teams/vision", {"gpus": 24}))
    apart = stack(JOINED, written)
    assert list(rail_tenants.policies(joined(apart))) == []
    every = [*refusing(apart), *whole.platform(apart).nodes, *whole.workloads(apart), *whole.platform(apart).manifests]
    every += [each for operator in whole.operators(apart) for each in operator.manifests]
    assert LABEL not in json.dumps(every) and "rail-tenants" not in json.dumps(every)
